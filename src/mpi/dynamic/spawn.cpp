// SPDX-License-Identifier: Apache-2.0
#include "dynamic/spawn.hpp"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <ifaddrs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/bootstrap/process.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/launch/guests.hpp"
#include "atoll/runtime/progress.hpp"
#include "comm/create.hpp"
#include "core/guest.hpp"
#include "core/library.hpp"
#include "dynamic/meeting.hpp"
#include "environment/environment.hpp"

namespace atl::mpi {
namespace {

constexpr double seconds_to_end = 10;

// bin/atoll-run beside the folder that this library lies in.
std::string launcher_path() {
  Dl_info here{};
  ::dladdr(reinterpret_cast<void*>(&launcher_path), &here);
  auto path =
      std::filesystem::weakly_canonical(here.dli_fname != nullptr ? here.dli_fname : "").parent_path().parent_path() /
      "bin" / "atoll-run";
  ATOLL_MPI_REQUIRE(::access(path.c_str(), X_OK) == 0, MPI_ERR_SPAWN,
                    "there is no launcher at '{}', which would start processes", path.string());
  return path.string();
}

bool runs(const std::filesystem::path& path) {
  return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path);
}

// Where the program is: beside `directory` when it is a path, else in `places` or PATH.
std::string program_path(const std::string& command, const std::string& directory, const std::string& places) {
  if (command.find('/') != std::string::npos) {
    std::filesystem::path path = std::filesystem::path(directory) / command;  // an absolute one stays
    ATOLL_MPI_REQUIRE(runs(path), MPI_ERR_SPAWN, "there is no program '{}'", path.string());
    return path.string();
  }
  const std::string usual = config::launcher_variable("PATH");
  std::string list = places.empty() ? "" : places + ":";
  list += usual.empty() ? "/usr/local/bin:/usr/bin:/bin" : usual;
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = std::min(list.find(':', begin), list.size());
    std::filesystem::path folder = begin == end ? "." : list.substr(begin, end - begin);
    if (runs(folder / command)) return (folder / command).string();
    begin = end + 1;
  }
  // As programs are usually started: from where one is.
  ATOLL_MPI_REQUIRE(runs(std::filesystem::path(directory) / command), MPI_ERR_SPAWN, "there is no program '{}' in PATH",
                    command);
  return (std::filesystem::path(directory) / command).string();
}

// "a,b:2": slots say how many processes may run on a host that the launcher is given, and these it knows.
void add_hosts(std::vector<std::string>& hosts, std::string_view list) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (const std::size_t colon = name.find(':'); colon == name.rfind(':')) name = name.substr(0, colon);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (!name.empty()) hosts.emplace_back(name);
  }
}

void add_hosts_in_file(std::vector<std::string>& hosts, const std::string& path) {
  try {
    for (std::string& name : runtime::hosts_in_file(path)) hosts.push_back(std::move(name));
  } catch (const Error& error) { fail(MPI_ERR_SPAWN, "{}", error.what()); }
}

bool is_address_of_this_host(const std::string& text) {
  in_addr wanted{};
  if (::inet_pton(AF_INET, text.c_str(), &wanted) != 1) return false;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return false;
  bool found = false;
  for (const ifaddrs* one = list; one != nullptr && !found; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof(address));
    found = address.sin_addr.s_addr == wanted.s_addr;
  }
  ::freeifaddrs(list);
  return found;
}

// For jobs of one host, in which no launcher starts processes elsewhere. With several names one has to be this host's.
void check_hosts_of_job_on_one_host(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return;
  utsname names{};
  ::uname(&names);
  const std::string pretended = config::text(config::Variable::node_name);
  const auto& bootstrap = runtime::process_membership().bootstrap;
  std::string here = !pretended.empty() ? pretended : bootstrap ? bootstrap->host_name() : names.nodename;
  here.erase(0, here.find('@') + 1);  // "user@reef"; erases nothing without "@"
  const auto short_name = [](const std::string& name) { return name.substr(0, name.find('.')); };
  for (const std::string& host : hosts)
    if (host == here || host == "localhost" || short_name(host) == here || host == short_name(here) ||
        host == names.nodename || is_address_of_this_host(host))
      return;
  fail(MPI_ERR_SPAWN,
       "no process can be started on host {} (this job was started on {} alone). Start it with the list of all hosts "
       "(mpiexec --hosts)?",
       hosts.front(), here);
}

