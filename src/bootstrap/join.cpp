// SPDX-License-Identifier: Apache-2.0
// Makes a job from a launcher's description of the processes: the node of each PE, and one shared memory per node.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/guests.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/fabric/network.hpp"
#include "kinds.hpp"
#include "newcomer.hpp"
#include "table.hpp"
#include "watch.hpp"

namespace atl::runtime {
namespace {

// Entries carry this first, so that other versions are told apart before anything is read.
constexpr std::string_view version = "atoll-bootstrap-1";

struct Process {
  std::string node;
  std::string host;
  pid_t pid = 0;
  std::vector<unsigned> cores;
};

std::string describe(const Process& process) {
  std::string cores;
  for (unsigned core : process.cores) cores += fmt::format("{}{}", cores.empty() ? "" : ",", core);
  return join_values({std::string(version), process.node, process.host, fmt::format("{}", process.pid), cores});
}

Process parse(std::uint32_t rank, const std::string& text) {
  std::vector<std::string> parts;
  if (text.size() >= 4 + version.size() && text.substr(4, version.size()) == version) parts = split_values(text);
  ATOLL_VALIDATE(parts.size() == 5, SetupError,
                 "PE {} runs another version of Atoll, or another program, than this PE. Use one version on all nodes",
                 rank);
  Process process{parts[1], parts[2], 0, {}};
  std::from_chars(parts[3].data(), parts[3].data() + parts[3].size(), process.pid);
  for (const char *at = parts[4].data(), *end = at + parts[4].size(); at < end; ++at) {
    unsigned core = 0;
    at = std::from_chars(at, end, core).ptr;
    process.cores.push_back(core);
  }
  return process;
}

// What is left to say to the launcher when this process ends, known only then: whether all went well.
struct Farewell {
  std::shared_ptr<Bootstrap> bootstrap;
  pid_t pid;  // a forked child takes no leave for its parent
  std::weak_ptr<fabric::Job> job = {};  // at the end of the process it may be gone, or not
  std::optional<int> exit_wish = {};    // what was in it
  std::optional<PeId> missed = {};      // likewise, and
  std::string place = {};               // " on host-b"
  std::atomic<bool> left_in_order{false};
  std::atomic<bool> job_failed{false};

  void look_at(const fabric::Job& seen) {
    exit_wish = seen.exit_requested();
    job_failed = job_failed || seen.has_failed();
    missed = seen.suspect();
    if (missed) place = seen.describe(*missed).substr(fmt::format("PE {}", missed->value()).size());
  }
  void say(int status) {
    if (::getpid() != pid) return;
    if (auto seen = job.lock()) look_at(*seen);
    if (exit_wish) bootstrap->end_job(*exit_wish & 0xFF);
    try {
      if (status == 0 && left_in_order) return bootstrap->finalize();
    } catch (const Error&) {  // the launcher is gone; so are we
      return;
    }
    // Otherwise without a good-bye, which is a failure to the launcher. Some need to be told that the others must not
    // wait; when a PE has died before, all have heard, and are to end by themselves.
    if (status == 0 || job_failed) return;
    std::string end = fmt::format("PE {} exited with status {}", bootstrap->rank(), status);
    if (!missed) return bootstrap->abort(status, end);
    // The one that was missed is at fault, for all others too.
    std::string late =
        fmt::format("{}did not come or answer in time, and {}", place.empty() ? "" : place.substr(1) + " ", end);
    if (!bootstrap->report_loss(missed->value(), late))
      bootstrap->abort(status, fmt::format("PE {} {}", missed->value(), late));
  }
};

/// What a PE holds of its job, and gives back in this order.
struct Seat {
  std::shared_ptr<Farewell> farewell;
  std::shared_ptr<fabric::Job> job;
  PeId pe;
  std::unique_ptr<Watch> watch;

