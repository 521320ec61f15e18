// SPDX-License-Identifier: Apache-2.0
// Reductions over axis 0: units of rows are added up in plain order, then joined by the tree of all PEs.
#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/axis/inner.hpp"
#include "kernel/program/tile.hpp"
#include "kernel/reduce/fused.hpp"
#include "kernel/reduce/range_watch.hpp"

namespace atl::array {
namespace {

bool wants_places(Reduction kind) { return kind == Reduction::argmin || kind == Reduction::argmax; }

// Narrow rows are added several at a time, so that vectors are full: this many elements together.
constexpr std::uint64_t together_elements = 256;
// Columns that make a range of their own when there are too few units to share out.
constexpr std::uint64_t column_range = 1024;

}  // namespace

std::vector<std::byte> RowNodes::to_bytes() const {
  // u64 nodes, u64 bytes of values, u64 positions; then the three arrays.
  const std::uint64_t header[3] = {nodes.size(), values.size(), positions.size()};
  std::vector<std::byte> out(sizeof header + nodes.size() * sizeof(TreeNode) + values.size() +
                             positions.size() * sizeof(std::int64_t));
  std::byte* at = out.data();
  auto put = [&at](const void* data, std::size_t bytes) {
    if (bytes > 0) std::memcpy(at, data, bytes);
    at += bytes;
  };
  put(header, sizeof header);
  put(nodes.data(), nodes.size() * sizeof(TreeNode));
  put(positions.data(), positions.size() * sizeof(std::int64_t));
  put(values.data(), values.size());
  return out;
}

RowNodes RowNodes::from_bytes(std::span<const std::byte> bytes) {
  std::uint64_t header[3];
  ATOLL_VALIDATE(bytes.size() >= sizeof header, ValueError, "row nodes are cut off");
  std::memcpy(header, bytes.data(), sizeof header);
  RowNodes nodes;
  nodes.nodes.resize(header[0]);
  nodes.values.resize(header[1]);
  nodes.positions.resize(header[2]);
  const std::byte* at = bytes.data() + sizeof header;
  auto get = [&at](void* data, std::size_t size) {
    if (size > 0) std::memcpy(data, at, size);
    at += size;
  };
  ATOLL_VALIDATE(bytes.size() == sizeof header + header[0] * sizeof(TreeNode) + header[1] + header[2] * 8, ValueError,
                 "row nodes are cut off");
  get(nodes.nodes.data(), header[0] * sizeof(TreeNode));
  get(nodes.positions.data(), header[2] * sizeof(std::int64_t));
  get(nodes.values.data(), header[1]);
  return nodes;
}

RowFold::RowFold(Reduction kind, DType type, std::uint64_t width)
    : kind_(kind), type_(type), value_type_(accumulator_type(kind, type)), width_(width) {}

void RowFold::push(const RowNodes& nodes) {
  const std::size_t row_bytes = width_ * size_of(value_type_);
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i) {
    push(nodes.nodes[i], nodes.values.data() + i * row_bytes,
         nodes.positions.empty() ? nullptr : nodes.positions.data() + i * width_);
  }
}

void RowFold::push(TreeNode node, const std::byte* values, const std::int64_t* positions) {
  const std::size_t row_bytes = width_ * size_of(value_type_);
  nodes_.nodes.push_back(node);
  if (values != nullptr) nodes_.values.insert(nodes_.values.end(), values, values + row_bytes);
  else nodes_.values.resize(nodes_.values.size() + row_bytes);
  if (wants_places(kind_) || positions != nullptr || !nodes_.positions.empty()) {
    nodes_.positions.resize(nodes_.nodes.size() * width_);  // places of empty nodes and exponents of values in range: 0
    if (positions != nullptr)
      std::copy_n(positions, width_, nodes_.positions.end() - static_cast<std::ptrdiff_t>(width_));
  }
  while (nodes_.nodes.size() >= 2) {
    const TreeNode &left = nodes_.nodes[nodes_.nodes.size() - 2], &right = nodes_.nodes.back();
    if (left.level != right.level || (left.index & 1) != 0 || left.index + 1 != right.index) break;
    merge_last();
  }
}

