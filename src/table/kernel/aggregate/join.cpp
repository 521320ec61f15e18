// SPDX-License-Identifier: Apache-2.0
// Joining the groups of several parts by merging their ascending keys, two parts at a time.
#include "kernel/aggregate/tables.hpp"

#include <cstring>

namespace atl::table {
namespace {

Aggregated join_two(array::Work work, const GroupsView& a, const GroupsView& b, std::span<const StateSpec> specs) {
  // Where each group of a and of b comes to lie. Without a branch on which is next.
  Buffer<std::uint32_t> to_a(work.memory, a.count), to_b(work.memory, b.count);
  std::size_t i = 0, j = 0, k = 0;
  for (; i < a.count && j < b.count; ++k) {
    to_a[i] = to_b[j] = static_cast<std::uint32_t>(k);
    const std::uint64_t left = a.keys[i], right = b.keys[j];
    i += left <= right;
    j += right <= left;
  }
  for (; i < a.count; ++i) to_a[i] = static_cast<std::uint32_t>(k++);
  for (; j < b.count; ++j) to_b[j] = static_cast<std::uint32_t>(k++);
  Aggregated out = make_aggregated(work.memory, specs, k);
  for (std::size_t row = 0; row < a.count; ++row) out.keys[to_a[row]] = a.keys[row];
  for (std::size_t row = 0; row < b.count; ++row) out.keys[to_b[row]] = b.keys[row];
  for (std::size_t spec = 0; spec < specs.size(); ++spec) {
    clear_states(specs[spec], out.states[spec].data(), k);
    join_states(specs[spec], out.states[spec].data(), to_a.data(), a.states[spec], a.count);
    join_states(specs[spec], out.states[spec].data(), to_b.data(), b.states[spec], b.count);
  }
  return out;
}

GroupsView view_of(const Aggregated& groups) {
  GroupsView view{groups.count, groups.keys.data(), {}};
  for (const auto& states : groups.states) view.states.push_back(states.data());
  return view;
}

}  // namespace

Aggregated join(array::Work work, std::span<const GroupsView> parts, std::span<const StateSpec> specs) {
  const GroupsView nothing{0, nullptr, std::vector<const std::byte*>(specs.size())};
  if (parts.empty()) return make_aggregated(work.memory, specs, 0);
  if (parts.size() == 1) return join_two(work, parts[0], nothing, specs);
  if (parts.size() == 2) return join_two(work, parts[0], parts[1], specs);
  const Aggregated left = join(work, parts.first(parts.size() / 2), specs);
  const Aggregated right = join(work, parts.subspan(parts.size() / 2), specs);
  return join_two(work, view_of(left), view_of(right), specs);
}

}  // namespace atl::table
