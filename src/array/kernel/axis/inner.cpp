// SPDX-License-Identifier: Apache-2.0
// Reductions over inner axes: innermost group first, each as lines (contiguous) or as rows added up.
#include "kernel/axis/inner.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/program/tile.hpp"
#include "kernel/reduce/fused.hpp"
#include "kernel/reduce/range_watch.hpp"

namespace atl::array {
namespace {

bool wants_places(Reduction kind) { return kind == Reduction::argmin || kind == Reduction::argmax; }

constexpr std::size_t block_bytes = 128 * KiB;  // of scratch: stays in the second-level cache
constexpr std::size_t range_elements = 16384;  // below twice this many, waking another thread costs more than it saves

}  // namespace

DType accumulator_type(Reduction kind, DType type) { return wants_places(kind) ? type : result_type(kind, type); }

Reduction continued(Reduction kind) { return kind == Reduction::count_nonzero ? Reduction::sum : kind; }

void fill_empty(Reduction kind, DType type, void* out, std::size_t count) {
  ATOLL_VALIDATE(count == 0 || (kind != Reduction::min && kind != Reduction::max && !wants_places(kind)), ValueError,
                 "zero-size array to reduction operation {} which has no identity", name_of(kind));
  const std::uint64_t bits = TreeFold(kind, type).finish().bits;
  const std::size_t size = size_of(accumulator_type(kind, type));
  for (std::size_t i = 0; i < count; ++i) std::memcpy(static_cast<std::byte*>(out) + i * size, &bits, size);
}

LineReducer::LineReducer(Reduction kind, DType type)
    : places_(wants_places(kind)),
      product_(kind == Reduction::prod),
      size_(size_of(type)),
      out_size_(size_of(accumulator_type(kind, type))),
      unit_(kind, type),
      locate_(find_locate_kernel(type)),
      precedes_(find_precedes(kind, type)),
      fold_(kind, type) {}

void LineReducer::push(const void* piece, std::size_t count) {
  TreeNode node;
  node.index = units_++;
  unit_.one(piece, count, node);
  const std::uint64_t first = position_;
  position_ += count;
  if (!places_) return fold_.push(node);
  // A place is looked for only where it may be the line's.
  if (!best_.empty && !precedes_(node.bits, first, best_.bits, best_.position)) return;
  best_ = node;
  best_.position = first + locate_(piece, count, node.bits);
}

void LineReducer::push_sum(std::uint64_t bits, std::size_t count) {
  TreeNode node;
  node.index = units_++;
  node.bits = bits;
  position_ += count;
  fold_.push(node);
}

void LineReducer::end(void* out, std::int64_t* place) const {
  if (places_) {
    std::memcpy(out, &best_.bits, out_size_);
    *place = static_cast<std::int64_t>(best_.position);
    return;
  }
  const ReductionValue value = fold_.finish();
  std::memcpy(out, &value.bits, out_size_);
}

void LineReducer::reduce_unit(void* out, const void* line, std::size_t length) const {
  TreeNode node;
  unit_.one(line, length, node);
  std::memcpy(out, &node.bits, out_size_);
  const auto exponent = static_cast<std::int64_t>(node.position);
  if (exponent != 0) find_scaled_kernels(fold_.kind(), fold_.type()).round(out, out, &exponent, 1);
}

void LineReducer::reduce_units(void* out, std::int64_t* places, const void* lines, std::size_t length,
                               std::size_t count) const {
  constexpr std::size_t together = 64;
  std::uint64_t bits[together];
  std::byte* to = static_cast<std::byte*>(out);
  const std::byte* from = static_cast<const std::byte*>(lines);
  const std::size_t line_bytes = length * size_;
  for (std::size_t done = 0; done < count; done += together, from += together * line_bytes) {
    const std::size_t n = std::min(together, count - done);
    const RangeWatch watch;
    unit_.plain().each(from, length, n, bits);
    const bool left = unit_.may_leave_range() && watch.left();
    for (std::size_t i = 0; i < n; ++i, to += out_size_) {
      // Only a product that left the range may be a finite number.
      if (left && (product_ || unit_.is_infinite_or_nan(bits[i]))) [[unlikely]] {
        reduce_unit(to, from + i * line_bytes, length);
        continue;
      }
      std::memcpy(to, &bits[i], out_size_);
      if (places_) places[done + i] = static_cast<std::int64_t>(locate_(from + i * line_bytes, length, bits[i]));
    }
  }
}

void LineReducer::reduce(void* out, std::int64_t* place, const void* line, std::size_t length) {
  if (length <= UnitGrid::max_unit) return reduce_units(out, place, line, length, 1);
  begin();
  for (std::size_t at = 0; at < length; at += UnitGrid::max_unit) {
    push(static_cast<const std::byte*>(line) + at * size_, std::min<std::size_t>(UnitGrid::max_unit, length - at));
  }
  end(out, place);
}

std::vector<AxisGroup> group_axes(const Domain& domain, int first_axis, AxisSet axes) {
  std::vector<AxisGroup> groups;
  for (int d = first_axis; d < domain.dims; ++d) {
    const std::uint64_t extent = static_cast<std::uint64_t>(domain.shape[d]);
    if (extent == 1) continue;
    const bool reduced = (axes >> d & 1) != 0;
    if (!groups.empty() && groups.back().reduced == reduced) groups.back().extent *= extent;
    else groups.push_back(AxisGroup{reduced, extent});
  }
  return groups;
}

InnerReducer::InnerReducer(Reduction kind, DType type, std::vector<AxisGroup> groups)
    : kind_(kind), type_(type), groups_(std::move(groups)) {
  // An axis of extent 1 may be all that is reduced: then a group of one, so that there is a reduction to do.
  if (std::none_of(groups_.begin(), groups_.end(), [](const AxisGroup& g) { return g.reduced; })) {
    groups_.push_back(AxisGroup{true, 1});
  }
  for (const AxisGroup& group : groups_) {
    row_elements_ *= group.extent;
    if (!group.reduced) kept_elements_ *= group.extent;
  }
}

void InnerReducer::reduce_one_group(void* out, std::int64_t* places, const void* in, Reduction kind, DType type,
                                    std::size_t outer, std::size_t length, std::size_t inner) {
  const std::size_t in_size = size_of(type), out_size = size_of(accumulator_type(kind, type));
  const std::byte* x = static_cast<const std::byte*>(in);
  std::byte* y = static_cast<std::byte*>(out);
  if (inner == 1) {
    if (LineReducer::is_short(length)) {
      find_short_lines(kind, type)(out, places, in, outer, length);
      return;
    }
    LineReducer line(kind, type);
    if (length <= UnitGrid::max_unit) return line.reduce_units(out, places, in, length, outer);
    for (std::size_t o = 0; o < outer; ++o) {
      line.reduce(y + o * out_size, places == nullptr ? nullptr : places + o, x + o * length * in_size, length);
    }
    return;
  }
  if (wants_places(kind)) {
    const PlaceKernels kernels = find_place_kernels(kind, type);
    for (std::size_t o = 0; o < outer; ++o, y += inner * out_size, places += inner) {
      std::memcpy(y, x, inner * in_size);
      std::fill_n(places, inner, 0);
      x += inner * in_size;
      for (std::size_t k = 1; k < length; ++k, x += inner * in_size) {
        kernels.add(y, places, x, static_cast<std::int64_t>(k), inner);
      }
    }
    return;
  }
  const RowKernels kernels = find_row_kernels(kind, type);
  for (std::size_t o = 0; o < outer; ++o, y += inner * out_size) {
    kernels.first(y, x, inner);
    x += inner * in_size;
    for (std::size_t k = 1; k < length; ++k, x += inner * in_size) kernels.add(y, x, inner);
  }
}

InnerReducer::Level InnerReducer::next_level(const std::vector<AxisGroup>& groups, std::size_t rows) {
  Level level{groups.size() - 1, rows, 0, 1, true};
  while (!groups[level.group].reduced) --level.group;
  level.length = groups[level.group].extent;
  for (std::size_t g = 0; g < level.group; ++g) {
    level.outer *= groups[g].extent;
    level.last &= !groups[g].reduced;
  }
  for (std::size_t g = level.group + 1; g < groups.size(); ++g) level.inner *= groups[g].extent;
  return level;
}

void InnerReducer::reduce(void* out, std::int64_t* places, const void* in, std::size_t rows) {
  std::vector<AxisGroup> groups = groups_;
  Reduction kind = kind_;
  DType type = type_;
  const void* from = in;
  int turn = 0;
  for (;;) {
    const auto [group, outer, length, inner, last] = next_level(groups, rows);
    const DType acc = accumulator_type(kind, type);
    void* to = out;
    if (!last) {
      between_[turn].resize(outer * inner * size_of(acc));
      to = between_[turn].data();
    }
    reduce_one_group(to, places, from, kind, type, outer, length, inner);
    if (last) return;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
    from = to;
    type = acc;
    kind = continued(kind);
    turn ^= 1;
  }
}

void InnerReducer::reduce_scaled(void* out, std::int64_t* exponents, const void* in, std::size_t rows) const {
  const ScaledKernels& kernels = find_scaled_kernels(kind_, type_);
  const std::size_t size = size_of(type_);
  std::vector<AxisGroup> groups = groups_;
  std::vector<std::byte> from, to;
  std::vector<std::int64_t> from_exponents, to_exponents;
  const std::byte* x = static_cast<const std::byte*>(in);
  for (;;) {
    const auto [group, outer, length, inner, last] = next_level(groups, rows);
    to.resize(outer * inner * size);
    to_exponents.assign(outer * inner, 0);
    auto exponents_at = [&](std::size_t i) { return from_exponents.empty() ? nullptr : from_exponents.data() + i; };
    for (std::size_t o = 0; o < outer; ++o) {
      const std::size_t begin = o * length * inner, result = o * inner;
      if (inner == 1 && !LineReducer::is_short(length)) {
        TreeFold fold(kind_, type_);
        for (std::size_t k = 0; k < length; k += UnitGrid::max_unit) {
          TreeNode node;
          node.index = k / UnitGrid::max_unit;
          kernels.unit(x + (begin + k) * size, exponents_at(begin + k),
                       std::min<std::size_t>(UnitGrid::max_unit, length - k), node);
          fold.push(node);
        }
        const TreeNode total = fold.total();
        std::memcpy(to.data() + result * size, &total.bits, size);
        to_exponents[result] = static_cast<std::int64_t>(total.position);
        continue;
      }
      std::memcpy(to.data() + result * size, x + begin * size, inner * size);
      if (!from_exponents.empty()) std::copy_n(exponents_at(begin), inner, to_exponents.data() + result);
      for (std::size_t k = 1; k < length; ++k) {
        kernels.join(to.data() + result * size, to_exponents.data() + result, x + (begin + k * inner) * size,
                     exponents_at(begin + k * inner), inner);
      }
    }
    from.swap(to);
    from_exponents.swap(to_exponents);
    x = from.data();
    if (last) break;
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(group));
  }
  if (exponents == nullptr) {
    kernels.round(out, x, from_exponents.data(), from_exponents.size());
  } else {
    std::memcpy(out, x, from.size());
    std::copy(from_exponents.begin(), from_exponents.end(), exponents);
  }
}

