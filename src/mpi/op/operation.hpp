// SPDX-License-Identifier: Apache-2.0
// Reduction operations: their handles, and the reducers that collectives use.
#pragma once

#include "atoll/coll/collectives.hpp"
#include "core/object.hpp"
#include "op/kernel.hpp"
#include "type/type.hpp"

namespace atl::mpi {

class Operation : public Object {
 public:
  using Handle = MPI_Op;
  static constexpr Kind kind = Kind::op;
  static constexpr int error_class = MPI_ERR_OP;
  static constexpr const char* what = "operation";
  static Handle null_handle() { return MPI_OP_NULL; }

  explicit Operation(op::Code code) : Object(kind), code_(code), commutative_(true) {}
  Operation(MPI_User_function* function, bool commutative)
      : Object(kind), small_(function), commutative_(commutative) {}
  Operation(MPI_User_function_c* function, bool commutative)
      : Object(kind), large_(function), commutative_(commutative) {}

  bool commutative() const { return commutative_; }
  bool is_user() const { return small_ != nullptr || large_ != nullptr; }
  /// For predefined operations.
  op::Code code() const { return code_; }
  /// For user-defined operations: right[i] = left[i] ∘ right[i], in the layout of the datatype.
  void call(const void* left, void* right, MPI_Count count, MPI_Datatype type) const;

 private:
  op::Code code_{};
  MPI_User_function* small_ = nullptr;
  MPI_User_function_c* large_ = nullptr;
  bool commutative_;
};

/// Applies an operation to packed elements of a datatype, as coll requires. Must live until the reduction ends.
class Reducer {
 public:
  /// Throws Failure when the operation is not defined for the type.
  Reducer(Operation& operation, TypeObject& type);
  Reducer(const Reducer&) = delete;
  Reducer& operator=(const Reducer&) = delete;

  const coll::Reduction& reduction() const { return *reduction_; }
  bool commutative() const { return operation_->commutative(); }
  bool is_user() const { return operation_->is_user(); }
  const datatype::Type& type() const { return *type_->type(); }

 private:
  static void combine(void* into, const void* left, const void* right, std::size_t count, void* reducer);
  void combine_spread(void* into, const void* left, const void* right, MPI_Count count) const;

  Ref<Operation> operation_;
  Ref<TypeObject> type_;
  std::optional<coll::Reduction> reduction_;
};

/// Throws Failure unless the operation is defined for the type.
void check_operation(const Operation& operation, const datatype::Type& type);

void op_create(MPI_User_function* function, int commute, MPI_Op* op);
void op_create(MPI_User_function_c* function, int commute, MPI_Op* op);
void op_free(MPI_Op* op);
void op_commutative(MPI_Op op, int* commute);
void reduce_local(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

}  // namespace atl::mpi
