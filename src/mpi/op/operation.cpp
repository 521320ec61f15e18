// SPDX-License-Identifier: Apache-2.0
#include "op/operation.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "core/staging.hpp"
#include "datatype/pack.hpp"

namespace atl::mpi {
namespace {

using datatype::Region;
using datatype::Type;

// Made when the library is loaded, never destroyed.
[[maybe_unused]] const bool made = [] {
  for (std::uint16_t constant = 0x21; constant <= 0x3d; ++constant)
    if (op::name_of(op::Code{constant}) != nullptr) (new Operation(op::Code{constant}))->predefine(constant);
  return true;
}();

bool is_plain(const Type& type) {
  return type.size() == type.extent() && type.lb() == 0 && type.region(1).contiguous();
}

std::string name_of(const Type& type) {
  return type.element() != nullptr ? type.element()->name : "a datatype made of others";
}

}  // namespace

void Operation::call(const void* left, void* right, MPI_Count count, MPI_Datatype type) const {
  if (large_ != nullptr) return large_(const_cast<void*>(left), right, &count, &type);
  MPI_Count extent = need_type(type).extent();
  constexpr MPI_Count most = std::numeric_limits<int>::max();
  for (MPI_Count done = 0; done < count; done += most) {
    int part = static_cast<int>(std::min(most, count - done));
    small_(static_cast<std::byte*>(const_cast<void*>(left)) + done * extent,
           static_cast<std::byte*>(right) + done * extent, &part, &type);
  }
}

void check_operation(const Operation& operation, const Type& type) {
  if (operation.is_user()) return;
  bool accumulates = operation.code() == op::Code::replace || operation.code() == op::Code::no_op;
  ATOLL_MPI_REQUIRE(!accumulates, MPI_ERR_OP, "{} is for accumulating in windows only", op::name_of(operation.code()));
  ATOLL_MPI_REQUIRE(op::reduction(operation.code(), type, op::Spacing::packed).has_value(), MPI_ERR_OP,
                    "{} is not defined for {}", op::name_of(operation.code()), name_of(type));
}

Reducer::Reducer(Operation& operation, TypeObject& type) : operation_(operation), type_(type) {
  check_operation(operation, *type.type());
  if (operation.is_user()) {
    auto bytes = static_cast<std::size_t>(type.type()->size());
    reduction_ = coll::Reduction(coll::Functor{std::max<std::size_t>(bytes, 1), combine, this});
  } else {
    reduction_ = op::reduction(operation.code(), *type.type(), op::Spacing::packed);
  }
}

void Reducer::combine(void* into, const void* left, const void* right, std::size_t count, void* reducer) {
  const auto& self = *static_cast<const Reducer*>(reducer);
  const Type& type = self.type();
  auto elements = static_cast<MPI_Count>(count);
  std::size_t bytes = count * static_cast<std::size_t>(type.size());
  auto aligned = [&](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::size_t>(type.align()) == 0;
  };
  if (!is_plain(type) || !aligned(left) || !aligned(right) || into == left)
    return self.combine_spread(into, left, right, elements);
  if (into != right) std::memcpy(into, right, bytes);
  if (!aligned(into)) return self.combine_spread(into, left, right, elements);
  self.operation_->call(left, into, elements, handle_of(*self.type_));
}

// Unpacks into temporary memory with the layout that the user's function expects.
void Reducer::combine_spread(void* into, const void* left, const void* right, MPI_Count count) const {
  const Type& type = this->type();
  constexpr MPI_Count chunk_bytes = 65536;
  MPI_Count low = std::min({type.lb(), type.true_lb(), MPI_Count{0}});
  MPI_Count high = std::max({type.ub(), type.true_lb() + type.true_extent(), MPI_Count{1}});
  MPI_Count stride = std::max(type.extent(), MPI_Count{0});
  MPI_Count most = std::max(MPI_Count{1}, chunk_bytes / std::max(high - low, MPI_Count{1}));
  auto room = static_cast<std::size_t>(high - low + stride * (std::min(most, count) - 1)) + 16;
  std::vector<std::byte> one(room), other(room);
  auto base = [&](std::vector<std::byte>& memory) {
    auto address = reinterpret_cast<std::uintptr_t>(memory.data() - low);
    return memory.data() - low + (16 - address % 16) % 16;
  };
  for (MPI_Count done = 0; done < count; done += most) {
    Region region = type.region(std::min(most, count - done));
    MPI_Count skip = done * type.size();
    datatype::unpack(region, base(one), 0, region.size(), static_cast<const std::byte*>(left) + skip);
    datatype::unpack(region, base(other), 0, region.size(), static_cast<const std::byte*>(right) + skip);
    operation_->call(base(one), base(other), region.count, handle_of(*type_));
    datatype::pack(region, base(other), 0, region.size(), static_cast<std::byte*>(into) + skip);
  }
}

void op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  ATOLL_MPI_REQUIRE(function != nullptr && op != nullptr, MPI_ERR_ARG, "no function, or no place for the operation");
  give(make<Operation>(function, commute != 0), op);
}