void RowFold::merge_last() {
  const std::size_t row_bytes = width_ * size_of(value_type_);
  TreeNode right = nodes_.nodes.back();
  nodes_.nodes.pop_back();
  TreeNode& left = nodes_.nodes.back();
  std::byte* right_values = nodes_.values.data() + nodes_.values.size() - row_bytes;
  std::byte* left_values = right_values - row_bytes;
  std::int64_t *right_places = nullptr, *left_places = nullptr;
  if (!nodes_.positions.empty()) {
    right_places = nodes_.positions.data() + nodes_.positions.size() - width_;
    left_places = right_places - width_;
  }
  if (!right.empty && left.empty) {
    std::memcpy(left_values, right_values, row_bytes);
    if (left_places != nullptr) std::copy_n(right_places, width_, left_places);
    left.empty = 0;
  } else if (!right.empty) {
    if (may_leave_range(kind_, value_type_)) {
      merge_scaled(left_values, right_values);
    } else if (left_places != nullptr) {
      find_place_kernels(kind_, type_).merge(left_values, left_places, right_values, right_places, width_);
    } else {
      find_row_kernels(kind_, type_).merge(left_values, right_values, width_);
    }
  }
  left.index >>= 1;
  ++left.level;
  nodes_.values.resize(nodes_.values.size() - row_bytes);
  if (!nodes_.positions.empty()) nodes_.positions.resize(nodes_.positions.size() - width_);
}

void RowFold::merge_scaled(std::byte* left, std::byte* right) {
  const RowKernels kernels = find_row_kernels(kind_, type_);
  const std::size_t size = size_of(value_type_);
  alignas(64) std::byte before[4 * KiB];  // what a plain attempt overwrites: stays in the first-level cache
  for (std::size_t at = 0; at < width_;) {
    const std::size_t n = std::min<std::size_t>(sizeof before / size, width_ - at);
    bool in_range = nodes_.positions.empty();
    if (in_range) {
      std::memcpy(before, left + at * size, n * size);
      const RangeWatch watch;
      kernels.merge(left + at * size, right + at * size, n);
      in_range = !watch.left();
      if (!in_range) {
        std::memcpy(left + at * size, before, n * size);
        nodes_.positions.resize((nodes_.nodes.size() + 1) * width_);
      }
    }
    if (!in_range) {
      std::int64_t* const exponents = nodes_.positions.data() + (nodes_.nodes.size() - 1) * width_ + at;
      find_scaled_kernels(kind_, type_).join(left + at * size, exponents, right + at * size, exponents + width_, n);
    }
    at += n;
  }
}

void RowFold::pad_to(std::uint64_t end) {
  while (!nodes_.nodes.empty()) {
    const TreeNode& last = nodes_.nodes.back();
    const std::uint64_t at = (last.index + 1) << last.level;
    if (at >= end) return;
    const unsigned level =
        std::min(static_cast<unsigned>(std::countr_zero(at)), static_cast<unsigned>(std::bit_width(end - at)) - 1);
    push(TreeNode{at >> level, 0, 0, level, 1}, nullptr, nullptr);
  }
}

void RowFold::finish_values(void* out, std::vector<std::int64_t>& exponents) const {
  // From right to left, as TreeFold does: merge the last two until one is left.
  RowFold rest = *this;
  while (rest.nodes_.nodes.size() > 1) rest.merge_last();
  if (rest.nodes_.nodes.empty() || rest.nodes_.nodes[0].empty) {
    exponents.clear();
    fill_empty(kind_, type_, out, width_);
    return;
  }
  if (width_ > 0) std::memcpy(out, rest.nodes_.values.data(), rest.nodes_.values.size());
  exponents = std::move(rest.nodes_.positions);
}

