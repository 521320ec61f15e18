// SPDX-License-Identifier: Apache-2.0
#include "environment/environment.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "comm/comm.hpp"
#include "core/aligned.hpp"
#include "core/codes.hpp"
#include "core/info.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

enum class Life : int { before, running, after };
std::atomic<Life> world_life{Life::before};
std::thread::id main_thread;

// Blocks of MPI_Alloc_mem that MPI_Free_mem has not freed.
struct Given {
  std::mutex mutex;
  std::unordered_map<void*, void*> blocks;  // address that the program got -> block of the heap
};
Given& given() {
  static auto& all = *new Given;
  return all;
}
[[maybe_unused]] const bool forgotten = (add_end([] { given().blocks.clear(); }), true);

void make_world() {
  std::vector<PeId> all;
  for (std::uint32_t rank = 0; rank < library().npes(); ++rank)
    all.push_back(library().one_sided().world().pe_of(rank));
  auto& world = *new Comm(1, make<Group>(std::move(all)), Ref<Group>());
  world.predefine(reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD));
  *world.name() = "MPI_COMM_WORLD";
  world.coll();
  auto& self = *new Comm(2, make<Group>(std::vector{library().pe()}), Ref<Group>());
  self.predefine(reinterpret_cast<std::uintptr_t>(MPI_COMM_SELF));
  *self.name() = "MPI_COMM_SELF";
  self.share_errors(default_errors());
}

// MPI_INFO_ENV: how the program was started.
Info::Entries describe_start() {
  std::string processes = is_active() ? fmt::format("{}", library().npes()) : config::text(config::Variable::npes);
  Info::Entries entries{{"thread_level", "MPI_THREAD_MULTIPLE"}, {"maxprocs", processes.empty() ? "1" : processes}};
  std::ifstream line("/proc/self/cmdline");
  std::string word, arguments;
  if (std::getline(line, word, '\0')) entries.emplace_back("command", word);
  while (std::getline(line, word, '\0')) arguments += (arguments.empty() ? "" : " ") + word;
  if (!arguments.empty()) entries.emplace_back("argv", arguments);
  std::error_code ignored;
  entries.emplace_back("wdir", std::filesystem::current_path(ignored).string());
  utsname names{};
  if (::uname(&names) == 0) {
    entries.emplace_back("host", names.nodename);
    entries.emplace_back("arch", names.machine);
  }
  return entries;
}

void give_text(const std::string& text, std::size_t longest, char* to, int* length) {
  std::size_t copied = std::min(text.size(), longest - 1);
  std::memcpy(to, text.data(), copied);
  to[copied] = '\0';
  *length = static_cast<int>(copied);
}

std::vector<void (*)()>& beginnings() {
  static auto& all = *new std::vector<void (*)()>;
  return all;
}

[[maybe_unused]] const bool described = (describe_environment_by(describe_start), true);

struct Booleans {
  bool set = false;
  int size = 0;
  unsigned char yes[16] = {}, no[16] = {};
} booleans;

}  // namespace

void at_beginning(void (*begin)()) { beginnings().push_back(begin); }

// All functions are thread-safe, so every thread level costs the same.
void init(int required, int* provided) {
  ATOLL_MPI_REQUIRE(world_life.load() == Life::before, MPI_ERR_OTHER, "MPI_Init was called twice");
  if (required == MPI_THREAD_MULTIPLE) let_all_threads_call();
  enter_library();
  main_thread = std::this_thread::get_id();
  make_world();
  set_environment_info();
  for (auto begin : beginnings()) begin();
  world_life.store(Life::running);
  if (provided != nullptr) *provided = MPI_THREAD_MULTIPLE;
}

void finalize(void (*look)()) {
  ATOLL_MPI_REQUIRE(world_life.load() == Life::running, MPI_ERR_OTHER, "MPI_Finalize without MPI_Init, or twice");
  // First, because programs use attributes of MPI_COMM_SELF as finalisation callbacks.
  Comm& self = need<Comm>(MPI_COMM_SELF);
  self.attributes()->clear(self);
  Comm& world = need<Comm>(MPI_COMM_WORLD);
  world.attributes()->clear(world);
  if (look != nullptr) look();
  // After failures the remaining steps are skipped: the ranks separate in Library::leave().
  if (library().job().deaths() == 0) {
    try {
      world.coll().barrier();
    } catch (const Failure&) {  // the communicator was revoked, or a rank has just failed
    }
  }
  world.end_coll();
  self.end_coll();
  world.dismiss();
  self.dismiss();
  world_life.store(Life::after);
  leave_library();
}