Outcome reduce_inner(const Plan& plan, Work& work, const Domain& domain, std::span<const Leaf> leaves, Reduction kind,
                     AxisSet axes, void* out) {
  ATOLL_EXPECT((axes & 1) == 0);
  const DType type = plan.program().type_of(plan.program().results[0]);
  const DType acc = accumulator_type(kind, type);
  const bool places = wants_places(kind), scaled = may_leave_range(kind, type);
  const std::size_t size = size_of(type), acc_size = size_of(acc);
  std::vector<AxisGroup> groups = group_axes(domain, 0, axes);
  std::uint64_t kept = 1, reduced = 1;
  for (const AxisGroup& group : groups) (group.reduced ? reduced : kept) *= group.extent;
  if (kept == 0) return {};
  if (reduced == 0) {
    fill_empty(kind, type, out, kept);
    return {};
  }
  // The kept axes in front count the rows: all rows are alike, and threads share them out.
  std::uint64_t rows = 1;
  if (!groups.empty() && !groups.front().reduced) {
    rows = groups.front().extent;
    groups.erase(groups.begin());
  }
  const bool lines = groups.size() == 1 && !LineReducer::is_short(groups[0].extent);
  const std::uint64_t row_elements = domain.size() / rows;
  Outcome outcome;
  std::mutex outcome_mutex;
  const std::size_t align = std::max<std::uint64_t>(1, range_elements / row_elements);
  Polling polling(work);
  polling.for_ranges(rows, align, [&](std::size_t begin, std::size_t end, unsigned thread) {
    TileRunner runner(plan, domain, leaves, domain.size());
    InnerReducer reducer(kind, type, groups);
    const std::uint64_t row_kept = reducer.kept_elements();
    const bool units = lines && row_elements <= UnitGrid::max_unit;
    const std::uint64_t together = runner.is_plain() ? 64 : UnitGrid::max_unit / row_elements;  // lines that are units
    const std::size_t block_rows = units ? std::min<std::uint64_t>(together, end - begin)
                                   : lines
                                       ? 1
                                       : std::clamp<std::uint64_t>(block_bytes / (row_elements * size), 1, end - begin);
    std::vector<std::byte> extremes(places ? block_rows * row_kept * acc_size : 0);
    Buffer<std::byte> scratch;
    if (!lines && !runner.is_plain()) scratch = Buffer<std::byte>(work.memory, block_rows * row_elements * size);
    LineReducer line(kind, type);
    const FusedSum fused(plan.program(), lines ? kind : Reduction::any, domain, leaves, FusedSum::Along::lines);
    const UnitReduction unit(kind, type);
    Pace pace(polling, thread);
    for (std::size_t row = begin; row < end; row += block_rows) {
      const std::size_t n = std::min(block_rows, end - row);
      if (!lines) pace.done(n * row_elements);
      // Results: accumulators, or only the places.
      std::byte* values = places ? extremes.data() : static_cast<std::byte*>(out) + row * row_kept * acc_size;
      std::int64_t* where = places ? static_cast<std::int64_t*>(out) + row * row_kept : nullptr;
      if (units && fused.is_usable()) {
        for (std::size_t k = 0; k < n; ++k) {
          const std::uint64_t bits = fused.unit((row + k) * row_elements, row_elements, row + k);
          std::byte* const value = values + k * acc_size;
          std::memcpy(value, &bits, acc_size);
          if (unit.is_infinite_or_nan(bits)) [[unlikely]]
            line.reduce_units(value, nullptr, runner.read((row + k) * row_elements, row_elements), row_elements, 1);
        }
        pace.done(n * row_elements);
      } else if (units) {
        line.reduce_units(values, where, runner.read(row * row_elements, n * row_elements), row_elements, n);
        pace.done(n * row_elements);
      } else if (lines) {
        line.begin();
        for (std::uint64_t at = 0; at < row_elements; at += UnitGrid::max_unit) {
          const std::size_t count = std::min<std::uint64_t>(UnitGrid::max_unit, row_elements - at);
          const std::uint64_t bits = fused.is_usable() ? fused.unit(row * row_elements + at, count, row) : 0;
          if (fused.is_usable() && !unit.is_infinite_or_nan(bits)) line.push_sum(bits, count);
          else line.push(runner.read(row * row_elements + at, count), count);
          pace.done(count);
        }
        line.end(values, where);
      } else {
        const void* x = runner.run_all(row * row_elements, n * row_elements, scratch.data());
        const RangeWatch watch;
        reducer.reduce(values, where, x, n);
        if (scaled && watch.left()) [[unlikely]]
          reducer.reduce_scaled(values, nullptr, x, n);
      }
      if (thread == 0 && row % 4096 == 0) work.monitor.checkpoint(row - begin, end - begin);
    }
    std::lock_guard lock(outcome_mutex);
    outcome |= runner.outcome;
  });
  return outcome;
}

}  // namespace atl::array