void RowFold::finish(void* out) const {
  std::vector<std::int64_t> positions;
  if (!wants_places(kind_)) {
    finish_values(out, positions);
    if (!positions.empty()) find_scaled_kernels(kind_, type_).round(out, out, positions.data(), width_);
    return;
  }
  std::vector<std::byte> extremes(width_ * size_of(value_type_));
  finish_values(extremes.data(), positions);
  std::copy_n(positions.data(), width_, static_cast<std::int64_t*>(out));
}

namespace {

/// Reduces units of rows of a plan, columns [from, to) of them, or whole rows through an InnerReducer.
class RowReducer {
 public:
  RowReducer(const Plan& plan, Work& work, const Domain& domain, std::span<const Leaf> leaves, Reduction kind,
             std::vector<AxisGroup> groups, std::uint64_t from, std::uint64_t to)
      : kind_(kind),
        type_(plan.program().type_of(plan.program().results[0])),
        runner_(plan, domain, leaves, domain.size()),
        inner_(kind, type_, groups),
        fused_(plan.program(), kind, domain, leaves, FusedSum::Along::rows),
        whole_(groups.empty() || std::none_of(groups.begin(), groups.end(), [](auto& g) { return g.reduced; })),
        row_elements_(1),
        from_(from),
        to_(to) {
    for (const AxisGroup& group : groups) row_elements_ *= group.extent;
    width_ = whole_ ? to - from : inner_.kept_elements();
    acc_size_ = size_of(accumulator_type(kind, type_));
    size_ = size_of(type_);
    together_ = 1;
    if (whole_ && !wants_places(kind) && from == 0 && to == row_elements_ && row_elements_ <= together_elements / 2) {
      together_ = together_elements / row_elements_;
    }
    takes_trees_ = whole_ && !wants_places(kind) && kind != Reduction::any && kind != Reduction::all && together_ == 1;
    if (takes_trees_ && !runner_.is_plain())
      scratch_ = Buffer<std::byte>(work.memory, RowKernels::tree_rows * runner_.tile_elements() * size_);
    values_.resize(width_ * together_ * acc_size_);
    if (wants_places(kind)) places_.resize(width_);
    if (!whole_) {
      one_.resize(inner_.kept_elements() * acc_size_);
      if (!runner_.is_plain()) scratch_ = Buffer<std::byte>(work.memory, row_elements_ * size_);
    }
  }

  /// Local rows [begin, end) to one vector of accumulators. `first_row`: global number of local row 0.
  void reduce(std::uint64_t begin, std::uint64_t end, std::uint64_t first_row) {
    if (wants_places(kind_) && whole_) return reduce_places(begin, end, first_row);
    places_.clear();
    const RangeWatch watch;
    reduce_plain(begin, end);
    if (may_leave_range(kind_, type_) && watch.left()) [[unlikely]]
      reduce_scaled(begin, end);
  }
  /// Local rows [begin, begin + RowKernels::tree_rows), each a unit, to the node above them all. False where that is no
  /// faster, or left the range of the type: then each row must be reduced by itself.
  bool reduce_tree(std::uint64_t begin) {
    if (!takes_trees_) return false;
    places_.clear();
    const RowKernels kernels = find_row_kernels(kind_, type_);
    const RangeWatch watch;
    if (fused_.is_usable()) {
      static_assert(FusedSum::tree_rows == RowKernels::tree_rows);
      fused_.tree(values_.data(), begin, row_elements_, from_, to_ - from_);
      return !watch.left();
    }
    const std::uint64_t step = runner_.is_plain() ? to_ - from_ : runner_.tile_elements();
    for (std::uint64_t at = from_; at < to_; at += step) {
      const std::size_t n = std::min(step, to_ - at);
      const void* rows[RowKernels::tree_rows];
      for (std::size_t k = 0; k < RowKernels::tree_rows; ++k)
        rows[k] = runner_.run_all((begin + k) * row_elements_ + at, n, scratch_.data() + k * step * size_);
      kernels.tree(values_.data() + (at - from_) * acc_size_, rows, n);
    }
    return !may_leave_range(kind_, type_) || !watch.left();
  }
  const std::byte* values() const { return values_.data(); }
  /// Of extremes; or the exponents of the values, when they are not all 0.
  const std::int64_t* places() const { return places_.empty() ? nullptr : places_.data(); }
  const Outcome& outcome() const { return runner_.outcome; }

