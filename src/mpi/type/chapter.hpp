// SPDX-License-Identifier: Apache-2.0
// Bodies of the datatype chapter. Arguments are those of the C functions.
#pragma once

#include <span>
#include <vector>

#include "datatype/type.hpp"
#include "mpi.h"

namespace atl::mpi {

using datatype::Form;

/// An array of int or of large counts.
class Counts {
 public:
  Counts(const int* few) : few_(few) {}
  Counts(const MPI_Count* many) : many_(many) {}
  std::span<const MPI_Count> take(MPI_Count count) {
    auto size = static_cast<std::size_t>(count);
    if (few_ == nullptr) return {many_, size};
    widened_.assign(few_, few_ + size);
    return widened_;
  }
  bool missing() const { return few_ == nullptr && many_ == nullptr; }

 private:
  const int* few_ = nullptr;
  const MPI_Count* many_ = nullptr;
  std::vector<MPI_Count> widened_;
};

// Constructors. `form` is that of the called function (int or large counts), which MPI_Type_get_contents reports.
void type_contiguous(Form form, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype);
void type_vector(Form form, MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                 MPI_Datatype* newtype);
void type_hvector(Form form, MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                  MPI_Datatype* newtype);
void type_indexed(Form form, MPI_Count count, Counts lengths, Counts displacements, MPI_Datatype oldtype,
                  MPI_Datatype* newtype);
void type_hindexed(Form form, MPI_Count count, Counts lengths, Counts displacements, MPI_Datatype oldtype,
                   MPI_Datatype* newtype);
void type_indexed_block(Form form, MPI_Count count, MPI_Count length, Counts displacements, MPI_Datatype oldtype,
                        MPI_Datatype* newtype);
void type_hindexed_block(Form form, MPI_Count count, MPI_Count length, Counts displacements, MPI_Datatype oldtype,
                         MPI_Datatype* newtype);
void type_struct(Form form, MPI_Count count, Counts lengths, Counts displacements, const MPI_Datatype types[],
                 MPI_Datatype* newtype);
void type_resized(Form form, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype);
void type_subarray(Form form, int ndims, Counts sizes, Counts subsizes, Counts starts, int order, MPI_Datatype oldtype,
                   MPI_Datatype* newtype);
void type_darray(Form form, int size, int rank, int ndims, Counts gsizes, const int distribs[], const int dargs[],
                 const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype);
void type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype);
void type_create_f90_real(int p, int r, MPI_Datatype* newtype);
void type_create_f90_complex(int p, int r, MPI_Datatype* newtype);
void type_create_f90_integer(int r, MPI_Datatype* newtype);
void type_match_size(int type_class, int size, MPI_Datatype* datatype);
void type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type);

void type_commit(MPI_Datatype* datatype);
void type_free(MPI_Datatype* datatype);
void type_get_name(MPI_Datatype datatype, char* name, int* length);
void type_set_name(MPI_Datatype datatype, const char* name);
void type_size(MPI_Datatype datatype, MPI_Count* size);
void type_get_extent(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent);
void type_get_true_extent(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent);
void type_get_envelope(MPI_Datatype datatype, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts,
                       MPI_Count* datatypes, int* combiner);
void type_get_envelope_small(MPI_Datatype datatype, int* integers, int* addresses, int* datatypes, int* combiner);
void type_get_contents(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                       MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
                       MPI_Count large_counts[], MPI_Datatype datatypes[]);
void type_get_contents_small(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                             int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[]);

void get_address(const void* location, MPI_Aint* address);

// Packing.
void pack(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
          MPI_Count* position);
void unpack(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
            MPI_Datatype datatype);
void pack_size(MPI_Count incount, MPI_Datatype datatype, MPI_Count* size);
void pack_external(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
                   MPI_Count outsize, MPI_Count* position);
void unpack_external(const char* datarep, const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf,
                     MPI_Count outcount, MPI_Datatype datatype);
void pack_external_size(const char* datarep, MPI_Count incount, MPI_Datatype datatype, MPI_Count* size);

/// Number of whole elements of `type` in `bytes`; MPI_UNDEFINED when bytes are left over.
MPI_Count count_in(const datatype::Type& type, MPI_Count bytes);
/// Number of predefined elements in `bytes`; MPI_UNDEFINED when bytes are left over.
MPI_Count elements_in(const datatype::Type& type, MPI_Count bytes);

}  // namespace atl::mpi
