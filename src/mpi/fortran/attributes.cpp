// SPDX-License-Identifier: Apache-2.0
// Attributes: address-sized integers in Fortran, pointers in C.
#include <cstdint>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "fortran/convert.hpp"

namespace {

using namespace atl::mpi::fortran;

// C gets an attribute that Fortran has set as a pointer to the integer, and Fortran gets a pointer that C has set as an
// integer. Each value has one integer, which is never freed, because attributes are copied without notice.
class Integers {
 public:
  void* place_of(MPI_Aint value) {
    std::lock_guard lock(mutex_);
    auto [found, fresh] = places_.try_emplace(value, nullptr);
    if (fresh) {
      found->second = &values_.emplace_back(value);
      ours_.insert(found->second);
    }
    return const_cast<MPI_Aint*>(found->second);
  }
  MPI_Aint value_of(void* attribute) {
    std::lock_guard lock(mutex_);
    return ours_.contains(attribute) ? *static_cast<MPI_Aint*>(attribute) : reinterpret_cast<MPI_Aint>(attribute);
  }

 private:
  std::mutex mutex_;
  std::deque<MPI_Aint> values_;
  std::unordered_map<MPI_Aint, const MPI_Aint*> places_;
  std::unordered_set<const void*> ours_;
};
Integers& integers() {
  static auto& all = *new Integers;
  return all;
}

template <class Integer>
using Copy = void (*)(int*, int*, Integer* extra, Integer* in, Integer* out, int* flag, int* error);
template <class Integer>
using Delete = void (*)(int*, int*, Integer* value, Integer* extra, int* error);

/// The callbacks of a keyval created in Fortran. It is never freed, because a keyval may live as long as the program.
template <class Integer>
struct Keyval {
  Copy<Integer> copy;
  Delete<Integer> erase;
  Integer extra;
};

template <class Integer, class Kind>
int copy_attribute(Kind object, int keyval, void* extra_state, void* in, void* out, int* flag) {
  auto& of = *static_cast<Keyval<Integer>*>(extra_state);
  int object_number = number(object), error = MPI_SUCCESS;
  Integer extra = of.extra, before = static_cast<Integer>(integers().value_of(in)), after = 0;
  of.copy(&object_number, &keyval, &extra, &before, &after, flag, &error);
  // An unchanged copy of an attribute that C has set remains a C pointer.
  *static_cast<void**>(out) = after == before ? in : integers().place_of(after);
  return error;
}

template <class Integer, class Kind>
int delete_attribute(Kind object, int keyval, void* value, void* extra_state) {
  auto& of = *static_cast<Keyval<Integer>*>(extra_state);
  int object_number = number(object), error = MPI_SUCCESS;
  Integer extra = of.extra, going = static_cast<Integer>(integers().value_of(value));
  of.erase(&object_number, &keyval, &going, &extra, &error);
  return error;
}

/// Reads a predefined attribute: they are pointers to int, except a window's base (an address) and its size.
MPI_Aint read(void* value, int keyval) {
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL: return *static_cast<int*>(value);
    case MPI_WIN_SIZE: return *static_cast<MPI_Aint*>(value);
    case MPI_WIN_BASE: return reinterpret_cast<MPI_Aint>(value);
    default: return integers().value_of(value);
  }
}

template <class Integer, class Get, class Kind>
int get_attribute(Get get, Kind object, int keyval, Integer* to, int* flag) {
  void* value = nullptr;
  int code = get(object, keyval, &value, flag);
  if (code == MPI_SUCCESS && *flag != 0) *to = static_cast<Integer>(read(value, keyval));
  return code;
}

template <class Integer>
void* pointer_of(const Integer* value) {
  return integers().place_of(*value);
}

template <class Integer, class Kind, class Create>
int create(Create make, Copy<Integer> copy, Delete<Integer> erase, int* keyval, const Integer* extra) {
  return make(copy_attribute<Integer, Kind>, delete_attribute<Integer, Kind>, keyval,
              new Keyval<Integer>{copy, erase, *extra});
}

