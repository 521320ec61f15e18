// SPDX-License-Identifier: Apache-2.0
// Datatype handles.
#pragma once

#include <string>
#include <utility>

#include "core/attribute.hpp"
#include "core/object.hpp"
#include "datatype/type.hpp"

namespace atl::mpi {

class TypeObject : public Object {
 public:
  using Handle = MPI_Datatype;
  static constexpr Kind kind = Kind::datatype;
  static constexpr int error_class = MPI_ERR_TYPE;
  static constexpr const char* what = "datatype";
  static Handle null_handle() { return MPI_DATATYPE_NULL; }

  explicit TypeObject(datatype::TypePtr type) : Object(kind), type_(std::move(type)) {}

  const datatype::TypePtr& type() const { return type_; }
  /// Whether programs may not free it: it is predefined, or made by create_f90_* or get_value_index.
  bool permanent() const { return permanent_ || is_predefined(); }
  void make_permanent() { permanent_ = true; }

  Attributes* attributes() override { return &attributes_; }
  std::string* name() override { return &name_; }

 private:
  datatype::TypePtr type_;
  bool permanent_ = false;
  Attributes attributes_;
  std::string name_;
};

/// The datatype of a handle; throws Failure for an invalid handle.
inline const datatype::Type& need_type(MPI_Datatype handle) { return *need<TypeObject>(handle).type(); }
/// The same; throws Failure also when the datatype is not committed.
inline const datatype::Type& need_committed_type(MPI_Datatype handle) {
  const datatype::Type& type = need_type(handle);
  ATOLL_MPI_REQUIRE(type.committed(), MPI_ERR_TYPE, "the datatype has not been committed. Call MPI_Type_commit first?");
  return type;
}
/// A reference that outlives the handle.
inline datatype::TypePtr share_type(MPI_Datatype handle) {
  need_committed_type(handle);
  return find<TypeObject>(handle)->type();
}

/// A handle of the type: the constant of a predefined type, the only handle of an f90 or value-index type, else a new
/// handle.
MPI_Datatype handle_of_type(const datatype::TypePtr& type);

namespace detail {
/// Whether the address cannot be memory: null, MPI_IN_PLACE and the like.
inline bool nowhere(const void* at) { return reinterpret_cast<std::uintptr_t>(at) < 4096; }

/// Throws Failure when a non-empty buffer begins at no valid address.
inline void check_buffer(const void* first, std::size_t bytes) {
  if (nowhere(first) && bytes != 0) [[unlikely]]
    fail(MPI_ERR_BUFFER, "a buffer of {} bytes is {}", bytes,
         first == MPI_IN_PLACE ? "MPI_IN_PLACE" : "a null pointer");
}
/// The same for the first byte of a region.
inline void check_buffer(const datatype::Region& region, const void* base) {
  check_buffer(static_cast<const std::byte*>(base) + region.layout->true_lb, static_cast<std::size_t>(region.size()));
}
}  // namespace detail

}  // namespace atl::mpi
