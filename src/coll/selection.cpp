// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "atoll/base/config.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"

namespace atl::coll::detail {
namespace {

struct Entry {
  std::string_view name;
  Algorithm write;
};
struct Family {
  std::string_view name;
  std::span<const Entry> algorithms;
};

constexpr Entry barriers[] = {{"dissemination", barrier_dissemination},
                              {"hierarchical", barrier_hierarchical},
                              {"central", barrier_central},
                              {"tree2", barrier_tree<2>},
                              {"tree4", barrier_tree<4>},
                              {"tree8", barrier_tree<8>},
                              {"tree16", barrier_tree<16>}};
constexpr Entry broadcasts[] = {{"binomial", broadcast_binomial},
                                {"flat", broadcast_flat},
                                {"scatter_allgather", broadcast_scatter_allgather},
                                {"hierarchical", broadcast_hierarchical},
                                {"knomial4", broadcast_knomial<4>},
                                {"knomial8", broadcast_knomial<8>},
                                {"knomial16", broadcast_knomial<16>},
                                {"binomial_near", broadcast_binomial_near},
                                {"pipelined", broadcast_pipelined}};
constexpr Entry reduces[] = {
    {"binomial", reduce_binomial}, {"halving", reduce_halving}, {"hierarchical", reduce_hierarchical}};
constexpr Entry allreduces[] = {{"recursive_doubling", allreduce_recursive_doubling},
                                {"halving_doubling", allreduce_halving_doubling},
                                {"hierarchical", allreduce_hierarchical},
                                {"central", allreduce_central},
                                {"flat", allreduce_flat},
                                {"ring", allreduce_ring},
                                {"tree2", allreduce_tree<2>},
                                {"tree4", allreduce_tree<4>},
                                {"tree8", allreduce_tree<8>},
                                {"tree16", allreduce_tree<16>}};
constexpr Entry scans[] = {{"recursive_doubling", scan_recursive_doubling}};
constexpr Entry exscans[] = {{"recursive_doubling", exscan_recursive_doubling}};
constexpr Entry gathers[] = {{"binomial", gather_binomial}, {"flat", gather_flat}};
constexpr Entry gathervs[] = {{"flat", gatherv_flat}, {"hierarchical", gatherv_hierarchical}};
constexpr Entry scatters[] = {
    {"binomial", scatter_binomial}, {"flat", scatter_flat}, {"hierarchical", scatter_hierarchical}};
constexpr Entry scattervs[] = {{"flat", scatterv_flat}, {"hierarchical", scatterv_hierarchical}};
constexpr Entry allgathers[] = {{"flat", allgather_flat},       {"bruck", allgather_bruck},
                                {"ring", allgather_ring},       {"hierarchical", allgather_hierarchical},
                                {"columns", allgather_columns}, {"neighbour", allgather_neighbour}};
constexpr Entry allgathervs[] = {{"flat", allgatherv_flat},
                                 {"ring", allgatherv_ring},
                                 {"hierarchical", allgatherv_hierarchical},
                                 {"columns", allgatherv_columns}};
constexpr Entry alltoalls[] = {{"flat", alltoall_flat},          {"bruck", alltoall_bruck},
                               {"pairwise", alltoall_pairwise},  {"hierarchical", alltoall_hierarchical},
                               {"window2", alltoall_window<2>},  {"window8", alltoall_window<8>},
                               {"window32", alltoall_window<32>}};
constexpr Entry alltoallvs[] = {{"flat", alltoallv_flat},           {"pairwise", alltoallv_pairwise},
                                {"window2", alltoallv_window<2>},   {"window8", alltoallv_window<8>},
                                {"window32", alltoallv_window<32>}, {"hierarchical", alltoallv_hierarchical}};

// In the order of Kind.
constexpr Family families[] = {{"barrier", barriers},     {"broadcast", broadcasts}, {"reduce", reduces},
                               {"allreduce", allreduces}, {"scan", scans},           {"exscan", exscans},
                               {"gather", gathers},       {"gatherv", gathervs},     {"scatter", scatters},
                               {"scatterv", scattervs},   {"allgather", allgathers}, {"allgatherv", allgathervs},
                               {"alltoall", alltoalls},   {"alltoallv", alltoallvs}};
static_assert(std::size(families) == kind_count);

std::string names_of(const Family& family) {
  std::string names;
  for (const Entry& entry : family.algorithms)
    names += fmt::format("{}{}={}", names.empty() ? "" : ", ", family.name, entry.name);
  return names;
}

std::optional<std::uint8_t> find_kind(std::string_view name) {
  for (std::uint8_t kind = 0; kind < kind_count; ++kind)
    if (families[kind].name == name) return kind;
  return std::nullopt;
}

std::optional<std::uint8_t> find_algorithm(std::string_view name, std::uint8_t kind) {
  const auto algorithms = families[kind].algorithms;
  for (std::uint8_t i = 0; i < algorithms.size(); ++i)
    if (algorithms[i].name == name) return i;
  return std::nullopt;
}

/// The size by which tables choose: one that all members know.
std::uint64_t agreed_bytes(Kind kind, const Arguments& arguments) {
  if (kind != Kind::allgatherv) return takes_blocks(kind) ? UINT64_MAX : arguments.bytes;
  std::uint64_t all = 0;
  for (const Block& block : arguments.out_blocks) all += block.bytes;
  return all;
}

/// Number of the algorithm for members that are all alike far from one another.
std::uint8_t choose_level(Kind kind, const Arguments& arguments, int size) {
  std::uint64_t bytes = arguments.bytes;
  auto n = static_cast<std::uint64_t>(size);
  switch (kind) {
    case Kind::broadcast:
      // A direct copy takes no work of the root, but its cache or memory serves n - 1 readers.
      if (n == 2) return 1;
      if (bytes <= 8 * KiB) return 0;
      return n <= 4 ? 1 : 2;
    case Kind::reduce: return bytes <= 16 * KiB || bytes < arguments.element_bytes * n ? 0 : 1;
    case Kind::allreduce:
      // With two PEs each reads the other's vector once, the dearest part where it has just been written. 1 MiB on far
      // cores took 240 µs by halves, and 50 (old data) to 170 µs (just written) as a whole.
      if (n == 2 && bytes <= 4 * MiB) return 0;
      // One exchange of the whole vector and two of its halves take the same time where messages stop being small.
      return bytes <= 2 * longest_small_message || bytes < arguments.element_bytes * n ? 0 : 1;
    case Kind::gather:
    case Kind::scatter: return n > 8 && bytes * n <= 64 * KiB ? 0 : 1;
    case Kind::allgather:
      if (n <= 8) return 0;
      return bytes * n <= 16 * KiB ? 1 : n <= 64 ? 0 : 2;
    case Kind::allgatherv: return n <= 64 ? 0 : 1;
    case Kind::alltoall:
      if (n <= 16) return 0;
      return bytes <= 256 ? 1 : 2;
    case Kind::alltoallv: return n <= 16 ? 0 : 1;
    default: return 0;
  }
}

/// The number of an algorithm of the family, by its name.
std::uint8_t numbered(Kind kind, std::string_view name) {
  return *find_algorithm(name, static_cast<std::uint8_t>(kind));
}

// Bytes that leaders hold beside the result, at most: copies of more take longer than the messages they save.
constexpr std::uint64_t most_held = 16 * MiB;

/// Whether leaders, which hold and copy data of other members, take longer than messages of all members between nodes.
bool suits_columns(Kind kind, const Arguments& arguments, const Placement& placement) {
  const auto size = static_cast<std::uint64_t>(placement.size());
  std::uint64_t in_all = 0;
  if (kind == Kind::allgather) in_all = arguments.bytes * size;
  if (kind == Kind::allgatherv)
    for (const Block& block : arguments.out_blocks) in_all += block.bytes;
  // 2 nodes of 2 PEs on two cores, over TCP: blocks of 16 KiB take as long, 64 KiB 132 µs against 202, 1 MiB 1.6 ms
  // against 2.6.
  return in_all >= std::min(32 * KiB * size, most_held);
}

/// Whether two levels are faster than one among members of several nodes: they need fewer messages between nodes for
/// short blocks, and less volume for data that each member of a node receives. The measurements below are of 2 and 4
/// nodes of 2 PEs on two cores, over TCP.
bool suits_hierarchy(Kind kind, const Arguments& arguments, const Placement& placement) {
  const std::uint64_t bytes = arguments.bytes;
  const std::uint64_t in_all = bytes * static_cast<std::uint64_t>(placement.size());
  switch (kind) {
    case Kind::barrier:
    case Kind::broadcast: return true;
    case Kind::reduce:
    case Kind::allreduce:
      // All leaders (or the root) receive the parts of all nodes, at worst those of all members. Beyond this limit
      // halving, in which each member sends a part of the vector between nodes, moves less. 256 KiB take 0.35 ms
      // instead of 0.8 on 2 nodes, 2.9 instead of 7.8 on 4.
      return in_all <= 4 * MiB;
    case Kind::scatter:
      // Short blocks follow one another without an answer. 64 KiB take half the time of direct messages.
      return bytes > longest_small_message && in_all <= most_held;
    case Kind::allgather:
    case Kind::allgatherv: return true;  // longer blocks go by columns
    case Kind::alltoall: {
      // Each byte is copied three times more than in direct messages. On 2 nodes 4 KiB take 0.1 ms instead of 0.17,
      // 16 KiB the same time, 64 KiB 0.43 instead of 0.34.
      std::size_t most_members = 0;
      for (int node = 0; node < placement.nodes(); ++node)
        most_members = std::max(most_members, placement.members(node).size());
      return bytes <= 512 || (bytes <= 16 * KiB && in_all * most_members <= most_held);
    }
    default: return false;
  }
}

/// Whether an algorithm in which each member is scheduled twice is faster than one of log2 n rounds. 64 PEs on 2 cores:
/// a barrier takes 0.10 ms instead of 0.20, an allreduce of 8 bytes 0.11 instead of 0.30; a flat allgather or alltoall
/// takes as long as one in rounds.
bool suits_centre(Kind kind, const Arguments& arguments, const Placement& placement) {
  return placement.size() >= 8 &&
         (kind == Kind::barrier || (kind == Kind::allreduce && arguments.bytes <= longest_small_message));
}

/// The fastest algorithm where members share cores, so that rounds are slow; nullopt: as for one core each. 8 PEs on
/// 2 cores, private memory: allreduce of 4 KiB takes 22 µs instead of 197 by halves, broadcast of 32 KiB 4 instead of
/// 277 in parts. 4 PEs: allreduce of 8 bytes 2.9 instead of 8.8 in two rounds.
std::optional<std::string_view> way_in_turns(Kind kind, const Arguments& arguments, int size, bool crowded) {
  if (size == 2 || size > 64) return std::nullopt;
  if (kind == Kind::broadcast) return "flat";
  if (kind != Kind::allreduce || size > 16) return std::nullopt;
  if (crowded && arguments.bytes <= longest_small_message) return std::nullopt;
  return "flat";
}

}  // namespace

std::string_view name_of(Kind kind) {
  auto index = static_cast<std::size_t>(kind);
  return index < kind_count ? families[index].name : "an unknown operation";
}

Kind kind_named(std::string_view name) {
  if (auto kind = find_kind(name)) return static_cast<Kind>(*kind);
  std::string accepted;
  for (const Family& family : families) accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", family.name);
  raise<ValueError>(fmt::format("'{}' is not a collective. Accepted: {}", name, accepted));
}

std::vector<std::string_view> algorithms_of(Kind kind) {
  std::vector<std::string_view> names;
  for (const Entry& entry : families[static_cast<std::size_t>(kind)].algorithms) names.push_back(entry.name);
  return names;
}

Selection::Selection() {
  forced_.fill(automatic);
  const std::string table = config::text(config::Variable::coll_table);
  if (!table.empty())
    table_ = TunedTable(
        table, [](std::string_view name, std::uint8_t) { return find_kind(name); },
        [](std::string_view name, std::uint8_t kind) { return find_algorithm(name, kind); });
  force(config::text(config::Variable::coll), "ATOLL_COLL");
}

void Selection::force(std::string_view choices, std::string_view where) {
  while (!choices.empty()) {
    std::string_view choice = choices.substr(0, choices.find(','));
    choices.remove_prefix(choice.size() < choices.size() ? choice.size() + 1 : choice.size());
    auto equals = choice.find('=');
    std::string_view wanted = equals == std::string_view::npos ? std::string_view{} : choice.substr(equals + 1);
    bool found = false;
    std::string accepted;
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      accepted += (kind == 0 ? "" : ", ") + names_of(families[kind]);
      if (families[kind].name != choice.substr(0, equals)) continue;
      if (wanted == "auto") forced_[kind] = automatic, found = true;
      for (std::size_t i = 0; i < families[kind].algorithms.size(); ++i)
        if (families[kind].algorithms[i].name == wanted) forced_[kind] = static_cast<std::uint8_t>(i), found = true;
    }
    ATOLL_VALIDATE(found, ValueError, "{}: '{}' is not valid. Accepted, separated by commas: {}", where, choice,
                   accepted);
  }
}

