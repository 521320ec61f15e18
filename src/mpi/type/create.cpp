// SPDX-License-Identifier: Apache-2.0
// Constructors of datatypes: check arguments, then call the datatype engine.
#include <algorithm>

#include "type/chapter.hpp"
#include "type/type.hpp"

namespace atl::mpi {
namespace {

using namespace datatype;

const TypePtr& old_type(MPI_Datatype handle) { return need<TypeObject>(handle).type(); }

void store(TypePtr type, MPI_Datatype* newtype) {
  ATOLL_MPI_REQUIRE(newtype != nullptr, MPI_ERR_ARG, "no place for the new datatype");
  give(make<TypeObject>(std::move(type)), newtype);
}

void check_count(MPI_Count count) { ATOLL_MPI_REQUIRE(count >= 0, MPI_ERR_COUNT, "count is {}", count); }

std::span<const Count> take_list(Counts& list, MPI_Count count, const char* what) {
  ATOLL_MPI_REQUIRE(count == 0 || !list.missing(), MPI_ERR_ARG, "no {}", what);
  return list.take(count);
}

std::span<const Count> take_lengths(Counts& lengths, MPI_Count count) {
  check_count(count);
  auto list = take_list(lengths, count, "lengths of blocks");
  for (Count length : list) ATOLL_MPI_REQUIRE(length >= 0, MPI_ERR_ARG, "a block has length {}", length);
  return list;
}

void check_length(MPI_Count length) { ATOLL_MPI_REQUIRE(length >= 0, MPI_ERR_ARG, "blocks have length {}", length); }

Order order_of(int order) {
  ATOLL_MPI_REQUIRE(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_ERR_ARG, "{} is no order of arrays", order);
  return static_cast<Order>(order);
}

}  // namespace

void type_contiguous(Form form, MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  check_count(count);
  store(make_contiguous(form, count, old_type(oldtype)), newtype);
}

void type_vector(Form form, MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                 MPI_Datatype* newtype) {
  check_count(count), check_length(length);
  store(make_vector(form, count, length, stride, old_type(oldtype)), newtype);
}

void type_hvector(Form form, MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  check_count(count), check_length(length);
  store(make_hvector(form, count, length, stride, old_type(oldtype)), newtype);
}

void type_indexed(Form form, MPI_Count count, Counts lengths, Counts displacements, MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  auto list = take_lengths(lengths, count);
  store(make_indexed(form, list, take_list(displacements, count, "displacements"), old_type(oldtype)), newtype);
}

void type_hindexed(Form form, MPI_Count count, Counts lengths, Counts displacements, MPI_Datatype oldtype,
                   MPI_Datatype* newtype) {
  auto list = take_lengths(lengths, count);
  store(make_hindexed(form, list, take_list(displacements, count, "displacements"), old_type(oldtype)), newtype);
}

void type_indexed_block(Form form, MPI_Count count, MPI_Count length, Counts displacements, MPI_Datatype oldtype,
                        MPI_Datatype* newtype) {
  check_count(count), check_length(length);
  store(make_indexed_block(form, length, take_list(displacements, count, "displacements"), old_type(oldtype)), newtype);
}

void type_hindexed_block(Form form, MPI_Count count, MPI_Count length, Counts displacements, MPI_Datatype oldtype,
                         MPI_Datatype* newtype) {
  check_count(count), check_length(length);
  store(make_hindexed_block(form, length, take_list(displacements, count, "displacements"), old_type(oldtype)),
        newtype);
}

void type_struct(Form form, MPI_Count count, Counts lengths, Counts displacements, const MPI_Datatype types[],
                 MPI_Datatype* newtype) {
  auto list = take_lengths(lengths, count);
  ATOLL_MPI_REQUIRE(count == 0 || types != nullptr, MPI_ERR_ARG, "no datatypes");
  std::vector<TypePtr> olds;
  for (MPI_Count i = 0; i < count; ++i) olds.push_back(old_type(types[i]));
  store(make_struct(form, list, take_list(displacements, count, "displacements"), olds), newtype);
}

void type_resized(Form form, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  store(make_resized(form, lb, extent, old_type(oldtype)), newtype);
}

void type_subarray(Form form, int ndims, Counts sizes, Counts subsizes, Counts starts, int order, MPI_Datatype oldtype,
                   MPI_Datatype* newtype) {
  ATOLL_MPI_REQUIRE(ndims >= 1, MPI_ERR_ARG, "an array has {} dimensions", ndims);
  auto all = take_list(sizes, ndims, "sizes"), part = take_list(subsizes, ndims, "sizes of the part"),
       start = take_list(starts, ndims, "starts");
  for (std::size_t d = 0; d < all.size(); ++d)
    ATOLL_MPI_REQUIRE(all[d] >= 1 && part[d] >= 1 && start[d] >= 0 && part[d] <= all[d] - start[d], MPI_ERR_ARG,
                      "dimension {}: {} elements from {} on are no part of {}", d, part[d], start[d], all[d]);
  store(make_subarray(form, all, part, start, order_of(order), old_type(oldtype)), newtype);
}

void type_darray(Form form, int size, int rank, int ndims, Counts gsizes, const int distribs[], const int dargs[],
                 const int psizes[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  ATOLL_MPI_REQUIRE(ndims >= 1, MPI_ERR_ARG, "an array has {} dimensions", ndims);
  ATOLL_MPI_REQUIRE(size >= 1 && rank >= 0 && rank < size, MPI_ERR_ARG, "rank {} of {} processes", rank, size);
  ATOLL_MPI_REQUIRE(distribs != nullptr && dargs != nullptr && psizes != nullptr, MPI_ERR_ARG, "an array is missing");
  auto all = take_list(gsizes, ndims, "sizes");
  MPI_Count processes = 1;
  for (int d = 0; d < ndims; ++d) {
    auto here = all[static_cast<std::size_t>(d)];
    bool block = distribs[d] == MPI_DISTRIBUTE_BLOCK, cyclic = distribs[d] == MPI_DISTRIBUTE_CYCLIC;
    ATOLL_MPI_REQUIRE(here >= 1 && psizes[d] >= 1, MPI_ERR_ARG, "dimension {}: {} elements over {} processes", d, here,
                      psizes[d]);
    ATOLL_MPI_REQUIRE(block || cyclic || (distribs[d] == MPI_DISTRIBUTE_NONE && psizes[d] == 1), MPI_ERR_ARG,
                      "dimension {}: {} is no distribution over {} processes", d, distribs[d], psizes[d]);
    if (dargs[d] != MPI_DISTRIBUTE_DFLT_DARG && (block || cyclic))
      ATOLL_MPI_REQUIRE(dargs[d] >= 1 && (cyclic || here <= MPI_Count{dargs[d]} * psizes[d]), MPI_ERR_ARG,
                        "dimension {}: blocks of {} do not hold {} elements on {} processes", d, dargs[d], here,
                        psizes[d]);
    processes *= psizes[d];
  }
  ATOLL_MPI_REQUIRE(processes == size, MPI_ERR_ARG, "the grid has {} processes, not {}", processes, size);
  auto dimensions = static_cast<std::size_t>(ndims);
  DarrayGrid grid{size, rank, all, {distribs, dimensions}, {dargs, dimensions}, {psizes, dimensions}, order_of(order)};
  store(make_darray(form, grid, old_type(oldtype)), newtype);
}

}  // namespace atl::mpi