runtime::GuestProgram program_of(const char* command, char** arguments, int count, MPI_Info info) {
  ATOLL_MPI_REQUIRE(command != nullptr && *command != '\0', MPI_ERR_ARG, "no command is given");
  ATOLL_MPI_REQUIRE(count >= 1, MPI_ERR_ARG, "{} processes to start", count);
  runtime::GuestProgram program{.command = {}, .count = static_cast<std::uint32_t>(count), .directory = {}};
  const bool by_launcher = library().job().nodes() > 1;
  std::string places, directory = std::filesystem::current_path();
  for (const auto& [key, value] : entries_of(info)) {
    if (key == "wdir") program.directory = directory = value;
    if (key == "path") places = value;
    if (key == "host" || key == "add-host") add_hosts(program.hosts, value);
    if (key == "hostfile" || key == "add-hostfile") add_hosts_in_file(program.hosts, value);
  }
  if (!by_launcher) check_hosts_of_job_on_one_host(program.hosts);
  if (by_launcher) {
    // Each host looks for it.
    program.directory = directory;
    program.path = places;
    program.command.emplace_back(command);
    for (char** argument = arguments; argument != nullptr && *argument != nullptr; ++argument)
      program.command.emplace_back(*argument);
    return program;
  }
  ATOLL_MPI_REQUIRE(program.directory.empty() || std::filesystem::is_directory(program.directory), MPI_ERR_SPAWN,
                    "there is no folder '{}'", program.directory);
  program.command.push_back(program_path(command, directory, places));
  for (char** argument = arguments; argument != nullptr && *argument != nullptr; ++argument)
    program.command.emplace_back(*argument);
  return program;
}

// Their keepers end them.
void give_up(fabric::Cohort cohort) {
  fabric::Job& job = library().job();
  if (job.nodes() > 1) return runtime::guest_desk()->give_up(cohort);
  for (std::uint32_t guest = 0; guest < cohort.count; ++guest) {
    PeId pe(cohort.first.value() + guest);
    if (!job.has_died(pe)) job.give_up_guest(pe);
  }
}

// The processes that the root of a spawn has started. They are told to leave when the call ends with an error, because
// no rank waits for them then.
class Children {
 public:
  Children() = default;
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    if (cohort_) give_up(*cohort_);
  }
  void start(fabric::Cohort cohort) { cohort_ = cohort; }
  void keep() { cohort_.reset(); }

 private:
  std::optional<fabric::Cohort> cohort_;
};

// The leader of the guests says that all have joined.
void wait_for_guests(fabric::Cohort cohort, std::uint64_t bits) {
  fabric::Job& job = library().job();
  std::byte nothing;
  Exchange hello;
  hello.receive(cohort.first, bits, &nothing, 0);
  bool failed = false;
  library().progress().wait([&] {
    if (hello.ready()) return true;
    for (std::uint32_t guest = 0; guest < cohort.count; ++guest)
      failed = failed || job.has_died(PeId(cohort.first.value() + guest));
    return failed;
  });
  if (!failed) return;
  fail(MPI_ERR_SPAWN, "of {} processes one at least has ended before it came to MPI_Init, or could not be started",
       cohort.count);
}

// By the launcher of a job of several nodes, which makes them known to all processes.
fabric::Cohort start_by_launcher(const std::vector<runtime::GuestProgram>& programs, std::uint32_t count) {
  runtime::GuestDesk* desk = runtime::guest_desk();
  const fabric::Job& job = library().job();
  ATOLL_MPI_REQUIRE(
      desk != nullptr, MPI_ERR_SPAWN,
      "the launcher of this job of several hosts starts no processes in a running job (srun, prterun and MPICH's mpiexec "
      "do not). Start the job with Atoll's mpiexec --hosts?");
  const std::uint32_t request = desk->ask(programs, job.guest_areas());
  std::optional<runtime::GuestDesk::Answer> answer;
  library().progress().wait([&] {
    if (!answer) answer = desk->answer(request);
    return answer.has_value();
  });
  ATOLL_MPI_REQUIRE(answer->refusal.empty(), MPI_ERR_SPAWN, "{}", answer->refusal);
  return {answer->first, count};
}

