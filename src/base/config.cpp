// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/config.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "atoll/base/closest_word.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"

namespace atl::config {
namespace {

using V = Variable;
constexpr std::array table{
    Entry{V::threads, "ATOLL_THREADS", Kind::integer, "0", "", 0, 4096,
          "Threads per PE. 0: all cores of the node, shared evenly by its PEs."},
    Entry{
        V::heap_size, "ATOLL_HEAP_SIZE", Kind::bytes, "0", "", 4 << 20, 0,
        "Address space of each PE's segment, 4 MiB or more. 0: the node's memory, or less where `ulimit -v` leaves less. Pages "
        "are used only when touched. One PE alone may use it all for arrays, several half of it."},
    Entry{V::memory_limit, "ATOLL_MEMORY_LIMIT", Kind::bytes, "0", "", 0, 0,
          "Most bytes of arrays per PE. 0: what the node has available, shared evenly by its PEs."},
    Entry{
        V::spill_dir, "ATOLL_SPILL_DIR", Kind::text, "", "", 0, 0,
        "Directory for rows of scans that do not fit in memory. Default: TMPDIR, or /tmp. Files there have no name, so "
        "the kernel removes them when their process ends, also after a crash."},
    Entry{V::spill_limit, "ATOLL_SPILL_LIMIT", Kind::bytes, "0", "", 0, 0,
          "Most bytes of each PE in files of ATOLL_SPILL_DIR. 0: the free space of the file system, less a twentieth."},
    Entry{
        V::pool_size, "ATOLL_POOL_SIZE", Kind::bytes, "0", "", 0, 0,
        "Freed memory kept for reuse, per PE. 0: three quarters of ATOLL_MEMORY_LIMIT, which it counts against; without one, an eighth "
        "of what is available."},
    Entry{V::pool_idle, "ATOLL_POOL_IDLE", Kind::seconds, "10", "", 0, 0,
          "Seconds without an operation after which memory kept for reuse goes back to the system. 0: never."},
    Entry{V::huge_pages, "ATOLL_HUGE_PAGES", Kind::choice, "auto", "off|auto", 0, 0,
          "Ask the kernel for 2 MiB pages for large blocks."},
    Entry{
        V::simd, "ATOLL_SIMD", Kind::choice, "auto", "auto|sse4|avx2|avx512|neon", 0, 0,
        "Highest SIMD level to use: sse4, avx2, avx512 on x86-64, neon on aarch64. auto: the best the processor has."},
    Entry{V::grain, "ATOLL_GRAIN", Kind::integer, "1024", "", 1, 1 << 20,
          "Elements that always stay together on one PE. Changes how small arrays are spread, for tests."},
    Entry{
        V::small_elements, "ATOLL_SMALL_ELEMENTS", Kind::integer, "65536", "", 0, 1 << 24,
        "In a driver session: operations whose arrays have at most so many elements, all together, run on PE 0 alone. "
        "0: every operation runs on all PEs."},
    Entry{V::spin_us, "ATOLL_SPIN_US", Kind::integer, "20", "", 0, 1000000,
          "Microseconds a wait spins before it yields and then blocks, when cores are not over-subscribed."},
    Entry{V::peer_timeout, "ATOLL_PEER_TIMEOUT", Kind::seconds, "60", "", 0, 0,
          "Seconds after which a collective operation gives up on a PE that is alive but does not take part, and after "
          "which a host, or a PE that owes an answer, counts as failed. 0: never."},
    Entry{V::progress, "ATOLL_PROGRESS", Kind::choice, "auto", "auto|on|off", 0, 0,
          "Progress bars. auto: for operations over a second, on a terminal or in a notebook."},
    Entry{V::coll, "ATOLL_COLL", Kind::text, "", "", 0, 0,
          "Algorithms that collectives must use, for measuring: \"allreduce=recursive_doubling,broadcast=binomial\"."},
    Entry{
        V::coll_table, "ATOLL_COLL_TABLE", Kind::text, "", "", 0, 0,
        "Path of a table of the fastest algorithms of collectives, measured by `atoll tune`. Alike on all PEs. Default: rules that "
        "come with Atoll."},
    Entry{V::aggregation_hops, "ATOLL_AGGREGATION_HOPS", Kind::choice, "auto", "auto|1|2", 0, 0,
          "Route of aggregated operations to a PE of another node, for measuring. 1: direct. 2: through one PE of that "
          "node, so that operations for its PEs share messages."},
    Entry{V::shmem_check, "ATOLL_SHMEM_CHECK", Kind::choice, "0", "0|1", 0, 0,
          "1: OpenSHMEM checks addresses, PEs, overlaps and contexts in every call; no routine is inlined."},
    Entry{V::shmem_version, "SHMEM_VERSION", Kind::text, "", "", 0, 0, "Set: print the version of OpenSHMEM at start."},
    Entry{V::shmem_info, "SHMEM_INFO", Kind::text, "", "", 0, 0, "Set: print OpenSHMEM's variables at start."},
    Entry{V::shmem_debug, "SHMEM_DEBUG", Kind::text, "", "", 0, 0,
          "Set: OpenSHMEM prints the reason when an allocation fails."},
    Entry{
        V::mpiio_stats, "ATOLL_MPIIO_STATS", Kind::text, "", "", 0, 0,
        "Statistics of MPI files. 1: a table on standard error when a file is closed. A path: also a line of JSON per rank, "
        "added to that file. `atoll mpiio` draws them."},
    Entry{V::mpi_check, "ATOLL_MPI_CHECK", Kind::choice, "0", "0|1", 0, 0,
          "1: MPI looks for faults of the program: collectives that do not match, buffers that overlap, freed handles, "
          "requests and communicators that are never freed, deadlocks. All calls become slower."},
    Entry{
        V::spmd_check, "ATOLL_SPMD_CHECK", Kind::choice, "0", "0|1", 0, 0,
        "1: PEs of `atoll run` compare every array operation, its arguments and the calling line before they run it, and "
        "raise at the first difference. Every operation becomes slower."},
    Entry{
        V::progress_core, "ATOLL_PROGRESS_CORE", Kind::text, "auto", "", 0, 0,
        "Whether MPI's non-blocking collectives and long messages progress while the program computes. auto: where the "
        "node has more cores than PEs. none: never. A number: that core of each node is reserved for progress, and PEs "
        "do not use it."},
    Entry{
        V::unexpected_limit, "ATOLL_MPI_UNEXPECTED_LIMIT", Kind::bytes, "512M", "", 1 << 20, 0,
        "Memory at each rank for messages that arrive before their receives, an even share of it for each sender and for every eighth "
        "communicator. Half of it is for payload, half for 512 bytes of each message. A blocking send beyond it waits for the receiver, "
        "with a warning. Alike on all ranks."},
    Entry{V::cc, "ATOLL_CC", Kind::text, "cc", "", 0, 0, "The C compiler that oshcc calls."},
    Entry{V::cxx, "ATOLL_CXX", Kind::text, "c++", "", 0, 0, "The C++ compiler that oshc++ calls."},
    Entry{
        V::fabric_provider, "ATOLL_FABRIC_PROVIDER", Kind::text, "", "", 0, 0,
        "libfabric's provider between nodes, as `fi_info` calls it. Default: the fastest available. Alike on all nodes."},
    Entry{
        V::fabric_rma, "ATOLL_FABRIC_RMA", Kind::choice, "auto", "auto|off|register|refuse", 0, 0,
        "off: long transfers between nodes are sent as messages, as on networks without remote memory access. For tests: "
        "register: private memory is registered first, as on networks that require it; refuse: its registration fails."},
    Entry{
        V::fabric_endpoints, "ATOLL_FABRIC_ENDPOINTS", Kind::integer, "0", "", 0, 16,
        "Endpoints of the network per PE: threads are spread over them. 0: as many as the PE has threads, at most 4."},
    Entry{V::fabric_interfaces, "ATOLL_FABRIC_INTERFACES", Kind::text, "", "", 0, 0,
          "The network interfaces to use, separated by commas, named as libfabric names their domains: PEs, and the "
          "endpoints of each, are spread over them. Default: those nearest to the PE; for tcp only the fastest."},
    Entry{V::network_security, "ATOLL_NETWORK_SECURITY", Kind::choice, "auth", "auth|encrypt|none", 0, 0,
          "Protection of connections between hosts: those of the launcher, and those of PEs over TCP. auth: messages "
          "cannot be changed, forged or replayed. encrypt: like auth, and messages cannot be read. none: for trusted "
          "networks. Alike on all nodes."},
    Entry{
        V::kernel_copy, "ATOLL_KERNEL_COPY", Kind::choice, "auto", "auto|off", 0, 0,
        "Copies of private memory between processes of one host. auto: by the kernel, where it is allowed and faster. "
        "off: two copies through shared memory."},
    Entry{V::node_name, "ATOLL_NODE_NAME", Kind::text, "", "", 0, 0,
          "Name of this process's node and host. PEs with different names do not share memory, even on one host: for "
          "tests."},
    Entry{V::log, "ATOLL_LOG", Kind::choice, "warning", "error|warning|info|debug", 0, 0,
          "Lowest severity of messages that are logged on standard error."},
    Entry{V::bootstrap, "ATOLL_BOOTSTRAP", Kind::choice, "auto", "auto|none|pmix|pmi2|pmi1|atoll", 0, 0,
          "Method by which PEs that a launcher started (srun, mpiexec, prterun, `atoll run --hosts`) find one another. "
          "auto: the method that the launcher offers. none: each process is a separate job."},
    Entry{V::pmix_library, "ATOLL_PMIX_LIBRARY", Kind::text, "", "", 0, 0,
          "Path of libpmix. Default: the one the launcher itself uses, or the system's."},
    Entry{
        V::launch_agent, "ATOLL_LAUNCH_AGENT", Kind::text, "ssh -o BatchMode=yes", "", 0, 0,
        "Command with which `atoll run --hosts` runs a program on another host: its name follows, or replaces {host}."},
    Entry{
        V::address, "ATOLL_ADDRESS", Kind::text, "", "", 0, 0,
        "Address, name or interface of this host that the other hosts of a job can reach. Default: the source address of "
        "packets to these hosts."},
    Entry{V::pe, "ATOLL_PE", Kind::text, "", "", 0, 0, "This PE's rank. Set by the launcher."},
    Entry{V::npes, "ATOLL_NPES", Kind::text, "", "", 0, 0, "PEs in the job. Set by the launcher."},
    Entry{V::program, "ATOLL_PROGRAM", Kind::integer, "0", "", 0, 65535,
          "Which of the job's programs this PE runs. Set by the launcher."},
    Entry{V::guests, "ATOLL_GUESTS", Kind::text, "", "", 0, 0,
          "PEs that were spawned together with this one. Set by MPI_Comm_spawn."},
    Entry{V::agent, "ATOLL_AGENT", Kind::text, "", "", 0, 0,
          "The inherited socket to the launcher's agent on this host. Set by the launcher."},
    Entry{V::job, "ATOLL_JOB", Kind::text, "", "", 0, 0, "Information for joining the job. Set by the launcher."},
    Entry{
        V::shmem_symmetric_size, "SHMEM_SYMMETRIC_SIZE", Kind::text, "", "", 0, 0,
        "OpenSHMEM: size of each PE's symmetric heap, a number with k, m, g or t. Default: half of the segment; one PE alone has "
        "it all."},
};
static_assert(table.size() == static_cast<std::size_t>(V::count_));

const Entry& entry_of(Variable variable) { return table[static_cast<std::size_t>(variable)]; }

std::string raw(const Entry& entry) {
  const char* value = std::getenv(std::string(entry.name).c_str());
  // OpenSHMEM's older names.
  if (value == nullptr && entry.name.starts_with("SHMEM_"))
    value = std::getenv(("SMA_" + std::string(entry.name.substr(6))).c_str());
  return value != nullptr && *value != '\0' ? std::string(value) : std::string(entry.default_value);
}

template <class T>
bool parse_whole(const std::string& text, T& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

// Empty: no variable has a similar name.
std::string_view nearest_name(std::string_view name) {
  std::array<std::string_view, table.size()> names;
  std::transform(table.begin(), table.end(), names.begin(), [](const Entry& entry) { return entry.name; });
  return closest_word(name, names, std::string_view("ATOLL_").size());
}

void validate(const Entry& entry) {
  switch (entry.kind) {
    case Kind::integer: integer(entry.variable); break;
    case Kind::bytes: bytes(entry.variable); break;
    case Kind::seconds: seconds(entry.variable); break;
    case Kind::choice: choice(entry.variable); break;
    case Kind::text: break;
  }
}

}  // namespace

std::span<const Entry> entries() { return table; }

std::int64_t integer(Variable variable) {
  const Entry& entry = entry_of(variable);
  std::string value = raw(entry);
  std::int64_t number = 0;
  ATOLL_VALIDATE(parse_whole(value, number) && number >= entry.minimum && number <= entry.maximum, ValueError,
                 "{}='{}' is not valid. Accepted: a whole number from {} to {}", entry.name, value, entry.minimum,
                 entry.maximum);
  return number;
}

std::uint64_t bytes(Variable variable) {
  const Entry& entry = entry_of(variable);
  std::uint64_t number = parse_bytes(raw(entry), entry.name);
  ATOLL_VALIDATE(number == 0 || number >= static_cast<std::uint64_t>(entry.minimum), ValueError,
                 "{}='{}' is not valid. Accepted: {} or more, or 0", entry.name, raw(entry),
                 format_bytes(static_cast<std::uint64_t>(entry.minimum)));
  return number;
}

double seconds(Variable variable) {
  const Entry& entry = entry_of(variable);
  std::string value = raw(entry);
  double number = 0;
  ATOLL_VALIDATE(parse_whole(value, number) && number >= 0 && number < 1e9, ValueError,
                 "{}='{}' is not valid. Accepted: seconds, 0 or more", entry.name, value);
  return number;
}

int choice(Variable variable) {
  const Entry& entry = entry_of(variable);
  std::string value = raw(entry);
  std::string_view rest = entry.choices;
  for (int index = 0;; ++index) {
    auto bar = rest.find('|');
    if (rest.substr(0, bar) == value) return index;
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  raise<ValueError>(fmt::format("{}='{}' is not valid. Accepted: {}", entry.name, value, entry.choices));
}

std::string text(Variable variable) { return raw(entry_of(variable)); }

void set(Variable variable, const std::string& value) {
  const std::string name(entry_of(variable).name), before = raw(entry_of(variable));
  ::setenv(name.c_str(), value.c_str(), 1);
  try {
    validate(entry_of(variable));
  } catch (...) {
    ::setenv(name.c_str(), before.c_str(), 1);
    throw;
  }
}

std::string launcher_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::uint64_t symmetric_bytes() {
  const Entry& entry = entry_of(V::shmem_symmetric_size);
  std::string value = raw(entry);
  if (value.empty()) return 0;
  double number = 0;
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number, std::chars_format::fixed);
  // What follows the one letter is ignored, as the standard says.
  static constexpr std::string_view letters = "kmgt";
  char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(*end)));
  auto at = letters.find(letter);
  bool known = letter == '\0' || at != std::string_view::npos;
  double bytes = letter == '\0' ? number : std::ldexp(number, 10 * (static_cast<int>(at) + 1));
  ATOLL_VALIDATE(error == std::errc{} && known && number >= 0 && bytes < 0x1.0p62, ValueError,
                 "{}='{}' is not valid. Accepted: a number, 0 or more, with k, m, g or t: 512m, 1.5g", entry.name,
                 value);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(bytes)));
}

void validate_environment() {
  for (const Entry& entry : table) validate(entry);
  symmetric_bytes();
}

void warn_of_unknown_names() {
  static std::atomic<bool> said{false};
  if (!text(V::pe).empty() || said.exchange(true)) return;
  for (char** item = environ; item != nullptr && *item != nullptr; ++item) {
    std::string_view assignment(*item);
    if (!assignment.starts_with("ATOLL_")) continue;
    std::string_view name = assignment.substr(0, assignment.find('='));
    bool known = false;
    for (const Entry& entry : table) known = known || entry.name == name;
    if (known) continue;
    std::string_view meant = nearest_name(name);
    std::string hint =
        meant.empty() ? "`atoll info --config` lists those that exist" : fmt::format("did you mean {}?", meant);
    log(LogLevel::warning, "unknown variable {} is ignored; {}", name, hint);
  }
}

}  // namespace atl::config
