// SPDX-License-Identifier: Apache-2.0
// Strided n-dimensional copies: axes are put in the target's order and joined where both sides allow; the rest is rows
// that are contiguous on both sides, tiles for transposes, rows that are interleaved, or element by element.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/stream.hpp"

namespace atl::array {
namespace {

struct Axis {
  std::int64_t count;
  std::int64_t to;    // stride, bytes
  std::int64_t from;  // stride, bytes
};

// Elements that one piece of work should have at least.
constexpr std::int64_t grain = 16384;

struct Job {
  std::vector<Axis> outer;  // all but the axes that the inner loop takes
  unsigned char* to;
  const unsigned char* from;

  std::int64_t outer_count() const {
    std::int64_t count = 1;
    for (const Axis& axis : outer) count *= axis.count;
    return count;
  }
  // Byte offsets of the outer position `index`.
  std::array<std::int64_t, 2> offsets(std::int64_t index) const {
    std::array<std::int64_t, 2> at{0, 0};
    for (std::size_t i = outer.size(); i-- > 0;) {
      std::int64_t position = index % outer[i].count;
      index /= outer[i].count;
      at[0] += position * outer[i].to;
      at[1] += position * outer[i].from;
    }
    return at;
  }
};

// Splits (outer positions) x (chunks of an axis of `count`) among the threads: body(to, from, begin, end) on that axis.
// `cost` is the elements behind one step of the axis.
template <class Body>
void for_chunks(const Work& work, const Job& job, std::int64_t count, std::int64_t cost, std::int64_t align,
                Body body) {
  std::int64_t outer = job.outer_count();
  std::int64_t chunk = std::max<std::int64_t>(1, grain / std::max<std::int64_t>(1, cost));
  chunk = (chunk + align - 1) / align * align;
  std::int64_t chunks = (count + chunk - 1) / chunk;
  std::int64_t unit = std::max<std::int64_t>(1, std::min(count, chunk) * cost);
  auto units_per_range = static_cast<std::size_t>(std::max<std::int64_t>(1, grain / unit));
  Polling(work).for_pieces(static_cast<std::size_t>(outer * chunks), units_per_range,
                           [&](std::size_t begin, std::size_t end, unsigned) {
                             for (auto unit_index = static_cast<std::int64_t>(begin);
                                  unit_index < static_cast<std::int64_t>(end); ++unit_index) {
                               auto [to, from] = job.offsets(unit_index / chunks);
                               std::int64_t first = unit_index % chunks * chunk;
                               body(job.to + to, job.from + from, first, std::min(count, first + chunk));
                             }
                             fence_streams();
                           });
}

void copy_rows(const Work& work, const Job& job, std::size_t element_size, std::int64_t count, bool stream) {
  for_chunks(work, job, count, 1, 64,
             [&](unsigned char* to, const unsigned char* from, std::int64_t begin, std::int64_t end) {
               std::size_t offset = static_cast<std::size_t>(begin) * element_size;
               std::size_t bytes = static_cast<std::size_t>(end - begin) * element_size;
               if (stream && bytes >= 1024) stream_bytes(to + offset, from + offset, bytes);
               else std::memcpy(to + offset, from + offset, bytes);
             });
}

/// `count` elements, `step` apart in the source. A constant step, so that the compiler makes vectors of them.
template <class T, std::int64_t step>
void copy_steps(unsigned char* to, const unsigned char* from, std::int64_t count) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * size, from + i * step * size, sizeof(T));
}

/// copy_steps past the cache, by way of a piece of the first one.
template <class T, std::int64_t step>
void stream_steps(unsigned char* to, const unsigned char* from, std::int64_t count) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T)), most = 4096 / size;
  alignas(64) unsigned char piece[4096];
  for (std::int64_t i = 0; i < count; i += most) {
    const std::int64_t n = std::min(most, count - i);
    copy_steps<T, step>(piece, from + i * step * size, n);
    stream_bytes(to + i * size, piece, static_cast<std::size_t>(n * size));
  }
}

