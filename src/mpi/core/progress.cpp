// SPDX-License-Identifier: Apache-2.0
#include "core/progress.hpp"

#include <sched.h>

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "core/library.hpp"

namespace atl::mpi {
namespace {

// Waking the thread takes a few microseconds, which shorter operations would not gain back.
constexpr std::size_t worth_waking = 16384;

struct Policy {
  bool on = false;
  std::optional<unsigned> core;
};

Policy read_policy() {
  std::string text = config::text(config::Variable::progress_core);
  const runtime::NodeInfo& node = library().one_sided().node();
  if (text == "auto") return {node.cores > node.pes, {}};
  if (text == "none") return {};
  unsigned core = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), core);
  ATOLL_VALIDATE(error == std::errc{} && end == text.data() + text.size(), SetupError,
                 "ATOLL_PROGRESS_CORE='{}' is neither auto nor none nor the number of a core", text);
  return {true, core};
}

const Policy& policy() {
  static const Policy chosen = read_policy();
  return chosen;
}

}  // namespace

void leave_to_progress(std::size_t bytes) {
  if (!policy().on || library().npes() == 1) return;
  if (!library().has_progress()) library().start_progress(policy().core);
  if (bytes >= worth_waking) library().progress().hand_over();
}

void give_core_away() {
  if (!policy().core) return;
  const unsigned given = *policy().core;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof(mine), &mine) != 0 || !CPU_ISSET(given, &mine)) return;
  std::vector<unsigned> rest;
  for (unsigned core = 0; core < CPU_SETSIZE; ++core)
    if (core != given && CPU_ISSET(core, &mine)) rest.push_back(core);
  bind_thread(rest);  // threads that are bound to the reserved core alone stay: the user bound them
}

}  // namespace atl::mpi