void initialized(int* flag) { *flag = world_life.load() != Life::before; }
void finalized(int* flag) { *flag = world_life.load() == Life::after; }
void is_thread_main(int* flag) { *flag = std::this_thread::get_id() == main_thread; }

void abort(MPI_Comm, int code) {
  int status = (code & 0xFF) != 0 ? code & 0xFF : 1;
  std::fflush(nullptr);
  end_job(Call{"MPI_Abort"}, fmt::format("the program ends the job with code {}", code), status);
}

// Allocates from the symmetric heap, which the PEs of a node access directly.
void alloc_mem(MPI_Aint size, MPI_Info info, void* place) {
  ATOLL_MPI_REQUIRE(size >= 0 && place != nullptr, MPI_ERR_ARG, "memory of {} bytes, or nowhere to tell where it is",
                    size);
  const AlignedBlock memory = allocate_aligned(static_cast<std::size_t>(size), alignment_of(entries_of(info)));
  std::lock_guard lock(given().mutex);
  given().blocks.emplace(memory.start, memory.block);
  *static_cast<void**>(place) = memory.start;
}

void free_mem(void* base) {
  if (base == nullptr) return;
  void* block = nullptr;
  {
    std::lock_guard lock(given().mutex);
    auto node = given().blocks.extract(base);
    ATOLL_MPI_REQUIRE(!node.empty(), MPI_ERR_BASE, "the memory at {} is none of MPI_Alloc_mem's, or has been freed",
                      base);
    block = node.mapped();
  }
  library().memory().heap().release(block);
}

void library_version(char* text, int* length) {
  give_text("Atoll 0.1.0, MPI 5.0 standard ABI", MPI_MAX_LIBRARY_VERSION_STRING, text, length);
}

void processor_name(char* text, int* length) {
  utsname names{};
  ::uname(&names);
  give_text(names.nodename, MPI_MAX_PROCESSOR_NAME, text, length);
}

// Ranks of a host share memory; smaller resources have hwloc's names.
void hw_resource_info(MPI_Info* info) {
  Info::Entries entries{{"mpi_shared_memory", "true"}};
  for (const Resource& one : bound_resources())
    if (one.exists) entries.emplace_back(fmt::format("hwloc://{}", one.kind), one.instance >= 0 ? "true" : "false");
  give_info(entries, info);
}

void abi_info(MPI_Info* info) {
  give_info({{"mpi_aint_size", "8"}, {"mpi_count_size", "8"}, {"mpi_offset_size", "8"}}, info);
}

void abi_fortran_info(MPI_Info* info) { *info = MPI_INFO_NULL; }

void abi_set_fortran_info(MPI_Info) { fail(MPI_ERR_ABI, "there is no Fortran interface to tell about"); }

void abi_set_fortran_booleans(int size, void* yes, void* no) {
  ATOLL_MPI_REQUIRE(size == 1 || size == 2 || size == 4 || size == 8 || size == 16, MPI_ERR_ARG,
                    "a logical of {} bytes", size);
  ATOLL_MPI_REQUIRE(!booleans.set, MPI_ERR_ABI, "Fortran's logical values have been set before");
  booleans.set = true;
  booleans.size = size;
  std::memcpy(booleans.yes, yes, static_cast<std::size_t>(size));
  std::memcpy(booleans.no, no, static_cast<std::size_t>(size));
}

void abi_get_fortran_booleans(int size, void* yes, void* no, int* is_set) {
  *is_set = booleans.set && booleans.size == size;
  if (*is_set == 0) return;
  std::memcpy(yes, booleans.yes, static_cast<std::size_t>(size));
  std::memcpy(no, booleans.no, static_cast<std::size_t>(size));
}

}  // namespace atl::mpi
