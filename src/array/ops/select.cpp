// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/select.hpp"

#include <optional>
#include <utility>

#include "atoll/array/kernel/copy.hpp"
#include "atoll/array/kernel/select.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/base/validate.hpp"

namespace atl::array {
namespace {

/// The mask where the array's rows are, and what one mask element selects.
struct LocalMask {
  const bool* mask;
  std::size_t count;          // mask elements on this PE
  std::size_t element_bytes;  // selected by one of them
  Shape selected;             // shape of one of them
  Buffer<std::byte> moved;
};

LocalMask open_mask(Engine& engine, const ArrayData& array, const ArrayData& mask) {
  LocalMask local;
  if (mask.shape == array.shape) {
    local.mask = mask.data<bool>();
    local.count = static_cast<std::size_t>(array.local_size());
    local.element_bytes = size_of(array.dtype);
    return local;
  }
  ATOLL_VALIDATE(
      mask.shape.ndim() == 1 && array.shape.ndim() > 0 && mask.shape[0] == array.shape[0], IndexError,
      "boolean index did not match indexed array along axis 0; size of axis is {} but size of corresponding boolean axis is {}",
      array.shape.rows(), mask.shape.rows());
  local.mask = mask.data<bool>();
  if (engine.npes() > 1 && !(mask.distribution == array.distribution)) {
    local.moved = redistribute(engine, mask, array.distribution);
    local.mask = reinterpret_cast<const bool*>(local.moved.data());
  }
  local.count = static_cast<std::size_t>(array.local_rows());
  local.element_bytes = array.row_bytes();
  local.selected = array.shape.inner();
  return local;
}

struct Place {
  std::int64_t first = 0;  // selected on PEs before this one
  std::int64_t total = 0;  // selected on all
};

Place place_of(Engine& engine, std::size_t mine) {
  const auto counts = engine.allgather_value(static_cast<std::int64_t>(mine));
  return {checked_sum(counts.begin(), counts.begin() + engine.pe()), checked_sum(counts.begin(), counts.end())};
}

/// How many elements of the mask are true here, in pieces. Collective.
MaskCounts count_mask(Engine& engine, const bool* mask, std::size_t count, std::int64_t elements) {
  std::optional<MaskCounts> counts;
  engine.interruptibly(elements, [&] { counts.emplace(engine.work(), mask, count); });
  return std::move(*counts);
}

/// Lets `produce(to, selected)` write this PE's `count` rows, which begin at row `first` of the result: those of each
/// PE's block straight into it. They are selected from `elements` of all PEs.
template <class Produce>
void write_rows(Engine& engine, const Array& result, std::int64_t elements, std::int64_t first, std::int64_t count,
                Produce&& produce) {
  OpenBlocks blocks(engine, *result);
  engine.interruptibly(elements, [&] {
    blocks.write_pieces(first, first + count, [&](std::int64_t begin, std::int64_t end, std::byte* to) {
      produce(to, Selected{static_cast<std::size_t>(begin - first), static_cast<std::size_t>(end - first)});
    });
  });
  blocks.close();
}

}  // namespace

Array compress_rows(Engine& engine, Array array, Array mask) {
  engine.begin_operation("select");
  const LocalMask local = open_mask(engine, *array, *mask);
  Work work = engine.work();
  const std::int64_t elements = array->shape.size();
  const MaskCounts counts = count_mask(engine, local.mask, local.count, elements);
  const Place place = place_of(engine, counts.total());
  Shape shape{place.total};
  for (std::int64_t extent : local.selected) shape.push_back(extent);
  Array result = engine.make(array->dtype, shape);
  write_rows(engine, result, elements, place.first, static_cast<std::int64_t>(counts.total()),
             [&](std::byte* to, Selected selected) {
               compress(work, counts, local.element_bytes, array->bytes(), local.mask, to, selected);
             });
  return result;
}

Array find_true(Engine& engine, Array mask) {
  engine.begin_operation("select");
  Work work = engine.work();
  const std::int64_t elements = mask->shape.size();
  const MaskCounts counts =
      count_mask(engine, mask->data<bool>(), static_cast<std::size_t>(mask->local_size()), elements);
  const Place place = place_of(engine, counts.total());
  Array result = engine.make(DType::i64, Shape{place.total});
  write_rows(engine, result, elements, place.first, static_cast<std::int64_t>(counts.total()),
             [&](std::byte* to, Selected selected) {
               flatnonzero(work, counts, mask->data<bool>(), mask->first_index(), reinterpret_cast<std::int64_t*>(to),
                           selected);
             });
  return result;
}

void assign_mask(Engine& engine, Array array, Array mask, Array value) {
  engine.begin_operation("assign");
  const LocalMask local = open_mask(engine, *array, *mask);
  Work work = engine.work(Interruptible::no);
  const std::int64_t selected_size = local.selected.size();
  if (value->shape.size() == selected_size && value->shape.ndim() <= local.selected.ndim()) {
    const Buffer<std::byte> everywhere = replicate(engine, *value);
    if (selected_size == 1 && local.element_bytes <= 8) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, everywhere.data(), local.element_bytes);
      masked_fill(work, local.element_bytes, bits, local.mask, local.count, array->bytes());
    } else {
      masked_fill_rows(work, local.element_bytes, everywhere.data(), local.mask, local.count, array->bytes());
    }
    return;
  }
  const MaskCounts counts = count_mask(engine, local.mask, local.count, array->shape.size());
  const Place place = place_of(engine, counts.total());
  Shape wanted{place.total};
  for (std::int64_t extent : local.selected) wanted.push_back(extent);
  if (value->shape.size() == 1) {
    // One element for rows of several: repeat it over a row.
    const Buffer<std::byte> element = replicate(engine, *value);
    Buffer<std::byte> row(engine.memory(), local.element_bytes);
    tile(work, row.data(), element.data(), size_of(array->dtype), static_cast<std::size_t>(selected_size));
    masked_fill_rows(work, local.element_bytes, row.data(), local.mask, local.count, array->bytes());
    return;
  }
  ATOLL_VALIDATE(
      value->shape == wanted, ValueError,
      "NumPy boolean array indexing assignment cannot assign {} input values to the {} output values where the mask is true",
      value->shape.rows(), place.total);
  const auto mine = static_cast<std::int64_t>(counts.total());
  OpenBlocks blocks(engine, *value);
  if (mine > 0) {
    const std::byte* values = nullptr;
    Buffer<std::byte> gathered;
    const std::uint32_t owner = blocks.distribution().owner(place.first);
    if (owner == blocks.distribution().owner(place.first + mine - 1) && blocks.reach().maps(owner)) {
      values = blocks.row(place.first);
    } else {
      gathered = Buffer<std::byte>(engine.memory(), counts.total() * local.element_bytes);
      blocks.read_rows(place.first, place.first + mine, gathered.data());
      values = gathered.data();
    }
    expand(work, counts, local.element_bytes, values, local.mask, array->bytes());
  }
  blocks.close();
}

}  // namespace atl::array
