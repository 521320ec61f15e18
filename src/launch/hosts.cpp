// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>

#include "atoll/base/validate.hpp"
#include "placement.hpp"

namespace atl::runtime {
namespace {

std::optional<std::uint32_t> slots_from(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value >= 1 && value <= most_pes;
  return good ? std::optional(value) : std::nullopt;
}

// What a shell or ssh would take for something else is no host.
bool is_name(std::string_view text) {
  return !text.empty() && text[0] != '-' && std::all_of(text.begin(), text.end(), [](char one) {
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || std::strchr("-_.:@%", one) != nullptr;
  });
}

// "host", "host:2", "[v6]:2".
HostEntry parse_host(std::string_view text, std::string_view whole) {
  HostEntry entry;
  std::string_view name = text, count;
  bool counted = false;
  std::size_t bracket = text.find(']');
  if (text.starts_with('[') && bracket != std::string_view::npos) {
    name = text.substr(1, bracket - 1);
    counted = bracket + 1 < text.size() && text[bracket + 1] == ':';
    if (counted) count = text.substr(bracket + 2);
    ATOLL_VALIDATE(counted || bracket + 1 == text.size(), ValueError, "'{}' in {} is not a host", text, whole);
  } else if (std::size_t colon = text.rfind(':'); colon != std::string_view::npos && text.find(':') == colon) {
    name = text.substr(0, colon);
    count = text.substr(colon + 1);
    counted = true;
  }
  ATOLL_VALIDATE(is_name(name), ValueError, "'{}' in {} is not a host. Accepted: a name or address, with :N for N PEs",
                 text, whole);
  entry.name = name;
  if (!counted) return entry;
  entry.slots = slots_from(count);
  ATOLL_VALIDATE(entry.slots.has_value(), ValueError, "'{}' in {}: '{}' is not a number of PEs. Accepted: 1 to {}",
                 text, whole, count, most_pes);
  return entry;
}

std::string_view next_word(std::string_view& line) {
  constexpr std::string_view blank = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
  std::string_view word = line.substr(0, line.find_first_of(blank));
  line.remove_prefix(word.size());
  return word;
}

// "a 4, b 2"; of many hosts the first few.
std::string list_parts(const std::vector<HostShare>& hosts, const std::vector<std::uint32_t>& parts) {
  constexpr std::size_t most_listed = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(hosts.size(), most_listed); ++i)
    list += fmt::format("{}{} {}", i == 0 ? "" : ", ", hosts[i].name, parts[i]);
  return hosts.size() <= most_listed ? list : fmt::format("{} and {} more hosts", list, hosts.size() - most_listed);
}

}  // namespace

std::vector<HostEntry> parse_hosts(std::string_view text) {
  std::vector<HostEntry> found;
  std::string whole = fmt::format("--hosts '{}'", text);
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t end = std::min(text.find(',', begin), text.size());
    found.push_back(parse_host(text.substr(begin, end - begin), whole));
    begin = end + 1;
  }
  return found;
}

std::vector<HostEntry> parse_hostfile(std::string_view text, const std::string& name) {
  std::vector<HostEntry> found;
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    line = line.substr(0, line.find('#'));
    std::string where = fmt::format("line {} of {}", number, name);
    std::string_view host = next_word(line);
    if (host.empty()) continue;
    HostEntry entry = parse_host(host, where);
    if (std::string_view word = next_word(line); !word.empty()) {
      auto slots = word.starts_with("slots=") ? slots_from(word.substr(6)) : std::nullopt;
      ATOLL_VALIDATE(slots.has_value() && !entry.slots && next_word(line).empty(), ValueError,
                     "'{}' in {} is not understood. Accepted: 'host', 'host:2' or 'host slots=2'", word, where);
      entry.slots = slots;
    }
    found.push_back(std::move(entry));
  }
  ATOLL_VALIDATE(!found.empty(), ValueError, "{} names no host", name);
  return found;
}

std::vector<HostEntry> read_hostfile(const std::string& path) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  ATOLL_VALIDATE(file.is_open() && !file.bad(), ValueError, "cannot read --hostfile {}: {}", path,
                 std::strerror(errno));
  return parse_hostfile(text, path);
}

std::vector<HostShare> spread(const std::vector<HostEntry>& hosts, std::uint32_t npes, std::uint32_t per_host) {
  std::vector<HostEntry> distinct;
  for (const HostEntry& host : hosts) {
    auto same =
        std::find_if(distinct.begin(), distinct.end(), [&](const HostEntry& one) { return one.name == host.name; });
    if (same == distinct.end()) distinct.push_back(host);
    else same->slots = same->slots.value_or(1) + host.slots.value_or(1);
  }
  auto count = static_cast<std::uint32_t>(distinct.size());
  bool numbered =
      std::any_of(distinct.begin(), distinct.end(), [](const HostEntry& one) { return one.slots.has_value(); });
  std::vector<HostShare> shares;
  std::uint64_t room = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t slots = distinct[i].slots.value_or(1);
    if (per_host != 0) slots = per_host;
    else if (!numbered && npes != 0) slots = npes / count + (i < npes % count ? 1 : 0);
    std::uint64_t left = npes == 0 ? slots : npes - std::min<std::uint64_t>(npes, room);
    auto pes = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, left));
    const auto first = static_cast<std::uint32_t>(pes != 0 ? room : npes);
    shares.push_back({distinct[i].name, first, pes, std::max(slots, 1U)});
    room += slots;
    ATOLL_VALIDATE(npes != 0 || room <= most_pes, ValueError,
                   "the hosts have room for more than {} PEs. Say how many: -n", most_pes);
  }
  ATOLL_VALIDATE(room >= npes, ValueError,
                 "-n {} is more than the {} PEs that the hosts have room for. Give more hosts, more slots, "
                 "or hosts without a number, which share evenly",
                 npes, room);
  return shares;
}

void number_by_parts(std::vector<HostShare>& hosts, const std::vector<std::uint32_t>& parts, Binding kind,
                     std::uint32_t npes) {
  const char* kind_name = kind == Binding::numa ? "NUMA domains" : "sockets";
  std::uint64_t room = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  ATOLL_VALIDATE(
      npes <= room, ValueError,
      "-n {} is more than the {} {} of the hosts ({}). Lower it, leave it out for one PE on each, or give the "
      "number per host: --pes-per-node K",
      npes, room, kind_name, list_parts(hosts, parts));
  ATOLL_VALIDATE(npes != 0 || room <= most_pes, ValueError,
                 "the hosts have {} {}, and a job has at most {} PEs. Say how many: -n", room, kind_name, most_pes);
  std::uint32_t next = 0, last = npes == 0 ? static_cast<std::uint32_t>(room) : npes;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    hosts[i].first_pe = next;
    hosts[i].pes = std::min(parts[i], last - next);
    hosts[i].slots = parts[i];
    next += hosts[i].pes;
  }
}

}  // namespace atl::runtime