 private:
  void reduce_plain(std::uint64_t begin, std::uint64_t end) {
    if (!whole_) return reduce_through(begin, end);
    const RowKernels kernels = find_row_kernels(kind_, type_);
    if (together_ > 1) return reduce_together(kernels, begin, end);
    for (std::uint64_t row = begin; row < end; ++row) {
      for (std::uint64_t at = from_; at < to_;) {
        const std::size_t n = std::min<std::uint64_t>(runner_.tile_elements(), to_ - at);
        const void* x = runner_.read(row * row_elements_ + at, n);
        std::byte* acc = values_.data() + (at - from_) * acc_size_;
        (row == begin ? kernels.first : kernels.add)(acc, x, n);
        at += n;
      }
    }
  }

  /// In the order of reduce_plain.
  void reduce_scaled(std::uint64_t begin, std::uint64_t end) {
    const ScaledKernels& kernels = find_scaled_kernels(kind_, type_);
    places_.assign(width_ * together_, 0);
    auto join = [&](std::uint64_t at, const void* x, const std::int64_t* exponents, std::size_t n, bool first) {
      if (!first) return kernels.join(values_.data() + at * size_, places_.data() + at, x, exponents, n);
      std::memcpy(values_.data() + at * size_, x, n * size_);
      if (exponents != nullptr) std::copy_n(exponents, n, places_.data() + at);
    };
    auto add_row = [&](std::uint64_t row, std::uint64_t lane, bool first) {
      if (!whole_) {
        std::vector<std::int64_t> exponents(width_);
        inner_.reduce_scaled(one_.data(), exponents.data(),
                             runner_.run_all(row * row_elements_, row_elements_, scratch_.data()), 1);
        return join(0, one_.data(), exponents.data(), width_, first);
      }
      for (std::uint64_t at = from_; at < to_;) {
        const std::size_t n = std::min<std::uint64_t>(runner_.tile_elements(), to_ - at);
        join(lane * width_ + at - from_, runner_.read(row * row_elements_ + at, n), nullptr, n, first);
        at += n;
      }
    };
    const std::uint64_t rest = begin + (end - begin) / together_ * together_;
    for (std::uint64_t row = begin; row < rest; ++row) add_row(row, (row - begin) % together_, row - begin < together_);
    if (rest > begin) {
      for (std::uint64_t k = 1; k < together_; ++k) {
        join(0, values_.data() + k * width_ * size_, places_.data() + k * width_, width_, false);
      }
    }
    for (std::uint64_t row = rest; row < end; ++row) add_row(row, 0, row == begin);
  }

  void reduce_places(std::uint64_t begin, std::uint64_t end, std::uint64_t first_row) {
    const PlaceKernels kernels = find_place_kernels(kind_, type_);
    for (std::uint64_t row = begin; row < end; ++row) {
      for (std::uint64_t at = from_; at < to_;) {
        const std::size_t n = std::min<std::uint64_t>(runner_.tile_elements(), to_ - at);
        const void* x = runner_.read(row * row_elements_ + at, n);
        std::byte* acc = values_.data() + (at - from_) * acc_size_;
        std::int64_t* places = places_.data() + (at - from_);
        const std::int64_t number = static_cast<std::int64_t>(first_row + row);
        if (row == begin) {
          std::memcpy(acc, x, n * size_);
          std::fill_n(places, n, number);
        } else {
          kernels.add(acc, places, x, number, n);
        }
        at += n;
      }
    }
  }