template <class T>
void copy_elements(const Work& work, const Job& job, Axis inner, bool stream) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  // Reversed lines, and every other element.
  auto steps = inner.from == -size      ? (stream ? &stream_steps<T, -1> : &copy_steps<T, -1>)
               : inner.from == 2 * size ? (stream ? &stream_steps<T, 2> : &copy_steps<T, 2>)
                                        : nullptr;
  if (inner.to == size && steps != nullptr) {
    for_chunks(work, job, inner.count, 1, 64,
               [&](unsigned char* to, const unsigned char* from, std::int64_t begin, std::int64_t end) {
                 steps(to + begin * size, from + begin * inner.from, end - begin);
               });
    return;
  }
  for_chunks(work, job, inner.count, 1, 1,
             [&](unsigned char* to, const unsigned char* from, std::int64_t begin, std::int64_t end) {
               to += begin * inner.to;
               from += begin * inner.from;
               std::int64_t count = end - begin;
               if (inner.to == static_cast<std::int64_t>(sizeof(T)) && inner.from == 0) {
                 T value;
                 std::memcpy(&value, from, sizeof(T));
                 for (std::int64_t i = 0; i < count; ++i)
                   std::memcpy(to + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
                 return;
               }
               for (std::int64_t i = 0; i < count; ++i) {
                 T value;
                 std::memcpy(&value, from + i * inner.from, sizeof(T));
                 std::memcpy(to + i * inner.to, &value, sizeof(T));
               }
             });
}

// The target is contiguous along `column`, the source along `row`. Tiles of a line by a line; a strip of tiles follows
// the source's rows, so that its lines come in streams, and the target's lines are written whole.
template <class T>
void transpose(const Work& work, const Job& job, Axis row, Axis column, bool stream) {
  constexpr auto side = static_cast<std::int64_t>(line_bytes / sizeof(T));
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  // One unit: some rows of the target, all its columns in strips of `side`.
  for_chunks(work, job, row.count, column.count, side * 8,
             [&](unsigned char* to, const unsigned char* from, std::int64_t begin, std::int64_t end) {
               alignas(64) T tile[side * side];
               // Start strips where the target's lines start, so that they can be written whole.
               std::int64_t lead = static_cast<std::int64_t>(to_line(to)) / size % side;
               if (row.to % static_cast<std::int64_t>(line_bytes) != 0 || to_line(to) % sizeof(T) != 0) lead = 0;
               for (std::int64_t strip = 0; strip < column.count;) {
                 std::int64_t width = strip == 0 && lead > 0 ? lead : side;
                 width = std::min(width, column.count - strip);
                 for (std::int64_t r = begin; r < end; r += side) {
                   std::int64_t height = std::min(side, end - r);
                   const unsigned char* source = from + r * row.from + strip * column.from;
                   if (width == side && height == side) {
                     for (std::int64_t c = 0; c < side; ++c)
                       for (std::int64_t k = 0; k < side; ++k)
                         std::memcpy(&tile[k * side + c], source + c * column.from + k * size, sizeof(T));
                   } else {
                     for (std::int64_t c = 0; c < width; ++c)
                       for (std::int64_t k = 0; k < height; ++k)
                         std::memcpy(&tile[k * side + c], source + c * column.from + k * size, sizeof(T));
                   }
                   for (std::int64_t k = 0; k < height; ++k) {
                     unsigned char* target = to + (r + k) * row.to + strip * size;
                     if (stream && width == side && line_aligned(target)) stream_line(target, tile + k * side);
                     else std::memcpy(target, tile + k * side, static_cast<std::size_t>(width * size));
                   }
                 }
                 strip += width;
               }
             });
}

// `rows` contiguous rows, `row_step` bytes apart in the source, are interleaved: the transpose of few long rows, or one
// row whose elements are repeated (step 0). A constant number of rows, so that the compiler makes vectors of them.
template <class T, std::int64_t rows>
void interleave_rows(unsigned char* __restrict to, const unsigned char* from, std::int64_t row_step,
                     std::int64_t count) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t row = 0; row < rows; ++row)
      std::memcpy(to + (i * rows + row) * size, from + row * row_step + i * size, sizeof(T));
}

