// SPDX-License-Identifier: Apache-2.0
// Buffers that a compiler passes by descriptor: array slices, which need not be contiguous.
//
// Count and datatype of a call describe a contiguous array: the elements of the slice, one after the other.
#pragma once

#include <ISO_Fortran_binding.h>

#include <cstddef>
#include <memory>

#include "fortran/convert.hpp"
#include "request/copies.hpp"

namespace atl::mpi::fortran {

/// Whether there are gaps between the elements of the slice, or its strides are not those of a contiguous array.
bool is_strided(const CFI_cdesc_t& slice);
/// A committed datatype of `count` elements of `type` in the slice, relative to its first element, which the caller
/// frees. MPI_DATATYPE_NULL when there is none.
MPI_Datatype describe(const CFI_cdesc_t& slice, MPI_Count count, MPI_Datatype type);
/// Likewise of one element, with the extent of the distance to the next. None unless all elements of the slice have one
/// distance, and are elements of `type`.
MPI_Datatype describe_evenly(const CFI_cdesc_t& slice, MPI_Datatype type);

/// Frees the datatype, which operations under way keep.
class DescribedType {
 public:
  explicit DescribedType(MPI_Datatype given) : type_(given), is_own_(false) {}
  ~DescribedType() {
    if (is_own_ && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  DescribedType(const DescribedType&) = delete;
  DescribedType& operator=(const DescribedType&) = delete;
  void own(MPI_Datatype type) { type_ = type, is_own_ = true; }
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_own_;
};

/// A buffer of `count` elements of `type`. Where it is not contiguous, it is one element of a datatype of its own.
template <class Count>
class Described {
 public:
  Described(const CFI_cdesc_t* slice, Count count, MPI_Datatype type)
      : address_(memory_at(slice->base_addr)), count_(count), type_(type) {
    if (!is_strided(*slice)) return;
    count_ = 1;
    type_.own(describe(*slice, count, type));
  }
  void* address() const { return address_; }
  Count count() const { return count_; }
  MPI_Datatype type() const { return type_.get(); }

 private:
  void* address_;
  Count count_;
  DescribedType type_;
};

/// A buffer whose elements a call counts in several ways, so that only their datatype can be replaced.
class Evenly {
 public:
  Evenly(const CFI_cdesc_t* slice, MPI_Datatype type) : address_(memory_at(slice->base_addr)), type_(type) {
    if (is_strided(*slice)) type_.own(describe_evenly(*slice, type));
  }
  void* address() const { return address_; }
  MPI_Datatype type() const { return type_.get(); }

 private:
  void* address_;
  DescribedType type_;
};

/// Contiguous copies of the buffers of one call that are not contiguous.
class Copies {
 public:
  Copies();
  ~Copies();
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  /// Address of a buffer that the operation reads, or also writes.
  void* read(const CFI_cdesc_t* slice);
  void* written(const CFI_cdesc_t* slice);
  /// The operation is complete. Returns its code.
  int finish(int code);
  /// The operation goes on, and keeps the copies until its request is complete. Returns its code.
  int keep(int code, MPI_Request* request);

 private:
  class List;
  void* add(const CFI_cdesc_t* slice, bool is_written);
  std::unique_ptr<List> list_;  // null: all buffers are contiguous
};

}  // namespace atl::mpi::fortran
