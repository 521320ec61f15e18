// SPDX-License-Identifier: Apache-2.0
// Callbacks of Fortran programs, which get integers for handles.
#include <link.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <tuple>

#include "fortran/convert.hpp"

namespace {

using namespace atl::mpi::fortran;

// User-defined operations and error handlers get no argument from which a C function could find the Fortran function.
// So there is one C function per slot, and this many slots.
constexpr std::size_t most = 256;

template <class Function>
class Seats {
 public:
  /// The slot of a function, always the same for a function; `most` when all are taken.
  std::size_t place(Function function) {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < used_; ++i)
      if (functions_[i] == function) return i;
    if (used_ == most) return most;
    functions_[used_] = function;
    return used_++;
  }
  Function operator[](std::size_t place) const { return functions_[place]; }

 private:
  std::mutex mutex_;
  std::array<Function, most> functions_{};
  std::size_t used_ = 0;
};

/// One C function for each slot: Make::at<place>.
template <class Make, std::size_t... place>
constexpr auto stand_ins(std::index_sequence<place...>) {
  return std::array{Make::template at<place>...};
}

template <class Count>
struct Operations {
  using Fortran = void (*)(void*, void*, Count*, int*);
  inline static Seats<Fortran> seats;
  template <std::size_t place>
  static void at(void* in, void* inout, Count* count, MPI_Datatype* type) {
    int type_number = number(*type);
    seats[place](in, inout, count, &type_number);
  }
};

template <class Kind>
struct Handlers {
  using Fortran = void (*)(int*, int*);
  inline static Seats<Fortran> seats;
  template <std::size_t place>
  static void at(Kind* object, int* code, ...) {
    int object_number = number(*object);
    seats[place](&object_number, code);
  }
};

template <class Make, class Create>
int create(typename Make::Fortran function, Create make) {
  static constexpr auto all = stand_ins<Make>(std::make_index_sequence<most>{});
  std::size_t place = Make::seats.place(function);
  return place == most ? MPI_ERR_NO_MEM : make(all[place]);
}

// ---- callbacks with an extra-state argument, which carries the Fortran function

/// Whether a variable is in read-only memory of the program or its libraries.
bool is_constant(const void* variable) {
  struct Search {
    std::uintptr_t at;
    bool found;
  } search{reinterpret_cast<std::uintptr_t>(variable), false};
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* state) {
        auto& wanted = *static_cast<Search*>(state);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0 && wanted.at >= begin &&
              wanted.at - begin < part.p_memsz)
            wanted.found = true;
        }
        return wanted.found ? 1 : 0;
      },
      &search);
  return search.found;
}

// Generalized requests. Other MPI libraries pass the program's own extra-state variable to the callbacks, and programs
// read changes from it. So changes are written back to it, unless it is a constant (`variable` is null then).
struct Generalized {
  void (*query)(MPI_Aint*, int*, int*);
  void (*free)(MPI_Aint*, int*);
  void (*cancel)(MPI_Aint*, int*, int*);
  MPI_Aint* variable;
  MPI_Aint extra;

  template <class... Arguments>
  int call(void (*function)(MPI_Aint*, Arguments...), Arguments... arguments) {
    const MPI_Aint before = extra;
    function(&extra, arguments...);
    if (extra != before && variable != nullptr) *variable = extra;
    return *std::get<sizeof...(arguments) - 1>(std::tuple(arguments...));
  }
};
int query_request(void* state, MPI_Status* status) {
  auto& of = *static_cast<Generalized*>(state);
  int error = MPI_SUCCESS;
  return of.call(of.query, reinterpret_cast<int*>(status), &error);
}
int free_request(void* state) {
  std::unique_ptr<Generalized> of(static_cast<Generalized*>(state));
  int error = MPI_SUCCESS;
  return of->call(of->free, &error);
}
int cancel_request(void* state, int complete) {
  auto& of = *static_cast<Generalized*>(state);
  int error = MPI_SUCCESS;
  return of.call(of.cancel, &complete, &error);
}

template <class Count>
struct Representation {
  using Convert = void (*)(void* memory, int* type, Count* count, void* file, MPI_Offset* position, MPI_Aint* extra,
                           int* error);
  using Extent = void (*)(int* type, MPI_Aint* extent, MPI_Aint* extra, int* error);
  Convert read, write;
  Extent extent;
  MPI_Aint extra;

  template <Convert Representation::* way>
  static int convert(void* memory, MPI_Datatype type, Count count, void* file, MPI_Offset position, void* state) {
    auto& of = *static_cast<Representation*>(state);
    int type_number = number(type), error = MPI_SUCCESS;
    (of.*way)(memory, &type_number, &count, file, &position, &of.extra, &error);
    return error;
  }
  static int measure(MPI_Datatype type, MPI_Aint* extent, void* state) {
    auto& of = *static_cast<Representation*>(state);
    int type_number = number(type), error = MPI_SUCCESS;
    of.extent(&type_number, extent, &of.extra, &error);
    return error;
  }
};

}  // namespace

extern "C" {

void mpi_conversion_fn_null_(void*, int*, void*, void*, MPI_Offset*, MPI_Aint*, int*) {}

void mpi_op_create_(void (*function)(void*, void*, int*, int*), const int* commute, int* op, int* ierror) {
  give(ierror,
       create<Operations<int>>(function, [&](auto c) { return MPI_Op_create(c, *commute, Handle<MPI_Op>(op)); }));
}
void mpi_op_create_c_(void (*function)(void*, void*, MPI_Count*, int*), const int* commute, int* op, int* ierror) {
  give(ierror, create<Operations<MPI_Count>>(function,
                                             [&](auto c) { return MPI_Op_create_c(c, *commute, Handle<MPI_Op>(op)); }));
}

#define ATOLL_FORTRAN_HANDLER(kind, Kind) \
  void mpi_##kind##_create_errhandler_(void (*function)(int*, int*), int* errhandler, int* ierror) { \
    give(ierror, create<Handlers<MPI_##Kind>>(function, [&](auto c) { \
           return MPI_##Kind##_create_errhandler(c, Handle<MPI_Errhandler>(errhandler)); \
         })); \
  }
ATOLL_FORTRAN_HANDLER(comm, Comm)
ATOLL_FORTRAN_HANDLER(file, File)
ATOLL_FORTRAN_HANDLER(session, Session)
ATOLL_FORTRAN_HANDLER(win, Win)
#undef ATOLL_FORTRAN_HANDLER

void mpi_grequest_start_(void (*query)(MPI_Aint*, int*, int*), void (*free)(MPI_Aint*, int*),
                         void (*cancel)(MPI_Aint*, int*, int*), MPI_Aint* extra, int* request, int* ierror) {
  auto* state = new Generalized{query, free, cancel, is_constant(extra) ? nullptr : extra, *extra};
  give(ierror, MPI_Grequest_start(query_request, free_request, cancel_request, state, Handle<MPI_Request>(request)));
}

// A data representation lives as long as the process.
void mpi_register_datarep_(const char* name, Representation<int>::Convert read, Representation<int>::Convert write,
                           Representation<int>::Extent extent, const MPI_Aint* extra, int* ierror,
                           std::size_t name_length) {
  using R = Representation<int>;
  auto none = reinterpret_cast<R::Convert>(mpi_conversion_fn_null_);
  give(ierror,
       MPI_Register_datarep(Text(name, name_length), read == none ? MPI_CONVERSION_FN_NULL : R::convert<&R::read>,
                            write == none ? MPI_CONVERSION_FN_NULL : R::convert<&R::write>, R::measure,
                            new R{read, write, extent, *extra}));
}

}  // extern "C"