/// interleave_rows past the cache, by way of a piece of the first one.
template <class T, std::int64_t rows>
void stream_interleaved(unsigned char* to, const unsigned char* from, std::int64_t row_step, std::int64_t count) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T)), most = 4096 / (size * rows);
  alignas(64) unsigned char piece[4096];
  for (std::int64_t i = 0; i < count; i += most) {
    const std::int64_t n = std::min(most, count - i);
    interleave_rows<T, rows>(piece, from + i * size, row_step, n);
    stream_bytes(to + i * rows * size, piece, static_cast<std::size_t>(n * rows * size));
  }
}

constexpr std::int64_t most_interleaved = 7;

template <class T, std::int64_t rows = 2>
void interleave(const Work& work, const Job& job, Axis row, Axis column, bool stream) {
  if constexpr (rows < most_interleaved) {
    if (column.count > rows) {
      interleave<T, rows + 1>(work, job, row, column, stream);
      return;
    }
  }
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for_chunks(work, job, row.count, rows, 64,
             [&](unsigned char* to, const unsigned char* from, std::int64_t begin, std::int64_t end) {
               const auto run = stream ? &stream_interleaved<T, rows> : &interleave_rows<T, rows>;
               run(to + begin * rows * size, from + begin * size, column.from, end - begin);
             });
}

}  // namespace

void copy_strided(const Work& work, std::size_t element_size, std::size_t ndim, const std::int64_t* shape, void* to,
                  const std::int64_t* to_strides, const void* from, const std::int64_t* from_strides) {
  Job job{{}, static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from)};
  std::vector<Axis> axes;
  std::int64_t total = 1;
  for (std::size_t i = 0; i < ndim; ++i) {
    total *= shape[i];
    if (shape[i] <= 1) continue;
    Axis axis{shape[i], to_strides[i], from_strides[i]};
    if (axis.to < 0) {  // walk the target upwards
      job.to += (axis.count - 1) * axis.to;
      job.from += (axis.count - 1) * axis.from;
      axis.to = -axis.to;
      axis.from = -axis.from;
    }
    axes.push_back(axis);
  }
  if (total == 0) return;
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  // Join neighbours that are one axis on both sides.
  std::vector<Axis> joined;
  for (const Axis& axis : axes) {
    if (!joined.empty() && joined.back().to == axis.count * axis.to && joined.back().from == axis.count * axis.from) {
      joined.back() = {joined.back().count * axis.count, axis.to, axis.from};
    } else {
      joined.push_back(axis);
    }
  }
  bool stream = static_cast<std::size_t>(total) * element_size >= stream_threshold;
  auto size = static_cast<std::int64_t>(element_size);
  if (joined.empty()) joined.push_back({1, size, size});
  Axis inner = joined.back();
  joined.pop_back();
  if (inner.to == size && inner.from == size) {
    job.outer = std::move(joined);
    copy_rows(work, job, element_size, inner.count, stream);
    return;
  }
  dispatch_size(element_size, [&]<class T>(Type<T>) {
    auto source_row = std::find_if(joined.begin(), joined.end(), [&](const Axis& a) { return a.from == size; });
    if (inner.to == size && source_row != joined.end() && inner.count <= most_interleaved &&
        source_row->to == inner.count * size && source_row->count > 2 * inner.count) {
      Axis row = *source_row;
      joined.erase(source_row);
      job.outer = std::move(joined);
      interleave<T>(work, job, row, inner, stream);
    } else if (inner.to == size && source_row != joined.end() && inner.count >= 4 && source_row->count >= 4) {
      Axis row = *source_row;
      joined.erase(source_row);
      job.outer = std::move(joined);
      transpose<T>(work, job, row, inner, stream);
    } else {
      job.outer = std::move(joined);
      copy_elements<T>(work, job, inner, stream);
    }
  });
}

}  // namespace atl::array
