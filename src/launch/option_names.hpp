// SPDX-License-Identifier: Apache-2.0
// The names of the launcher's options: its own, and those by which other launchers call the same things.
#pragma once

#include <cstdint>
#include <string_view>

namespace atl::runtime {

enum class Option : std::uint8_t {
  npes,
  threads,
  bind,
  bind_to,
  map_by,
  rank_by,
  pes_per_node,
  label,
  output,
  timeout,
  help,
  version,
  hosts,
  hostfile,
  launch_agent,
  address,
  port,
  pass,
  assign,
  assign_one,
  pass_list,
  pass_all,
  directory,
  python,
  needless,  ///< it is so in any case, or there is nothing to do
  foreign,   ///< settings of another launcher
};

/// How many words follow an option.
enum class Values : std::uint8_t { none, one, two };

struct OptionName {
  std::string_view name;  ///< with its - or --
  Option option;
  Values values;
};

/// Null: there is no such option.
const OptionName* find_option(std::string_view name);

/// The option that a misspelt word most likely means; empty: none is close.
std::string_view closest_option(std::string_view word);

}  // namespace atl::runtime
