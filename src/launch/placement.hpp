// SPDX-License-Identifier: Apache-2.0
// Options that say where PEs go and what they are bound to, in the words of this launcher and of others.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/launch/launcher.hpp"

namespace atl::runtime {

/// Of a job, and of each PE of it.
inline constexpr std::uint32_t most_pes = 65536, most_threads = 4096;

/// A wrong command line, as opposed to what goes wrong later.
class UsageError : public ValueError {
  using ValueError::ValueError;
};

/// A whole number from `least` to `most`. Throws UsageError, which ends with `or_else`.
std::uint32_t whole_number(std::string_view option, std::string_view text, std::uint32_t least, std::uint32_t most,
                           std::string_view or_else = "");

struct Placement {
  std::uint32_t per_host = 0;            ///< 0: not said
  Binding pe_for_each = Binding::none;   ///< numa or socket: per_host is that of each host
  std::optional<Binding> binding;
  unsigned threads = 0;                  ///< 0: not said
  std::string_view in_turns;  ///< the option that asks for PEs to be dealt to the hosts one by one; empty: none
};

// Each throws UsageError for what it does not know.

/// "none", "core", "numa", "socket".
void take_bind(std::string_view option, std::string_view value, Placement& placement);
/// Open MPI's and hydra's: "core", "hwthread", "socket:overload-allowed", …
void take_bind_to(std::string_view option, std::string_view value, Placement& placement);
/// "core", "node", "ppr:2:node:pe=4", ":oversubscribe", …
void take_map_by(std::string_view option, std::string_view value, Placement& placement);
void take_rank_by(std::string_view option, std::string_view value, Placement& placement);
/// "2", "numa", "socket".
void take_pes_per_node(std::string_view option, std::string_view value, Placement& placement);

}  // namespace atl::runtime