bool guests_are_ending(const fabric::Job& job) {
  for (PeId pe(job.npes()); pe.value() < job.npes() + job.guests(); pe = PeId(pe.value() + 1))
    if (job.record(pe).is_gone.load() == 0 && (job.has_left(pe) || job.has_died(pe))) return true;
  return false;
}

// Processes that have left MPI need a little time to end, and have their memory until then.
std::optional<PeId> take_guests(fabric::Job& job, std::uint32_t count) {
  std::optional<PeId> first = job.take_guests(count);
  if (first || count > job.guest_areas()) return first;
  (void)library().progress().wait(
      [&] {
        const bool ending = guests_are_ending(job);
        first = job.take_guests(count);
        return first || !ending;
      },
      Deadline::after_seconds(seconds_to_end));
  return first;
}

Meeting start(std::vector<runtime::GuestProgram> programs, Children& children) {
  fabric::Job& job = library().job();
  std::uint32_t count = 0;
  for (const auto& program : programs) count += program.count;
  const std::uint64_t bits = new_bits();
  for (std::size_t number = 0; number < programs.size(); ++number)
    programs[number].note = note_for(Guest{library().pe(), bits, static_cast<int>(number)});
  if (job.nodes() > 1) {
    const fabric::Cohort cohort = start_by_launcher(programs, count);
    children.start(cohort);
    wait_for_guests(cohort, bits);
    return {cohort.first, bits, static_cast<int>(count)};
  }
  std::string launcher = launcher_path();
  auto first = take_guests(job, count);
  ATOLL_MPI_REQUIRE(
      first.has_value(), MPI_ERR_SPAWN,
      "{} more processes: this job has room for {} at a time, of which {} are there, and has started {} of at "
      "most {}. Start fewer, or let others end first?",
      count, job.guest_areas(), job.guests_here(), job.guests(), job.places() - job.npes());
  fabric::Cohort cohort{*first, count};
  children.start(cohort);
  runtime::start_guests(job, library().pe(), cohort, programs, launcher);
  wait_for_guests(cohort, bits);
  return {*first, bits, static_cast<int>(count)};
}

void finish(const Meeting& meeting, Comm& comm, int root, Children& children, MPI_Comm* made, int* codes) {
  give(make_inter_after(meeting, comm, root), made);
  children.keep();
  if (codes != MPI_ERRCODES_IGNORE) std::fill_n(codes, meeting.processes, MPI_SUCCESS);
}

// In a process that was started so: the inter-communicator with the others becomes parent(). Collective over
// MPI_COMM_WORLD.
void greet_parent() {
  auto guest = guest_of_another();
  if (!guest) return;
  Comm& world = need<Comm>(MPI_COMM_WORLD);
  if (world.rank() == 0) {
    std::byte nothing{};
    Exchange hello;
    hello.send(guest->root, guest->bits, &nothing, 0);
    library().progress().wait([&] { return hello.ready(); });
  }
  auto made = make_inter(world.circle(), 0, guest->root, guest->bits, world.local());
  *made->name() = "MPI_COMM_PARENT";
  give(std::move(made), &parent());
}

[[maybe_unused]] const bool added = (at_beginning(greet_parent), true);

}  // namespace

void comm_spawn(const char* command, char** arguments, int count, MPI_Info info, int root, MPI_Comm handle,
                MPI_Comm* made, int* codes) {
  Comm& comm = need_intra(handle);
  Children children;
  Meeting meeting = meet(comm, root, [&] { return start({program_of(command, arguments, count, info)}, children); });
  finish(meeting, comm, root, children, made, codes);
}

void comm_spawn_multiple(int count, char** commands, char*** arguments, const int* counts, const MPI_Info* infos,
                         int root, MPI_Comm handle, MPI_Comm* made, int* codes) {
  Comm& comm = need_intra(handle);
  Children children;
  Meeting meeting = meet(comm, root, [&] {
    ATOLL_MPI_REQUIRE(count >= 1, MPI_ERR_ARG, "{} programs to start", count);
    need_list(commands, count, "programs");
    need_list(counts, count, "numbers of processes");
    need_list(infos, count, "info objects");
    std::vector<runtime::GuestProgram> programs;
    for (int i = 0; i < count; ++i)
      programs.push_back(
          program_of(commands[i], arguments == MPI_ARGVS_NULL ? nullptr : arguments[i], counts[i], infos[i]));
    return start(std::move(programs), children);
  });
  finish(meeting, comm, root, children, made, codes);
}

}  // namespace atl::mpi
