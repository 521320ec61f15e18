// SPDX-License-Identifier: Apache-2.0
#include "op/known.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "op/operation.hpp"
#include "type/plain.hpp"

namespace atl::mpi {
namespace {

// Indexed by the numbers of the ABI.
constexpr std::uintptr_t first_op = 0x20, ops = 0x20;
using Known = std::atomic<const coll::Reduction*>;
constinit std::array<std::array<Known, detail::type_constants>, ops> all{};

const coll::Reduction* make_known(Known& place, MPI_Op op, MPI_Datatype type) {
  const auto* operation = find<Operation>(op);
  const auto* object = find<TypeObject>(type);
  if (operation == nullptr || object == nullptr) return nullptr;
  if (operation->code() == op::Code::replace || operation->code() == op::Code::no_op) return nullptr;
  auto made = op::reduction(operation->code(), *object->type(), op::Spacing::packed);
  if (!made) return nullptr;
  auto fresh = std::make_unique<const coll::Reduction>(*made);
  const coll::Reduction* before = nullptr;
  // Release publishes the reduction; partner: the acquire below. Another thread may have stored one first.
  if (!place.compare_exchange_strong(before, fresh.get(), std::memory_order_acq_rel)) return before;
  return fresh.release();
}

}  // namespace

const coll::Reduction* known_reduction(MPI_Op op, MPI_Datatype type) {
  const auto operation = reinterpret_cast<std::uintptr_t>(op) - first_op;
  const auto element = reinterpret_cast<std::uintptr_t>(type);
  if (operation >= ops || plain_size(type) == 0) return nullptr;
  Known& place = all[operation][element];
  const coll::Reduction* known = place.load(std::memory_order_acquire);  // partner: make_known()
  return known != nullptr ? known : make_known(place, op, type);
}

}  // namespace atl::mpi