  ~Seat() {
    watch.reset();
    if (!job) return;
    farewell->look_at(*job);
    farewell->left_in_order =
        (!job->has_failed() || job->survival() != fabric::Survival::none) &&
        job->record(pe).state.load(std::memory_order_acquire) ==  // partner: the end of the Context
            static_cast<std::uint32_t>(fabric::PeState::finalized);
  }
};

void take_leave_at_exit(const std::shared_ptr<Farewell>& farewell) {
  auto kept = std::make_unique<std::shared_ptr<Farewell>>(farewell);
  ::on_exit(
      [](int status, void* kept) {
        std::unique_ptr<std::shared_ptr<Farewell>> mine(static_cast<std::shared_ptr<Farewell>*>(kept));
        (*mine)->say(status);
      },
      kept.release());
}

Deadline patience() {
  double limit = config::seconds(config::Variable::peer_timeout);
  return limit == 0 ? Deadline::never() : Deadline::after_seconds(limit);
}

// What a process tells in place of something that it could not make: then all say so instead of waiting.
std::string refused(const Error& error) { return fmt::format("!{}", error.what()); }

// The leader's memory.
std::shared_ptr<fabric::Job> make_or_open(Bootstrap& bootstrap, std::uint32_t leader, const fabric::JobOptions& options,
                                          unsigned cores) {
  std::shared_ptr<fabric::Job> job;
  std::string refusal;
  if (bootstrap.rank() == leader) {
    try {
      job = fabric::Job::create_shm(options);
      job->control().cores = cores;
      bootstrap.publish("memory", fmt::format("={}", job->join_name()));
    } catch (const Error& error) {
      refusal = error.what();
      bootstrap.publish("memory", refused(error));
    }
  }
  bootstrap.exchange(patience());
  ATOLL_VALIDATE(refusal.empty(), SetupError, "{}", refusal);
  if (job) return job;
  std::string answer = bootstrap.lookup(leader, "memory");
  ATOLL_VALIDATE(answer.starts_with('='), SetupError, "PE {} could not make the job's memory: {}", leader,
                 answer.substr(1));
  return fabric::Job::join_shm(answer.substr(1));
}

// What every node can have: the size of segments, and room for guests.
struct Agreed {
  std::uint64_t segment_bytes = UINT64_MAX;
  std::uint32_t guests = 0;
};

// What the user asks for must be the same everywhere.
Agreed agreed_on(const std::vector<std::string>& sizes, Bootstrap& bootstrap, const std::vector<Process>& processes) {
  std::uint64_t asked = config::bytes(config::Variable::heap_size);
  Agreed agreed;
  std::uint64_t space = UINT64_MAX;
  for (std::uint32_t pe = 0; pe < sizes.size(); ++pe) {
    std::uint64_t words[3] = {};
    const std::vector<std::string> texts = split_values(sizes[pe]);
    for (std::size_t i = 0; i < std::min(texts.size(), std::size(words)); ++i)
      std::from_chars(texts[i].data(), texts[i].data() + texts[i].size(), words[i]);
    ATOLL_VALIDATE(words[0] == asked, SetupError,
                   "PE {} on {} has ATOLL_HEAP_SIZE={}, PE {} on {} has {}. Set it alike on all nodes",
                   bootstrap.rank(), bootstrap.host_name(), asked, pe, processes[pe].host, words[0]);
    agreed.segment_bytes = std::min(agreed.segment_bytes, words[1]);
    space = std::min(space, words[2]);
  }
  if (bootstrap.guests() != nullptr)
    agreed.guests = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(usual_guests, space / std::max<std::uint64_t>(agreed.segment_bytes, 1)));
  return agreed;
}

Agreed agree_on_memory(Bootstrap& bootstrap, std::uint32_t local_pes, const std::vector<Process>& processes) {
  auto sizes = bootstrap.allgather("segment",
                                   join_values({fmt::format("{}", config::bytes(config::Variable::heap_size)),
                                                fmt::format("{}", fabric::usual_segment_bytes(local_pes)),
                                                fmt::format("{}", fabric::guest_space_bytes(local_pes))}),
                                   patience());
  return agreed_on(sizes, bootstrap, processes);
}

// Nodes are numbered by their lowest PEs; the hosts on which the job begins with no PE follow.
fabric::JobOptions place_on_nodes(const std::vector<Process>& processes, std::size_t idle_hosts) {
  std::map<std::string, std::uint32_t> nodes;
  fabric::JobOptions options{.npes = static_cast<std::uint32_t>(processes.size())};
  for (const Process& process : processes)
    options.node_of_pe.push_back(
        nodes.try_emplace(process.node, static_cast<std::uint32_t>(nodes.size())).first->second);
  for (std::size_t idle = 0; idle < idle_hosts; ++idle)
    options.node_of_pe.push_back(static_cast<std::uint32_t>(nodes.size() + idle));
  return options;
}

// Of the PEs that the job began with, then of the hosts on which it began with none.
std::vector<std::string> host_names(const std::vector<Process>& processes, const Bootstrap& bootstrap) {
  std::vector<std::string> names;
  for (const Process& process : processes) names.push_back(process.host);
  for (std::string& idle : bootstrap.idle_hosts()) names.push_back(std::move(idle));
  return names;
}

void report_losses(fabric::Job& job, Bootstrap& bootstrap) {
  job.set_loss_listener(
      [&bootstrap](PeId pe, const std::string& how) { return bootstrap.report_loss(pe.value(), how); });
}

void join_network(Bootstrap& bootstrap, fabric::Job& job, const std::vector<Process>& processes) {
  std::unique_ptr<fabric::NetworkEnd> end;
  std::string card, refusal;
  try {
    end = fabric::open_network(job, PeId(bootstrap.rank()));
    card = fmt::format("={}", end->card());
  } catch (const Error& error) {
    refusal = error.what();
    card = refused(error);
  }
  auto cards = bootstrap.allgather("network", card, patience());
  auto throw_refused = [&](std::uint32_t pe, const std::string& why) {
    raise<SetupError>(fmt::format("PE {} on {} cannot join the network: {}", pe, processes[pe].host, why));
  };
  if (!refusal.empty()) throw_refused(bootstrap.rank(), refusal);
  for (std::uint32_t pe = 0; pe < cards.size(); ++pe) {
    if (!cards[pe].starts_with('=')) throw_refused(pe, cards[pe].empty() ? "it does not say why" : cards[pe].substr(1));
    cards[pe].erase(0, 1);
  }
  job.set_hosts(host_names(processes, bootstrap));
  report_losses(job, bootstrap);
  end->connect(cards);
}

// The last steps of joining, the same for all PEs, once they can reach one another.
Membership take_seat(std::shared_ptr<Bootstrap> bootstrap, std::shared_ptr<fabric::Job> joined, PeId pe,
                     std::vector<Neighbour> neighbours, Stay stay) {
  const bool stays = stay == Stay::to_the_end;
  auto seat = std::make_shared<Seat>();
  seat->farewell = std::make_shared<Farewell>(bootstrap, ::getpid());
  seat->pe = pe;
  seat->job = std::move(joined);
  seat->farewell->job = seat->job;
  seat->job->set_survival_listener([&launcher = *bootstrap](fabric::Survival how) { launcher.survive(how); });
  seat->job->set_exit_listener([&launcher = *bootstrap](int status) { launcher.end_job(status & 0xFF); });
  seat->watch = std::make_unique<Watch>(*seat->job, *bootstrap, std::move(neighbours),
                                        stays ? Doomed::is_ended : Doomed::goes_on);
  if (stays) take_leave_at_exit(seat->farewell);
  fabric::Job* job = seat->job.get();
  return {std::shared_ptr<fabric::Job>(std::move(seat), job), pe, std::move(bootstrap)};
}

Process describe_self(const Bootstrap& bootstrap) {
  std::string pretended = config::text(config::Variable::node_name);
  return {pretended.empty() ? bootstrap.node_name() : pretended, pretended.empty() ? bootstrap.host_name() : pretended,
          ::getpid(), topology().cores};
}

// The name of the memory of this node: a PE that the job began with has made it, else the agent of the host does.
std::string memory_for_guest(Bootstrap& bootstrap, const Process& self, const std::vector<Process>& processes) {
  const auto leader =
      std::find_if(processes.begin(), processes.end(), [&](const Process& one) { return one.node == self.node; });
  if (leader != processes.end())
    return bootstrap.lookup(static_cast<std::uint32_t>(leader - processes.begin()), "memory").substr(1);
  const std::vector<std::string> idle = bootstrap.idle_hosts();
  const auto place = std::find(idle.begin(), idle.end(), bootstrap.host_name());
  ATOLL_VALIDATE(place != idle.end(), SetupError,
                 "PE {} cannot join the job: none of the PEs that it began with is on this node ({})", bootstrap.rank(),
                 self.host);
  fabric::JobOptions options = place_on_nodes(processes, idle.size());
  options.node = options.node_of_pe[processes.size() + static_cast<std::size_t>(place - idle.begin())];
  options.threads_per_pe = static_cast<std::uint32_t>(config::integer(config::Variable::threads));
  const Agreed agreed = agreed_on(bootstrap.guests()->gather("segment", patience()), bootstrap, processes);
  options.segment_bytes = agreed.segment_bytes;
  options.guests = agreed.guests;
  return bootstrap.guests()->find_memory(options, patience());
}

}  // namespace