  void reduce_together(const RowKernels& kernels, std::uint64_t begin, std::uint64_t end) {
    const std::size_t n = together_ * row_elements_;
    const std::uint64_t groups = (end - begin) / together_;
    // As many groups as a tile of 1024 elements holds; where tiles end does not matter to the order.
    const std::uint64_t groups_per_tile = UnitGrid::max_unit / n;
    for (std::uint64_t group = 0; group < groups;) {
      const std::uint64_t now = std::min(groups_per_tile, groups - group);
      const std::byte* x =
          static_cast<const std::byte*>(runner_.read((begin + group * together_) * row_elements_, now * n));
      for (std::uint64_t k = 0; k < now; ++k) {
        (group + k == 0 ? kernels.first : kernels.add)(values_.data(), x + k * n * size_, n);
      }
      group += now;
    }
    if (groups > 0) {
      for (std::uint64_t k = 1; k < together_; ++k) {
        kernels.merge(values_.data(), values_.data() + k * row_elements_ * acc_size_, row_elements_);
      }
    }
    const std::uint64_t rest = begin + groups * together_;
    if (rest == end) return;
    const std::byte* x =
        static_cast<const std::byte*>(runner_.read(rest * row_elements_, (end - rest) * row_elements_));
    for (std::uint64_t row = rest; row < end; ++row, x += row_elements_ * size_) {
      (row == begin ? kernels.first : kernels.add)(values_.data(), x, row_elements_);
    }
  }

  void reduce_through(std::uint64_t begin, std::uint64_t end) {
    const RowKernels kernels = find_row_kernels(continued(kind_), accumulator_type(kind_, type_));
    for (std::uint64_t row = begin; row < end; ++row) {
      const void* x = runner_.run_all(row * row_elements_, row_elements_, scratch_.data());
      inner_.reduce(row == begin ? values_.data() : one_.data(), nullptr, x, 1);
      if (row != begin) kernels.merge(values_.data(), one_.data(), width_);
    }
  }

  Reduction kind_;
  DType type_;
  TileRunner runner_;
  InnerReducer inner_;
  FusedSum fused_;
  bool whole_, takes_trees_ = false;
  std::uint64_t row_elements_, from_, to_, width_ = 0, together_ = 1;
  std::size_t size_ = 1, acc_size_ = 1;
  std::vector<std::byte> values_, one_;
  std::vector<std::int64_t> places_;
  Buffer<std::byte> scratch_;
};

}  // namespace

