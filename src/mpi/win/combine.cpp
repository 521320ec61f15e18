// SPDX-License-Identifier: Apache-2.0
#include "win/combine.hpp"

#include <cstring>
#include <memory>

#include "datatype/cursor.hpp"
#include "win/reach.hpp"

namespace atl::mpi::win {
namespace {

using datatype::Node;

/// The predefined pair type that this description equals, or null.
const datatype::Predefined* pair_of(const Node& node) {
  for (const datatype::Predefined& one : datatype::predefined())
    if (one.number == datatype::Number::pair && datatype::named(one.handle)->description().get() == &node) return &one;
  return nullptr;
}

/// Combines contiguous elements: aligned ones by processor atomics, all others under the lock.
void combine_run(const Combine& how, Control& control, std::byte* at, std::size_t count, const std::byte* origin,
                 std::byte* fetched) {
  const auto size = static_cast<std::size_t>(how.element->size());
  if (reinterpret_cast<std::uintptr_t>(at) % size == 0) [[likely]]
    return how.atomic(at, origin, fetched, count, &how.reduction);
  auto aligned = std::make_unique_for_overwrite<std::byte[]>(count * size);
  CombineLock lock(control);
  std::memcpy(aligned.get(), at, count * size);
  combine_locked(how.code, how.reduction, aligned.get(), origin, fetched, count);
  if (how.code != op::Code::no_op) std::memcpy(at, aligned.get(), count * size);
}

}  // namespace

Combine make_combine(op::Code code, const datatype::Type& element) {
  auto reduction = op::reduction(code, element, op::Spacing::packed);
  ATOLL_MPI_REQUIRE(reduction.has_value(), MPI_ERR_OP, "{} is not defined for {}", op::name_of(code),
                    element.element() == nullptr ? "the datatype" : element.element()->name);
  return {code, &element, *reduction, element.element() == nullptr ? nullptr : atomic_of(code, *element.element())};
}

const datatype::Type* element_of(const datatype::Type& type) {
  if (type.element() != nullptr) return &type;
  const datatype::Predefined* element = datatype::only_element(
      *type.description(), [](const Node& node) { return node.kind == Node::Kind::pieces ? pair_of(node) : nullptr; });
  return element == nullptr ? nullptr : datatype::named(element->handle).get();
}

void combine(const Combine& how, Control& control, bool in_segment, std::byte* base, const datatype::Region& region,
             const std::byte* origin, std::byte* fetched) {
  if (how.atomic != nullptr && in_segment) {
    // Alignment is checked for each run: the begin of the region does not determine it.
    const auto size = static_cast<std::size_t>(how.element->size());
    datatype::Cursor cursor(region);
    for (Count left = region.size(); left > 0;) {
      const Count run = std::min(cursor.here().bytes, left);
      combine_run(how, control, base + cursor.here().offset, static_cast<std::size_t>(run) / size, origin, fetched);
      if (origin != nullptr) origin += run;
      if (fetched != nullptr) fetched += run;
      left -= run;
      cursor.advance(run);
    }
    return;
  }
  auto bytes = static_cast<std::size_t>(region.size());
  auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  CombineLock lock(control);
  datatype::pack(region, base, 0, region.size(), packed.get());
  combine_locked(how.code, how.reduction, packed.get(), origin, fetched, bytes / how.reduction.element_bytes());
  if (how.code != op::Code::no_op) datatype::unpack(region, base, 0, region.size(), packed.get());
}

void compare_and_swap(Control& control, bool in_segment, std::byte* base, const void* compare, const void* value,
                      void* result, std::size_t bytes) {
  if (in_segment && bytes <= 8 && reinterpret_cast<std::uintptr_t>(base) % bytes == 0)
    return compare_and_swap(base, compare, value, result, bytes);
  CombineLock lock(control);
  const bool equal = std::memcmp(base, compare, bytes) == 0;
  std::memcpy(result, base, bytes);
  if (equal) std::memcpy(base, value, bytes);
}

}  // namespace atl::mpi::win