void op_create(MPI_User_function_c* function, int commute, MPI_Op* op) {
  ATOLL_MPI_REQUIRE(function != nullptr && op != nullptr, MPI_ERR_ARG, "no function, or no place for the operation");
  give(make<Operation>(function, commute != 0), op);
}

void op_free(MPI_Op* op) {
  ATOLL_MPI_REQUIRE(op != nullptr, MPI_ERR_ARG, "no place for the operation");
  auto& object = need<Operation>(*op);
  ATOLL_MPI_REQUIRE(!object.is_predefined(), MPI_ERR_OP, "predefined operations cannot be freed");
  object.release();
  *op = MPI_OP_NULL;
}

void op_commutative(MPI_Op op, int* commute) { *commute = need<Operation>(op).commutative(); }

namespace {

/// The elements of a buffer where the processor may use them, laid out as their type has it.
class OnHost {
 public:
  OnHost(const datatype::Region& region, const void* base, const Type& type)
      : region_(region), base_(base), is_staged_(staging::is_on_device(region, base)) {
    if (!is_staged_) return;
    const auto [low, high] = type.span(region.count);
    low_ = low;
    room_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(high - low));
    row_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(region.size()));
    staging::pack(region, base, 0, region.size(), row_.get());
    datatype::unpack(region, data(), 0, region.size(), row_.get());
  }
  void* data() const { return is_staged_ ? room_.get() - low_ : const_cast<void*>(base_); }
  void store(void* base) const {
    if (!is_staged_) return;
    datatype::pack(region_, data(), 0, region_.size(), row_.get());
    staging::unpack(region_, base, 0, region_.size(), row_.get());
    staging::settle(region_, base);
  }

 private:
  datatype::Region region_;
  const void* base_;
  bool is_staged_;
  datatype::Count low_ = 0;
  std::unique_ptr<std::byte[]> room_, row_;
};

void reduce_staged(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  const Type& type = need_committed_type(datatype);
  const OnHost in(type.region(count), inbuf, type), inout(type.region(count), inoutbuf, type);
  reduce_local(in.data(), inout.data(), count, datatype, op);
  inout.store(inoutbuf);
}

}  // namespace

void reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op) {
  ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "count is {}", count);
  const Type& type = need_committed_type(datatype);
  const auto& operation = need<Operation>(op);
  check_operation(operation, type);
  if (count == 0) return;
  ATOLL_MPI_REQUIRE(inbuf != MPI_IN_PLACE && inoutbuf != MPI_IN_PLACE, MPI_ERR_BUFFER,
                    "MPI_IN_PLACE is not for MPI_Reduce_local");
  detail::check_buffer(type.region(count), inbuf);
  detail::check_buffer(type.region(count), inoutbuf);
  ATOLL_MPI_REQUIRE(inbuf != inoutbuf, MPI_ERR_BUFFER, "both buffers are the same");
  if (staging::is_on_device(type.region(count), inbuf) || staging::is_on_device(type.region(count), inoutbuf))
    return reduce_staged(inbuf, inoutbuf, count, datatype, op);
  if (operation.is_user()) return operation.call(inbuf, inoutbuf, count, datatype);
  (*op::reduction(operation.code(), type, op::Spacing::extent))(inoutbuf, inbuf, inoutbuf,
                                                                static_cast<std::size_t>(count));
}

}  // namespace atl::mpi