Membership join_through(std::shared_ptr<Bootstrap> bootstrap, Stay stay) {
  std::uint32_t rank = bootstrap->rank(), size = bootstrap->size();
  ATOLL_VALIDATE(size >= 1 && rank < size, SetupError, "the launcher says that this is process {} of {}", rank, size);
  Process self = describe_self(*bootstrap);
  auto texts = bootstrap->allgather("process", describe(self), patience());
  std::vector<Process> processes;
  for (std::uint32_t other = 0; other < size; ++other) processes.push_back(parse(other, texts[other]));

  fabric::JobOptions options = place_on_nodes(processes, bootstrap->idle_hosts().size());
  options.node = options.node_of_pe[rank];
  std::vector<std::uint32_t> local;
  std::vector<unsigned> cores;
  for (std::uint32_t other = 0; other < size; ++other) {
    if (processes[other].node != self.node) continue;
    local.push_back(other);
    cores.insert(cores.end(), processes[other].cores.begin(), processes[other].cores.end());
  }
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  auto node_cores = static_cast<unsigned>(cores.size()), node_pes = static_cast<unsigned>(local.size());
  auto threads = static_cast<std::uint32_t>(config::integer(config::Variable::threads));
  options.threads_per_pe = threads != 0 ? threads : std::max(1u, node_cores / node_pes);
  const bool several_nodes = local.size() != options.node_of_pe.size();
  if (several_nodes) {
    const Agreed agreed = agree_on_memory(*bootstrap, node_pes, processes);
    options.segment_bytes = agreed.segment_bytes;
    options.guests = agreed.guests;
  } else {
    options.guests = usual_guests;
  }

  auto job = make_or_open(*bootstrap, local.front(), options, node_cores);
  if (several_nodes) join_network(*bootstrap, *job, processes);
  // In a ring, from the one after this PE.
  std::vector<Neighbour> neighbours;
  auto place = static_cast<std::size_t>(std::find(local.begin(), local.end(), rank) - local.begin());
  for (std::size_t step = 1; step < local.size(); ++step) {
    std::uint32_t other = local[(place + step) % local.size()];
    neighbours.push_back({PeId(other), processes[other].pid});
  }
  return take_seat(std::move(bootstrap), std::move(job), PeId(rank), std::move(neighbours), stay);
}

