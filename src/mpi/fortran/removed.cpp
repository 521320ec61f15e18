// SPDX-License-Identifier: Apache-2.0
// Functions that MPI 3 removed, by means of their replacements. Addresses and extents are default integers here.
#include "fortran/convert.hpp"

using namespace atl::mpi::fortran;

namespace {

std::vector<MPI_Aint> widened(const int* from, int count) { return {from, from + std::max(count, 0)}; }

// Stores a bound when the call succeeded.
int give_bound(MPI_Aint value, int code, int* to) {
  if (code != MPI_SUCCESS) return code;
  *to = static_cast<int>(value);
  return *to == value ? MPI_SUCCESS : MPI_ERR_VALUE_TOO_LARGE;
}

}  // namespace

extern "C" {

void mpi_comm_create_errhandler_(void (*function)(int*, int*), int* errhandler, int* ierror);

void mpi_address_(void* location, int* address, int* ierror) {
  MPI_Aint at = 0;
  int code = MPI_Get_address(memory_at(location), &at);
  give(ierror, give_bound(at, code, address));
}
void mpi_type_extent_(const int* type, int* extent, int* ierror) {
  MPI_Aint lower = 0, length = 0;
  int code = MPI_Type_get_extent(handle<MPI_Datatype>(type), &lower, &length);
  give(ierror, give_bound(length, code, extent));
}
void mpi_type_lb_(const int* type, int* bound, int* ierror) {
  MPI_Aint lower = 0, length = 0;
  int code = MPI_Type_get_extent(handle<MPI_Datatype>(type), &lower, &length);
  give(ierror, give_bound(lower, code, bound));
}
void mpi_type_ub_(const int* type, int* bound, int* ierror) {
  MPI_Aint lower = 0, length = 0;
  int code = MPI_Type_get_extent(handle<MPI_Datatype>(type), &lower, &length);
  give(ierror, give_bound(lower + length, code, bound));
}
void mpi_type_hvector_(const int* count, const int* length, const int* stride, const int* type, int* made,
                       int* ierror) {
  give(ierror,
       MPI_Type_create_hvector(*count, *length, *stride, handle<MPI_Datatype>(type), Handle<MPI_Datatype>(made)));
}
void mpi_type_hindexed_(const int* count, const int* lengths, const int* places, const int* type, int* made,
                        int* ierror) {
  give(ierror, MPI_Type_create_hindexed(*count, lengths, widened(places, *count).data(), handle<MPI_Datatype>(type),
                                        Handle<MPI_Datatype>(made)));
}
void mpi_type_struct_(const int* count, const int* lengths, const int* places, const int* types, int* made,
                      int* ierror) {
  give(ierror, MPI_Type_create_struct(*count, lengths, widened(places, *count).data(),
                                      ConstHandles<MPI_Datatype>(types, *count), Handle<MPI_Datatype>(made)));
}
void mpi_errhandler_create_(void (*function)(int*, int*), int* errhandler, int* ierror) {
  mpi_comm_create_errhandler_(function, errhandler, ierror);
}
void mpi_errhandler_set_(const int* comm, const int* errhandler, int* ierror) {
  give(ierror, MPI_Comm_set_errhandler(handle<MPI_Comm>(comm), handle<MPI_Errhandler>(errhandler)));
}
void mpi_errhandler_get_(const int* comm, int* errhandler, int* ierror) {
  *errhandler = MPI_Errhandler_toint(MPI_ERRHANDLER_NULL);
  give(ierror, MPI_Comm_get_errhandler(handle<MPI_Comm>(comm), Handle<MPI_Errhandler>(errhandler)));
}

}  // extern "C"
