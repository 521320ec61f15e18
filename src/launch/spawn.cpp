// SPDX-License-Identifier: Apache-2.0
#include "spawn.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"

namespace atl::runtime {
namespace {

struct Prepared {
  char* const* argv;
  char* const* envp;
  const std::vector<std::string>* candidates;  // full paths, in the order of PATH
  const cpu_set_t* cores;
  int files[3];
  int inherited;
  bool ignore_interrupt;
  bool own_session;
  bool outlives_us;
  const char* directory;
  pid_t parent;
};

// Runs between vfork and exec, on the parent's memory: only system calls, nothing that allocates.
[[noreturn]] void become(const Prepared& prepared, volatile int& failure) {
  struct sigaction standard{};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction now{};
    // Handlers are the parent's; an ignored signal stays ignored, as with nohup.
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
      ::sigaction(signal, &standard, nullptr);
  }
  if (prepared.ignore_interrupt) {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignore, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!prepared.outlives_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != prepared.parent) ::_exit(1);  // it died before we asked to be told
  for (int number = 0; number < 3; ++number)
    if (prepared.files[number] >= 0 && ::dup2(prepared.files[number], number) < 0) failure = errno;
  if (prepared.inherited >= 0) ::fcntl(prepared.inherited, F_SETFD, 0);  // in this process alone
  if (prepared.own_session) ::setsid();
  if (prepared.cores != nullptr) ::sched_setaffinity(0, sizeof(cpu_set_t), prepared.cores);
  if (prepared.directory != nullptr && ::chdir(prepared.directory) != 0) {
    failure = errno;
    ::_exit(127);
  }
  int reason = ENOENT;
  for (const std::string& path : *prepared.candidates) {
    ::execve(path.c_str(), prepared.argv, prepared.envp);
    if (errno != ENOENT && errno != ENOTDIR) reason = errno;
  }
  failure = reason;
  ::_exit(127);
}

}  // namespace

void set_variable(SpawnRequest& request, std::string name, std::string value) {
  std::erase_if(request.environment, [&](const auto& one) { return one.first == name; });
  request.environment.emplace_back(std::move(name), std::move(value));
}

void set_variables(SpawnRequest& request, const std::vector<std::string>& assignments) {
  for (const std::string& one : assignments)
    if (std::size_t equals = one.find('='); equals != std::string::npos)
      set_variable(request, one.substr(0, equals), one.substr(equals + 1));
}

pid_t spawn(const SpawnRequest& request) {
  ATOLL_EXPECT(!request.command.empty());
  const std::string& program = request.command.front();
  std::vector<std::string> candidates;
  if (program.find('/') != std::string::npos) {
    candidates.push_back(program);
  } else {
    std::string rest = "/usr/local/bin:/usr/bin:/bin";
    for (char** item = environ; item != nullptr && *item != nullptr; ++item)
      if (std::strncmp(*item, "PATH=", 5) == 0) rest = *item + 5;
    if (!request.path.empty()) rest = request.path + ":" + rest;
    for (std::size_t begin = 0; begin <= rest.size();) {
      std::size_t end = std::min(rest.find(':', begin), rest.size());
      std::string folder = rest.substr(begin, end - begin);
      candidates.push_back((folder.empty() ? "." : folder) + "/" + program);
      begin = end + 1;
    }
    if (request.is_looked_for_there) candidates.push_back("./" + program);
  }
  std::vector<std::string> assignments;
  for (auto& [name, value] : request.environment) assignments.push_back(name + "=" + value);
  std::vector<char*> envp;
  for (char** item = environ; item != nullptr && *item != nullptr; ++item) {
    bool replaced = false;
    for (auto& [name, value] : request.environment)
      replaced = replaced || (std::strncmp(*item, name.c_str(), name.size()) == 0 && (*item)[name.size()] == '=');
    if (!replaced) envp.push_back(*item);
  }
  for (auto& assignment : assignments) envp.push_back(assignment.data());
  envp.push_back(nullptr);
  std::vector<char*> argv;
  for (auto& word : request.command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (unsigned core : request.cores)
    if (core < CPU_SETSIZE) CPU_SET(core, &cores);

  Prepared prepared{argv.data(),
                    envp.data(),
                    &candidates,
                    request.cores.empty() ? nullptr : &cores,
                    {request.standard_input, request.standard_output, request.standard_error},
                    request.inherited,
                    request.ignore_interrupt,
                    request.own_session,
                    request.outlives_us,
                    request.directory.empty() ? nullptr : request.directory.c_str(),
                    ::getpid()};
  // A signal handler of ours must not run in the child while it shares our memory.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  volatile int failure = 0;
  // vfork, not fork: a driver may have gigabytes mapped, whose page tables fork would copy.
  pid_t pid = ::vfork();
  if (pid == 0) become(prepared, failure);
  int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    errno = error;
    throw_errno("cannot start another process");
  }
  if (failure != 0) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    errno = failure;
    throw_errno(
        fmt::format("cannot start '{}'{}{}", program, request.directory.empty() ? "" : " in ", request.directory));
  }
  return pid;
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return found;
  while (dirent* entry = ::readdir(folder)) {
    std::string_view name = entry->d_name;
    pid_t pid = 0;
    auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    // pid (name) state ppid …; the name may hold anything, so read from its last parenthesis.
    auto at = line.rfind(')');
    if (at == std::string::npos || at + 4 >= line.size()) continue;
    if (std::atoi(line.c_str() + at + 4) == ::getpid()) found.push_back(pid);
  }
  ::closedir(folder);
  return found;
}

void kill_children() {
  // What a killed process leaves behind becomes our child, hence rounds; a process that forks faster than we kill
  // does not keep us for ever.
  for (int round = 0; round < 200; ++round) {
    auto left = children();
    if (left.empty()) return;
    for (pid_t pid : left) ::kill(pid, SIGKILL);
    ::poll(nullptr, 0, round < 10 ? 1 : 5);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {}
  }
}

}  // namespace atl::runtime