std::uint8_t Selection::choose(Kind kind, const Arguments& arguments, const Placement& placement) const {
  std::uint8_t forced = forced_[static_cast<std::size_t>(kind)];
  if (forced != automatic) return forced;
  if (!table_.empty())
    if (auto measured = table_.choose(static_cast<std::uint8_t>(kind), agreed_bytes(kind, arguments), placement))
      return *measured;
  if (placement.has_levels() && suits_columns(kind, arguments, placement)) return numbered(kind, "columns");
  if (placement.has_levels() && suits_hierarchy(kind, arguments, placement)) return numbered(kind, "hierarchical");
  if (in_turns_)
    if (auto way = way_in_turns(kind, arguments, placement.size(), crowded_)) return numbered(kind, *way);
  if (crowded_ && suits_centre(kind, arguments, placement)) return numbered(kind, "central");
  return choose_level(kind, arguments, placement.size());
}

bool Selection::needs_sizes(Kind kind, const Arguments& arguments, const Placement& placement) const {
  if (kind != Kind::gatherv && kind != Kind::scatterv && kind != Kind::alltoallv) return false;
  return choose(kind, arguments, placement) == numbered(kind, "hierarchical");
}

void Selection::write_level(Kind kind, ScheduleBuilder& steps, const Arguments& arguments) {
  write(kind, choose_level(kind, arguments, steps.size()), steps, arguments);
}

void Selection::write(Kind kind, std::uint8_t algorithm, ScheduleBuilder& steps, const Arguments& arguments) {
  families[static_cast<std::size_t>(kind)].algorithms[algorithm].write(steps, arguments);
}

}  // namespace atl::coll::detail
