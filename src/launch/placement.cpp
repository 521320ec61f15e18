// SPDX-License-Identifier: Apache-2.0
#include "placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace atl::runtime {
namespace {

// Cuts off what comes before the next `separator`, and the separator.
std::string_view next_part(std::string_view& rest, std::string_view separators) {
  std::size_t end = std::min(rest.find_first_of(separators), rest.size());
  std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// PEs follow one another on each host whatever part of it others would count by.
bool is_part_of_a_host(std::string_view word) {
  return is_one_of(word,
                   {"slot", "hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "socket", "package", "board"});
}

bool is_host(std::string_view word) { return is_one_of(word, {"node", "host", "machine"}); }

[[noreturn]] void refuse(std::string_view option, std::string_view value, std::string_view accepted) {
  throw UsageError(fmt::format("{} '{}' is not valid. Accepted: {}", option, value, accepted));
}

// "ppr:N:node"
void take_pes_per_resource(std::string_view option, std::string_view value, std::string_view rest,
                           Placement& placement) {
  std::string_view number = next_part(rest, ":"), resource = rest;
  if (is_host(resource)) return take_pes_per_node(option, number, placement);
  if (number == "1" && is_one_of(resource, {"numa", "socket", "package"}))
    return take_pes_per_node(option, resource == "numa" ? "numa" : "socket", placement);
  refuse(option, value, "ppr:N:node, ppr:1:numa, ppr:1:socket");
}

}  // namespace

std::uint32_t whole_number(std::string_view option, std::string_view text, std::uint32_t least, std::uint32_t most,
                           std::string_view or_else) {
  std::uint32_t value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
  if (!good)
    throw UsageError(fmt::format("{} '{}' is not valid. Accepted: {} to {}{}", option, text, least, most, or_else));
  return value;
}

void take_bind(std::string_view option, std::string_view value, Placement& placement) {
  if (value == "none") placement.binding = Binding::none;
  else if (value == "core") placement.binding = Binding::core;
  else if (value == "numa") placement.binding = Binding::numa;
  else if (value == "socket") placement.binding = Binding::socket;
  else refuse(option, value, "none, core, numa, socket");
}

void take_bind_to(std::string_view option, std::string_view value, Placement& placement) {
  std::string_view rest = value, part = next_part(rest, ":");
  bool known = rest.empty() || is_one_of(rest, {"overload-allowed", "no-overload", "if-supported"});
  if (!known) refuse(option, value, "after the colon overload-allowed, no-overload, if-supported");
  if (is_one_of(part, {"none", "board"})) placement.binding = Binding::none;
  else if (is_one_of(part, {"core", "hwthread"})) placement.binding = Binding::core;
  else if (part == "numa") placement.binding = Binding::numa;
  else if (is_one_of(part, {"socket", "package"})) placement.binding = Binding::socket;
  else refuse(option, value, "none, core, hwthread, numa, socket, package");
}

void take_map_by(std::string_view option, std::string_view value, Placement& placement) {
  constexpr std::string_view accepted =
      "slot, hwthread, core, numa, socket, node, ppr:N:node, ppr:1:numa, ppr:1:socket, then :oversubscribe, :pe=N";
  std::string_view rest = value;
  if (rest.starts_with("ppr:")) {
    rest.remove_prefix(4);
    std::size_t second = rest.find(':'), end = second == std::string_view::npos ? second : rest.find(':', second + 1);
    std::string_view resource = rest.substr(0, end);
    take_pes_per_resource(option, value, resource, placement);
    rest.remove_prefix(std::min(resource.size() + 1, rest.size()));
  } else {
    std::string_view part = next_part(rest, ":");
    if (is_host(part)) placement.in_turns = option;
    else if (!part.empty() && !is_part_of_a_host(part)) refuse(option, value, accepted);
  }
  while (!rest.empty()) {
    std::string_view part = next_part(rest, ":,");
    if (part.starts_with("pe=") || part.starts_with("PE=")) {
      placement.threads =
          whole_number(fmt::format("{} {}", option, part.substr(0, 3)), part.substr(3), 1, most_threads);
      if (!placement.binding) placement.binding = Binding::core;
    } else if (!is_one_of(part, {"oversubscribe", "OVERSUBSCRIBE", "overload-allowed", "inherit", "noinherit"})) {
      refuse(option, value, accepted);
    }
  }
}

void take_rank_by(std::string_view option, std::string_view value, Placement& placement) {
  if (is_host(value)) placement.in_turns = option;
  else if (value != "fill" && !is_part_of_a_host(value))
    refuse(option, value, "slot, hwthread, core, numa, socket, node, fill");
}

void take_pes_per_node(std::string_view option, std::string_view value, Placement& placement) {
  placement.pe_for_each = value == "numa" ? Binding::numa : value == "socket" ? Binding::socket : Binding::none;
  placement.per_host =
      placement.pe_for_each == Binding::none ? whole_number(option, value, 1, most_pes, ", numa or socket") : 0;
}

}  // namespace atl::runtime