template <class Integer>
void nothing_copied(int*, int*, Integer*, Integer*, Integer*, int* flag, int* error) {
  *flag = 0;
  *error = MPI_SUCCESS;
}
template <class Integer>
void value_copied(int*, int*, Integer*, Integer* in, Integer* out, int* flag, int* error) {
  *out = *in;
  *flag = 1;
  *error = MPI_SUCCESS;
}
template <class Integer>
void nothing_deleted(int*, int*, Integer*, Integer*, int* error) {
  *error = MPI_SUCCESS;
}

}  // namespace

extern "C" {

#define ATOLL_FORTRAN_ATTRIBUTES(kind, Kind, Handle) \
  void mpi_##kind##_create_keyval_(Copy<MPI_Aint> copy, Delete<MPI_Aint> erase, int* keyval, const MPI_Aint* extra, \
                                   int* ierror) { \
    give(ierror, create<MPI_Aint, Handle>(MPI_##Kind##_create_keyval, copy, erase, keyval, extra)); \
  } \
  void mpi_##kind##_get_attr_(const int* object, const int* keyval, MPI_Aint* value, int* flag, int* ierror) { \
    give(ierror, get_attribute(MPI_##Kind##_get_attr, handle<Handle>(object), *keyval, value, flag)); \
  } \
  void mpi_##kind##_set_attr_(const int* object, const int* keyval, const MPI_Aint* value, int* ierror) { \
    give(ierror, MPI_##Kind##_set_attr(handle<Handle>(object), *keyval, pointer_of(value))); \
  } \
  void mpi_##kind##_null_copy_fn_(int* o, int* k, MPI_Aint* x, MPI_Aint* in, MPI_Aint* out, int* flag, int* error) { \
    nothing_copied(o, k, x, in, out, flag, error); \
  } \
  void mpi_##kind##_dup_fn_(int* o, int* k, MPI_Aint* x, MPI_Aint* in, MPI_Aint* out, int* flag, int* error) { \
    value_copied(o, k, x, in, out, flag, error); \
  } \
  void mpi_##kind##_null_delete_fn_(int* o, int* k, MPI_Aint* value, MPI_Aint* x, int* error) { \
    nothing_deleted(o, k, value, x, error); \
  }
ATOLL_FORTRAN_ATTRIBUTES(comm, Comm, MPI_Comm)
ATOLL_FORTRAN_ATTRIBUTES(type, Type, MPI_Datatype)
ATOLL_FORTRAN_ATTRIBUTES(win, Win, MPI_Win)
#undef ATOLL_FORTRAN_ATTRIBUTES

// The MPI-1 functions, with default integers.
void mpi_keyval_create_(Copy<int> copy, Delete<int> erase, int* keyval, const int* extra, int* ierror) {
  give(ierror, create<int, MPI_Comm>(MPI_Comm_create_keyval, copy, erase, keyval, extra));
}
void mpi_attr_get_(const int* comm, const int* keyval, int* value, int* flag, int* ierror) {
  give(ierror, get_attribute(MPI_Comm_get_attr, handle<MPI_Comm>(comm), *keyval, value, flag));
}
void mpi_attr_put_(const int* comm, const int* keyval, const int* value, int* ierror) {
  give(ierror, MPI_Comm_set_attr(handle<MPI_Comm>(comm), *keyval, pointer_of(value)));
}
void mpi_null_copy_fn_(int* o, int* k, int* x, int* in, int* out, int* flag, int* error) {
  nothing_copied(o, k, x, in, out, flag, error);
}
void mpi_dup_fn_(int* o, int* k, int* x, int* in, int* out, int* flag, int* error) {
  value_copied(o, k, x, in, out, flag, error);
}
void mpi_null_delete_fn_(int* o, int* k, int* value, int* x, int* error) { nothing_deleted(o, k, value, x, error); }

}  // extern "C"