Membership join_as_guest(std::shared_ptr<Bootstrap> bootstrap, fabric::Cohort cohort) {
  ATOLL_VALIDATE(bootstrap->guests() != nullptr, SetupError,
                 "ATOLL_GUESTS is set, but the launcher starts no processes in a running job. Unset it?");
  GuestDesk& desk = *bootstrap->guests();
  const PeId pe(bootstrap->rank());
  const Process self = describe_self(*bootstrap);
  std::vector<Process> processes;
  for (const std::string& text : desk.gather("process", patience()))
    processes.push_back(parse(static_cast<std::uint32_t>(processes.size()), text));
  auto job = fabric::Job::join_shm(memory_for_guest(*bootstrap, self, processes));
  ATOLL_VALIDATE(cohort.first.value() >= job->npes() && cohort.count <= job->places() - cohort.first.value() &&
                     pe.value() - cohort.first.value() < cohort.count,
                 SetupError,
                 "PE {} is not one of the {} from PE {} on that were started. Leave what the launcher has set",
                 pe.value(), cohort.count, cohort.first.value());
  job->set_cohort(cohort);
  job->set_hosts(host_names(processes, *bootstrap));
  ATOLL_VALIDATE(
      job->take_memory(pe, cohort.first), SetupError,
      "PE {} cannot join the job ({} has memory for {} spawned processes, and all of it is in use). Spawn fewer at a "
      "time, or free the communicators of those that have ended?",
      pe.value(), self.host, job->guest_areas());
  job->admit(pe, job->node());
  std::vector<std::string> cards = desk.gather("network", patience());
  for (std::string& card : cards) card.erase(0, 1);  // '=': they have all joined
  std::unique_ptr<fabric::NetworkEnd> end = fabric::open_network(*job, pe, cards);
  GuestDesk::Introduction known = desk.introduce({pe, job->node(), self.host, end->card()}, patience());
  for (Newcomer& one : known.guests) {
    job->admit(one.pe, one.node);
    cards.resize(std::max<std::size_t>(cards.size(), one.pe.value() + 1));
    cards[one.pe.value()] = std::move(one.card);
  }
  report_losses(*job, *bootstrap);
  end->connect(cards);
  for (PeId gone : known.gone)
    if (!cards[gone.value()].empty()) fabric::dismiss(*job, gone);
  return take_seat(std::move(bootstrap), std::move(job), pe, {}, Stay::to_the_end);
}

void admit(fabric::Job& job, const Newcomer& one) {
  ATOLL_VALIDATE(
      job.nodes() > 1 && one.pe.value() >= job.npes() && one.pe.value() < job.places() && one.node < job.nodes(),
      SetupError, "protocol error: PE {} on node {} has come to a job that has no place for it", one.pe.value(),
      one.node);
  job.admit(one.pe, one.node);
  fabric::admit(job, one.pe, one.card);
}

Membership join_as_driver(int agent, std::uint32_t npes) {
  return join_through(make_rendezvous({agent, 0, npes}), Stay::as_long_as_held);
}

void take_leave(const Membership& membership) noexcept {
  try {
    // Acquire: partner is the end of the Context.
    const std::uint32_t state = membership.job->record(membership.pe).state.load(std::memory_order_acquire);
    if (state == static_cast<std::uint32_t>(fabric::PeState::finalized) && !membership.job->has_failed())
      membership.bootstrap->finalize();
  } catch (const Error&) {  // the launcher is gone
  }
}

}  // namespace atl::runtime