Outcome reduce_rows(const Plan& plan, Work& work, const Domain& domain, std::span<const Leaf> leaves, AxisSet axes,
                    std::uint64_t total_rows, const UnitGrid& grid, RowFold& fold) {
  ATOLL_EXPECT((axes & 1) != 0 && domain.dims >= 1);
  const std::uint64_t rows = static_cast<std::uint64_t>(domain.shape[0]);
  if (rows == 0 || fold.width() == 0) return {};
  std::uint64_t row_elements = 1;
  bool inner_empty = false;
  for (int d = 1; d < domain.dims; ++d) {
    row_elements *= static_cast<std::uint64_t>(domain.shape[d]);
    inner_empty |= domain.shape[d] == 0;
  }
  if (inner_empty) return {};  // every row is a reduction of nothing, and so is their whole
  const std::uint64_t first_row = domain.first / row_elements;
  ATOLL_EXPECT(grid.is_border(first_row) && (grid.is_border(first_row + rows) || first_row + rows == total_rows));
  const Reduction kind = fold.kind();
  const DType type = plan.program().type_of(plan.program().results[0]);
  const std::vector<AxisGroup> groups = group_axes(domain, 1, axes);
  const bool whole = fold.width() == row_elements;
  const std::uint64_t unit_begin = grid.units_before(first_row), unit_end = grid.units_before(first_row + rows);
  const std::uint64_t units = unit_end - unit_begin;
  const unsigned threads = work.threads.size();
  const bool by_columns = whole && units < 2 * threads && row_elements >= column_range * threads;

  std::vector<RowFold> folds;
  for (unsigned t = 0; t < threads; ++t) folds.emplace_back(kind, type, by_columns ? 0 : fold.width());
  Outcome outcome;
  std::mutex outcome_mutex;
  Polling polling(work);
  auto run = [&](RowFold& into, unsigned thread, std::uint64_t unit_from, std::uint64_t unit_to, std::uint64_t from,
                 std::uint64_t to) {
    RowReducer reducer(plan, work, domain, leaves, kind, groups, from, to);
    Pace pace(polling, thread);
    const bool rows_are_units = grid.granule() == 1;
    std::uint64_t alone = unit_from;  // units before it are reduced one by one
    for (std::uint64_t u = unit_from; u < unit_to; ++u) {
      const UnitGrid::Unit unit = grid.at(unit_begin + u, total_rows);
      if (rows_are_units && u >= alone && unit.begin % RowKernels::tree_rows == 0 &&
          unit_to - u >= RowKernels::tree_rows) {
        pace.done(RowKernels::tree_rows * (to - from));
        if (reducer.reduce_tree(unit.begin - first_row)) {
          TreeNode node;
          node.level = RowKernels::tree_level;
          node.index = unit.tree_index >> node.level;
          into.push(node, reducer.values(), nullptr);
          u += RowKernels::tree_rows - 1;
          continue;
        }
        alone = u + RowKernels::tree_rows;
      }
      pace.done((unit.end - unit.begin) * (to - from));
      reducer.reduce(unit.begin - first_row, unit.end - first_row, first_row);
      TreeNode node;
      node.index = unit.tree_index;
      into.push(node, reducer.values(), reducer.places());
      if (unit.end % grid.granule() == 0) into.pad_to(grid.tree_end(unit));
    }
    std::lock_guard lock(outcome_mutex);
    outcome |= reducer.outcome();
  };
  if (!by_columns) {
    const std::uint64_t unit_elements = grid.unit() * row_elements;
    polling.for_ranges(units, std::max<std::uint64_t>(1, 16384 / unit_elements),
                       [&](std::size_t begin, std::size_t end, unsigned thread) {
                         run(folds[thread], thread, begin, end, 0, row_elements);
                       });
    for (const RowFold& part : folds) fold.push(part.nodes());
    return outcome;
  }
  // Ranges of columns: all threads get the same nodes, each a part of their values.
  struct Range {
    std::uint64_t from = 0, to = 0;
  };
  std::vector<Range> ranges(threads);
  polling.for_ranges(row_elements, 64, [&](std::size_t begin, std::size_t end, unsigned thread) {
    ranges[thread] = Range{begin, end};
    folds[thread] = RowFold(kind, type, end - begin);
    run(folds[thread], thread, 0, units, begin, end);
  });
  RowNodes all;
  const std::size_t acc_size = size_of(accumulator_type(kind, type));
  for (unsigned t = 0; t < threads; ++t) {
    if (ranges[t].from == ranges[t].to) continue;
    const RowNodes& part = folds[t].nodes();
    if (all.nodes.empty()) {
      all.nodes = part.nodes;
      all.values.resize(part.nodes.size() * row_elements * acc_size);
    }
    if (!part.positions.empty()) all.positions.resize(part.nodes.size() * row_elements);
    const std::uint64_t width = ranges[t].to - ranges[t].from;
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
      std::memcpy(all.values.data() + (i * row_elements + ranges[t].from) * acc_size,
                  part.values.data() + i * width * acc_size, width * acc_size);
      if (!part.positions.empty()) {
        std::copy_n(part.positions.data() + i * width, width, all.positions.data() + i * row_elements + ranges[t].from);
      }
    }
  }
  fold.push(all);
  return outcome;
}

}  // namespace atl::array
