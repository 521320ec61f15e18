// SPDX-License-Identifier: Apache-2.0
// Which launcher started this process, by what it left in the environment.
#include <sys/stat.h>

#include <atomic>
#include <charconv>

#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/validate.hpp"
#include "kinds.hpp"

namespace atl::runtime {
namespace {

enum class Launcher { none, atoll, pmix, pmi1, pmi2 };

constexpr std::uint32_t unknown = UINT32_MAX;

std::uint32_t parse(const std::string& text) {
  std::uint32_t value = unknown;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? value : unknown;
}

std::uint32_t number_of(const char* name) { return parse(config::launcher_variable(name)); }
std::uint32_t number_of(config::Variable variable) { return parse(config::text(variable)); }

// A process that a PE started inherits the variable, but as a rule not the socket.
bool is_socket(std::uint32_t descriptor) {
  struct stat info{};
  return descriptor != unknown && ::fstat(static_cast<int>(descriptor), &info) == 0 && S_ISSOCK(info.st_mode);
}

Launcher detect() {
  // In the order of choices of ATOLL_BOOTSTRAP.
  int forced = config::choice(config::Variable::bootstrap);
  if (forced == 1) return Launcher::none;
  if (forced == 2) return Launcher::pmix;
  if (forced == 3) return Launcher::pmi2;
  if (forced == 4) return Launcher::pmi1;
  if (forced == 5) return Launcher::atoll;
  if (is_socket(number_of(config::Variable::agent))) return Launcher::atoll;
  if (!config::launcher_variable("PMIX_NAMESPACE").empty() && number_of("PMIX_RANK") != unknown) return Launcher::pmix;
  if (is_socket(number_of("PMI_FD")) && number_of("PMI_SIZE") != unknown && number_of("PMI_RANK") != unknown)
    return config::launcher_variable("PMI_JOBID").empty() ? Launcher::pmi1 : Launcher::pmi2;
  std::uint32_t tasks = number_of("SLURM_STEP_NUM_TASKS");
  bool offers_nothing =
      config::launcher_variable("PMI_FD").empty() && config::launcher_variable("PMIX_NAMESPACE").empty();
  if (tasks != unknown && tasks > 1 && offers_nothing) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
      log(LogLevel::warning,
          "srun has started {} processes, but gives them no way to meet: each works alone. Use `srun --mpi=pmi2` or pmix "
          "(ATOLL_BOOTSTRAP=none: this is meant)",
          tasks);
  }
  return Launcher::none;
}

// What the environment says, without asking anybody.
std::uint32_t size_of(Launcher launcher) {
  if (launcher == Launcher::none) return 1;
  if (launcher == Launcher::atoll) return unknown;  // also a job of one, which its agent watches
  if (launcher != Launcher::pmix) return number_of("PMI_SIZE");
  std::uint32_t size = number_of("OMPI_COMM_WORLD_SIZE");
  return size != unknown ? size : number_of("SLURM_STEP_NUM_TASKS");
}

}  // namespace

bool started_by_foreign_launcher() { return size_of(detect()) > 1; }

std::unique_ptr<Bootstrap> bootstrap_from_environment() {
  Launcher launcher = detect();
  // A job of one: there is no other PE, and `ak.init(pes=4)` may start workers.
  if (size_of(launcher) <= 1) return nullptr;
  // A launcher starts a process, not a job within it: there is one per process by nature.
  static std::atomic<bool> used{false};
  ATOLL_VALIDATE(!used.exchange(true), SetupError,
                 "this process has been a PE of its launcher's job before, and cannot join it twice");
  if (launcher == Launcher::pmix) return make_pmix();
  if (launcher == Launcher::atoll) {
    using config::Variable;
    AgentPlace place{static_cast<int>(number_of(Variable::agent)), number_of(Variable::pe), number_of(Variable::npes)};
    const bool is_guest = !config::text(Variable::guests).empty();
    ATOLL_VALIDATE(
        is_socket(number_of(Variable::agent)) && (place.rank < place.size || is_guest) && place.size != unknown,
        SetupError,
        "ATOLL_AGENT='{}', ATOLL_PE='{}' and ATOLL_NPES='{}' do not tell how to reach the launcher. Start with "
        "`atoll run`, or unset ATOLL_BOOTSTRAP",
        config::text(Variable::agent), config::text(Variable::pe), config::text(Variable::npes));
    return make_rendezvous(place);
  }
  PmiPlace place{static_cast<int>(number_of("PMI_FD")), number_of("PMI_RANK"), number_of("PMI_SIZE")};
  ATOLL_VALIDATE(is_socket(number_of("PMI_FD")) && place.rank < place.size, SetupError,
                 "ATOLL_BOOTSTRAP asks for PMI, but PMI_FD='{}', PMI_RANK='{}', PMI_SIZE='{}' do not tell how to reach "
                 "the launcher. Unset ATOLL_BOOTSTRAP",
                 config::launcher_variable("PMI_FD"), config::launcher_variable("PMI_RANK"),
                 config::launcher_variable("PMI_SIZE"));
  return launcher == Launcher::pmi2 ? make_pmi2(place) : make_pmi1(place);
}

}  // namespace atl::runtime
