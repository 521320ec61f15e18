// SPDX-License-Identifier: Apache-2.0
// Converts a description to a layout: contiguous parts become one run, regular lists become loops.
#include <algorithm>
#include <iterator>
#include <span>

#include "datatype/node.hpp"

namespace atl::mpi::datatype {
namespace {

NodePtr simple_repeat(Count count, Count stride, const NodePtr& child, Count offset) {
  if (count == 0 || child->size == 0) return make_bytes(0, 0);
  if (count == 1) return moved(child, offset);
  if (child->kind == Node::Kind::leaf && child->size == stride)
    return make_bytes(child->offset + offset, child->size * count);
  if (child->kind == Node::Kind::repeat && child->count * child->stride == stride)
    return make_repeat(count * child->count, child->stride, child->child, offset + child->offset);
  return make_repeat(count, stride, child, offset);
}

// Lists of runs: an entry's `offset` is the position and its `count` the number of bytes.

bool is_progression(std::span<const Entry> runs) {
  if (runs.size() < 2) return false;
  Count stride = runs[1].offset - runs[0].offset;
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i].count != runs[0].count || runs[i].offset - runs[i - 1].offset != stride) return false;
  return true;
}

/// Whether every group of `period` runs is the previous group shifted by a constant distance.
bool is_periodic(std::span<const Entry> runs, std::size_t period) {
  if (runs.size() % period != 0) return false;
  Count stride = runs[period].offset - runs[0].offset;
  for (std::size_t i = period; i < runs.size(); ++i)
    if (runs[i].count != runs[i - period].count || runs[i].offset - runs[i - period].offset != stride) return false;
  return true;
}

NodePtr fold_runs(std::vector<Entry> runs) {
  if (runs.empty()) return make_bytes(0, 0);
  if (runs.size() == 1) return make_bytes(runs[0].offset, runs[0].count);
  std::span<const Entry> all = runs;
  if (is_progression(all))
    return simple_repeat(static_cast<Count>(runs.size()), runs[1].offset - runs[0].offset, make_bytes(0, runs[0].count),
                         runs[0].offset);
  // The candidate for the period is the longest evenly spaced prefix.
  std::size_t period = 2;
  while (period < runs.size() && is_progression(all.first(period + 1))) ++period;
  for (std::size_t candidate : {period, std::size_t{2}, std::size_t{3}, std::size_t{4}})
    if (candidate < runs.size() && is_periodic(all, candidate)) {
      Count stride = runs[candidate].offset - runs[0].offset;
      auto groups = static_cast<Count>(runs.size() / candidate);
      runs.resize(candidate);
      return simple_repeat(groups, stride, fold_runs(std::move(runs)), 0);
    }
  return make_blocks(std::move(runs), 1, make_bytes(0, 1));
}

void add_run(std::vector<Entry>& runs, Count offset, Count bytes) {
  if (bytes == 0) return;
  if (!runs.empty() && runs.back().offset + runs.back().count == offset) runs.back().count += bytes;
  else runs.push_back({offset, bytes, 0, nullptr});
}

NodePtr simple_blocks(const Node& node) {
  NodePtr child = simplify(node.child);
  if (child->size == 0) return make_bytes(0, 0);
  if (child->kind == Node::Kind::leaf && (child->size == node.stride)) {
    std::vector<Entry> runs;
    for (const Entry& entry : node.entries) add_run(runs, entry.offset + child->offset, entry.count * child->size);
    return fold_runs(std::move(runs));
  }
  std::vector<Entry> entries;
  std::ranges::copy_if(node.entries, std::back_inserter(entries), [](const Entry& entry) { return entry.count != 0; });
  if (is_progression(entries))
    return simple_repeat(static_cast<Count>(entries.size()), entries[1].offset - entries[0].offset,
                         simple_repeat(entries[0].count, node.stride, child, 0), entries[0].offset);
  if (entries.size() == 1) return simple_repeat(entries[0].count, node.stride, child, entries[0].offset);
  return entries.empty() ? make_bytes(0, 0) : make_blocks(std::move(entries), node.stride, child);
}

/// Appends the pieces of `node`, shifted by `by`, to `list`. Flattens nested lists and joins adjacent runs.
void flatten(const NodePtr& node, Count by, std::vector<Entry>& list) {
  if (node->size == 0) return;
  if (node->kind == Node::Kind::pieces) {
    for (const Entry& entry : node->entries) flatten(entry.child, by + entry.offset, list);
    return;
  }
  if (node->kind == Node::Kind::leaf && !list.empty() && list.back().child->kind == Node::Kind::leaf) {
    const Entry& last = list.back();
    if (last.offset + last.child->true_ub == by + node->offset) {
      Count start = last.offset + last.child->offset;
      list.back() = {0, 1, 0, make_bytes(start, last.child->size + node->size)};
      return;
    }
  }
  list.push_back({by, 1, 0, node});
}

NodePtr simple_pieces(const Node& node) {
  std::vector<Entry> list;
  for (const Entry& entry : node.entries) flatten(simplify(entry.child), entry.offset, list);
  if (list.empty()) return make_bytes(0, 0);
  if (std::ranges::all_of(list, [](const Entry& one) { return one.child->kind == Node::Kind::leaf; })) {
    std::vector<Entry> runs;
    for (const Entry& one : list) add_run(runs, one.offset + one.child->offset, one.child->size);
    return fold_runs(std::move(runs));
  }
  return make_pieces(std::move(list));
}

}  // namespace

NodePtr simplify(const NodePtr& node) {
  switch (node->kind) {
    case Node::Kind::leaf: return make_bytes(node->offset, node->size);
    case Node::Kind::repeat: return simple_repeat(node->count, node->stride, simplify(node->child), node->offset);
    case Node::Kind::blocks: return simple_blocks(*node);
    case Node::Kind::pieces: return simple_pieces(*node);
  }
  return nullptr;
}

}  // namespace atl::mpi::datatype
