// SPDX-License-Identifier: Apache-2.0
#include "fortran/convert.hpp"

namespace atl::mpi::fortran {

extern "C" {
// Programs define COMMON blocks with these names, and the dynamic linker merges them.
Places atoll_mpi_places_ = {};
Texts atoll_mpi_texts_ = {};

// The names of these constants in C, defined here for C libraries that lack them.
MPI_Fint* MPI_F_STATUS_IGNORE = atoll_mpi_places_.status_ignore;
MPI_Fint* MPI_F_STATUSES_IGNORE = atoll_mpi_places_.statuses_ignore;
MPI_F08_status* MPI_F08_STATUS_IGNORE = reinterpret_cast<MPI_F08_status*>(atoll_mpi_places_.status_ignore);
MPI_F08_status* MPI_F08_STATUSES_IGNORE = reinterpret_cast<MPI_F08_status*>(atoll_mpi_places_.statuses_ignore);
}

namespace {

// The dynamic linker may have resolved these names to other definitions, which are set here.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = atoll_mpi_places_.status_ignore;
  MPI_F_STATUSES_IGNORE = atoll_mpi_places_.statuses_ignore;
  MPI_F08_STATUS_IGNORE = reinterpret_cast<MPI_F08_status*>(atoll_mpi_places_.status_ignore);
  MPI_F08_STATUSES_IGNORE = reinterpret_cast<MPI_F08_status*>(atoll_mpi_places_.statuses_ignore);
}

}  // namespace

std::pair<int, int> sources_of(const int* comm) {
  MPI_Comm shaped = handle<MPI_Comm>(comm);
  int kind = MPI_UNDEFINED, in = 0, out = 0, weighted = 0;
  if (MPI_Topo_test(shaped, &kind) != MPI_SUCCESS) return {0, 0};
  if (kind == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(shaped, &in, &out, &weighted);
  } else if (kind == MPI_CART) {
    MPI_Cartdim_get(shaped, &in);
    in = out = 2 * in;
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    MPI_Comm_rank(shaped, &rank);
    MPI_Graph_neighbors_count(shaped, rank, &in);
    out = in;
  }
  return {in, out};
}

}  // namespace atl::mpi::fortran

using namespace atl::mpi::fortran;

extern "C" {

// ---- MPI_Init and functions whose arguments the function table cannot describe

void mpi_init_(int* ierror) { give(ierror, MPI_Init(nullptr, nullptr)); }
void mpi_init_thread_(const int* required, int* provided, int* ierror) {
  give(ierror, MPI_Init_thread(nullptr, nullptr, *required, provided));
}
void mpi_pcontrol_(const int* level) { MPI_Pcontrol(*level); }
void mpi_info_create_env_(int* info, int* ierror) {
  give(ierror, MPI_Info_create_env(0, nullptr, Handle<MPI_Info>(info)));
}
void mpi_f_sync_reg_(void*) {}
/// Both kinds of status are the same eight integers.
void mpi_status_f2f08_(const int* from, int* to, int* ierror) {
  std::memcpy(to, from, sizeof(MPI_Status));
  give(ierror, MPI_SUCCESS);
}
void mpi_status_f082f_(const int*, int*, int*) __attribute__((alias("mpi_status_f2f08_")));

// ---- lists of strings

namespace {

/// Strings of `length` characters, one after another, `stride` apart, up to a blank one.
struct List {
  List(const char* from, std::size_t length, std::size_t stride) {
    for (;; from += stride) {
      std::string text = text_of(from, length);
      if (text.empty()) break;
      texts.push_back(std::move(text));
    }
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }
  std::vector<std::string> texts;
  std::vector<char*> pointers;
};

int* codes_at(int* given) { return given == atoll_mpi_places_.errcodes_ignore ? MPI_ERRCODES_IGNORE : given; }

}  // namespace

void mpi_comm_spawn_(const char* command, const char* argv, const int* maxprocs, const int* info, const int* root,
                     const int* comm, int* intercomm, int* codes, int* ierror, std::size_t command_length,
                     std::size_t argv_length) {
  bool none = argv == atoll_mpi_texts_.argv_null;
  List list(none ? " " : argv, none ? 1 : argv_length, argv_length);
  give(ierror, MPI_Comm_spawn(Text(command, command_length), none ? MPI_ARGV_NULL : list.pointers.data(), *maxprocs,
                              handle<MPI_Info>(info), *root, handle<MPI_Comm>(comm), Handle<MPI_Comm>(intercomm),
                              codes_at(codes)));
}

void mpi_comm_spawn_multiple_(const int* count, const char* commands, const char* argvs, const int* maxprocs,
                              const int* infos, const int* root, const int* comm, int* intercomm, int* codes,
                              int* ierror, std::size_t command_length, std::size_t argv_length) {
  auto jobs = static_cast<std::size_t>(*count);
  std::vector<std::string> names;
  std::vector<List> lists;
  lists.reserve(jobs);  // a List holds pointers into itself and must not move
  for (std::size_t job = 0; job < jobs; ++job) {
    names.push_back(text_of(commands + job * command_length, command_length));
    // The arguments of one job are a row of a matrix.
    if (argvs != atoll_mpi_texts_.argvs_null)
      lists.emplace_back(argvs + job * argv_length, argv_length, jobs * argv_length);
  }
  std::vector<char*> name_pointers;
  std::vector<char**> list_pointers;
  for (std::string& name : names) name_pointers.push_back(name.data());
  for (List& list : lists) list_pointers.push_back(list.pointers.data());
  give(ierror,
       MPI_Comm_spawn_multiple(*count, name_pointers.data(), lists.empty() ? MPI_ARGVS_NULL : list_pointers.data(),
                               maxprocs, ConstHandles<MPI_Info>(infos, *count), *root, handle<MPI_Comm>(comm),
                               Handle<MPI_Comm>(intercomm), codes_at(codes)));
}

}  // extern "C"
