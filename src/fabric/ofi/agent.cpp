// SPDX-License-Identifier: Apache-2.0
// The agent: one thread of the process, which makes progress while no other does, sleeps on the network while there is
// none to make, and notices peers that are lost.
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/thread.hpp"
#include "atoll/base/topology.hpp"
#include "path.hpp"

namespace atl::fabric::ofi {
namespace {

// While other threads poll this often in a nap, they answer sooner than the agent could, and it only checks that they
// still do. A thread that polls less yields its core in between: on a busy machine for milliseconds. Each check takes
// some 5 us of a core, and may move the polling thread to a shared core: a tenth of a ping-pong with naps of 100 us, 3
// % with naps of 1 ms, 2 % and more with 4 ms. So naps get as long as others have polled before; a thread that polls
// continuously postpones the end of a nap, and a waiting thread that falls asleep ends it.
constexpr std::int64_t shortest_nap_ns = 50'000, longest_nap_ns = 4'000'000;
constexpr std::int64_t polls_in_shortest_nap = 8;
constexpr std::int64_t put_off_period_ns = 1'500'000;
// After something came, more is likely: so long it looks without sleeping. Longer when it was woken soon after it fell
// asleep: reads of this PE's memory pass unnoticed while it looks.
constexpr std::int64_t least_eager_ns = 20'000, most_eager_ns = 1'000'000, soon_ns = 300'000;
// Unsuccessful polls, since the network has woken it, before it sleeps again: only new arrivals wake it, and a poll may
// take part of an arrived message without reporting it.
constexpr int least_looks = 16;
constexpr int longest_sleep_ms = 100;
// A peer whose connection broke has this long to be heard of from others: that it left, or how it died.
constexpr std::int64_t grace_ns = 1'000'000'000;
constexpr std::int64_t goodbye_ns = 1'000'000'000;
// Number of heartbeat requests to a peer that owes an answer, per ATOLL_PEER_TIMEOUT.
constexpr std::int64_t looks_in_patience = 16;
// Interval of checks for such peers, also while other threads poll without a pause, because these handle only arriving
// messages.
constexpr std::int64_t look_period_ns = 100'000'000;

}  // namespace

Path::Path(Job& job, PeId self, std::unique_ptr<Device> device, const std::vector<std::string>& cards, std::size_t lane)
    : job_(job),
      self_(self),
      segment_(job.segment(self)),
      segment_bytes_(job.segment_bytes()),
      device_(std::move(device)),
      lane_(lane),
      longest_message_(device_->longest_message()) {
  peers_.reserve(job.places());
  for (std::uint32_t pe = 0; pe < cards.size(); ++pe) meet_peer(PeId(pe), cards[pe]);
  std::size_t most_bytes = config::bytes(config::Variable::memory_limit);
  if (most_bytes == 0) most_bytes = topology().memory_bytes / 4 / std::max(1u, job.local_pes());
  most_queued_ = most_bytes / sizeof(QueuedOperation);
  patience_ns_ = static_cast<std::int64_t>(config::seconds(config::Variable::peer_timeout) * 1e9);
  wake_ = ::eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0) throw_errno("cannot make an event for the network's thread (eventfd)");
  alarm_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  if (alarm_ < 0) throw_errno("cannot make a timer for the network's thread (timerfd_create)");
  network_or_wake_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (network_or_wake_ < 0) throw_errno("cannot make a set of events for the network's thread (epoll_create1)");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_;
  if (::epoll_ctl(network_or_wake_, EPOLL_CTL_ADD, wake_, &event) != 0)
    throw_errno("cannot watch an event (epoll_ctl)");
#if !defined(__SANITIZE_THREAD__)  // which does not see that such a put publishes what came before it
  direct_ = device_->writes_in_order() && device_->tells();
#endif
  device_->replenish();
  agent_ = start_thread("atoll-network", [this] { run_agent(); });
}

Path::~Path() {
  say_goodbye();
  stop_.store(true, std::memory_order_relaxed);
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(wake_, &one, sizeof(one));
  agent_.join();
  ::close(network_or_wake_);
  ::close(alarm_);
  ::close(wake_);
}

void Path::say_goodbye() {
  Deadline deadline = Deadline::after_ns(goodbye_ns);
  try {
    // A peer that does not know of the failure yet would attribute it to this good-bye.
    if (auto failure = job_.first_failure(); failure && lane_ == 0) tell(*failure);
    {
      Hold hold(*this);
      for (std::uint32_t pe = 0; pe < peers_end(); ++pe)
        if (peers_[pe].used && !peers_[pe].gone) send_operation(PeId(pe), header_of(MessageType::bye), {});
    }
    for (int rounds = 0; !deadline.passed(); ++rounds) {
      Hold hold(*this);
      bool any = poll();
      bool heard = std::all_of(dirty_.begin(), dirty_.end(), [&](std::uint32_t pe) { return settled(peers_[pe]); });
      // When the job has failed, PEs that did not answer may never do so; but what is under way must get out.
      if (!any && waiting_.empty() && owed_.empty() && (heard || (job_.has_failed() && rounds > 1000))) break;
      if (!any) hold.rest(std::min(rounds, 500));
    }
  } catch (const std::exception& error) { log(LogLevel::debug, "leaving the network: {}", error.what()); }
}

void Path::set_alarm(std::int64_t after_ns) {
  itimerspec when{};
  when.it_value = {after_ns / 1'000'000'000, after_ns % 1'000'000'000};
  (void)::timerfd_settime(alarm_, 0, &when, nullptr);
}

Path::Woken Path::nap(std::int64_t limit_ns) {
  set_alarm(limit_ns);
  pollfd list[] = {{wake_, POLLIN, 0}, {alarm_, POLLIN, 0}};
  (void)::poll(list, std::size(list), -1);
  return list[0].revents != 0 ? take_wake() : Woken::by_time;
}

// Called by a thread that polls continuously: the agent need not check for pollers until it must check peers.
void Path::put_off_agent() {
  if (!napping_.load(std::memory_order_relaxed)) return;
  std::int64_t now = now_ns();
  if (now - put_off_at_ns_ < put_off_period_ns) return;
  // Not for a pause longer than a nap may be.
  bool polls_on = now - std::exchange(put_off_at_ns_, now) < longest_nap_ns;
  std::int64_t left_ns = must_look_ns_.load(std::memory_order_relaxed) - now;
  if (polls_on && left_ns > 0) set_alarm(std::min(left_ns, longest_nap_ns));
}

// A watched descriptor costs the kernel more with each packet that comes, whether anybody sleeps or not: so not while
// others poll.
void Path::watch(bool network) {
  if (std::exchange(watched_, network) == network) return;
  for (int descriptor : device_->descriptors()) {
    // Edges alone wake: the descriptor of some providers (net) stays readable for good after the first completion.
    epoll_event event{};
    event.events = EPOLLIN | EPOLLET;
    event.data.fd = descriptor;
    if (::epoll_ctl(network_or_wake_, network ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, descriptor, &event) != 0)
      throw_errno("cannot watch the network (epoll_ctl)");
  }
}

Path::Woken Path::sleep(int limit_ms) {
  epoll_event list[8];
  int count = ::epoll_wait(network_or_wake_, list, std::size(list), limit_ms);
  for (int i = 0; i < count; ++i)
    if (list[i].data.fd == wake_) return take_wake();
  return count > 0 ? Woken::by_network : Woken::by_time;
}

Path::Woken Path::take_wake() {
  std::uint64_t count = 0;
  [[maybe_unused]] auto got = ::read(wake_, &count, sizeof(count));
  return Woken::by_process;
}

void Path::run_agent() {
  sigset_t all;  // signals are for the program's own threads
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  std::uint64_t polls = 0;
  int vain = 0;
  std::int64_t counted_since_ns = 0, last_came_ns = 0, nap_ns = shortest_nap_ns, eager_ns = least_eager_ns,
               looked_ns = 0;
  try {
    while (!stop_.load(std::memory_order_relaxed)) {
      std::int64_t now = now_ns();
      bool due = now - looked_ns >= look_period_ns;
      std::uint64_t seen = polls_.load(std::memory_order_relaxed);
      // The thread that holds it may be copying a long transfer, and polls nothing meanwhile.
      bool others_poll = static_cast<std::int64_t>(seen - polls) * shortest_nap_ns >= polls_in_shortest_nap * nap_ns ||
                         owner_.is_taken();
      if (others_poll) {
        watch(false);
        must_look_ns_.store(looked_ns + look_period_ns, std::memory_order_relaxed);
        napping_.store(true, std::memory_order_seq_cst);
        // Sequentially consistent: partner: stop_polling().
        if (!take_over_.exchange(false, std::memory_order_seq_cst)) (void)nap(nap_ns);
        napping_.store(false, std::memory_order_seq_cst);
        polls = take_over_.exchange(false, std::memory_order_seq_cst) ? polls_.load(std::memory_order_relaxed) : seen;
        nap_ns = std::min(nap_ns * 2, longest_nap_ns);
        if (!due) continue;
        Hold hold(*this);
        look_after_peers();
        looked_ns = now;
        continue;
      }
      if (now - counted_since_ns > shortest_nap_ns) {
        polls = seen;
        counted_since_ns = now;
        nap_ns = shortest_nap_ns;
      }
      bool came = false, idle = false;
      // Its holder makes progress, and must not wait for this.
      if (owner_.try_take()) {
        Hold hold(*this, std::adopt_lock);
        came = poll();
        if (due) {
          look_after_peers();
          looked_ns = now;
        }
        vain = came ? 0 : vain + 1;
        if (came) last_came_ns = now;
        else if (now - last_came_ns > eager_ns && vain >= least_looks)
          idle = waiting_.empty() && backlogged_.empty() && parked_.empty() && device_->may_block();
      }
      if (idle) {
        (void)take_over_.exchange(false, std::memory_order_relaxed);
        watch(true);
        // What it has taken already tells of itself first: that is no reason to be eager.
        if (sleep(0) != Woken::by_time) {
          vain = 0;
          continue;
        }
        now = now_ns();
        bool by_network = sleep(longest_sleep_ms) == Woken::by_network;
        polls = polls_.load(std::memory_order_relaxed);
        std::int64_t slept_ns = now_ns() - now;
        if (slept_ns > soon_ns) eager_ns = least_eager_ns;
        else if (by_network) eager_ns = std::min(eager_ns * 2, most_eager_ns);
        if (by_network) last_came_ns = now + slept_ns, vain = 0;
      } else if (!came) {
        bool patient = now - last_came_ns > eager_ns && vain >= least_looks;
        if (patient) (void)nap(shortest_nap_ns);  // for room in a ring or in the network
        else ::sched_yield();
      }
    }
  } catch (const std::exception& error) {
    const std::string how = fmt::format("lost the network: {}", error.what());
    log_line(LogLevel::error, fmt::format("{} {}", job_.describe(self_), how));  // this process may end after the next
    job_.mark_failed(self_, 0, how);
  }
}

void Path::lose(PeId pe, const std::string& why) {
  std::string how = fmt::format("on {} is lost: {} {}", job_.host_of(pe), job_.describe(self_), why);
  // Before it is noted: then this process may end at any moment, and an end alone would not name the cause.
  const bool reported = job_.report_loss(pe, how);
  // Where the job goes on, the launcher decides which of two PEs is dead that do not reach each other, and tells all.
  if (reported && job_.survival() != Survival::none) return;
  if (!reported) log_line(LogLevel::error, fmt::format("PE {} {}", pe.value(), how));
  job_.mark_failed(pe, 0, how);
}

void Path::look_after_peers() {
  std::int64_t now = now_ns();
  const bool ending = job_.is_ending();
  if (job_.has_failed() && !ending) note_deaths();
  device_->expect_several();
  if (any_failed_) {
    any_failed_ = false;
    for (std::uint32_t pe = 0; pe < peers_end(); ++pe) {
      Peer& one = peers_[pe];
      if (one.failed_at == 0 || one.gone || ending) continue;
      if (now - one.failed_at <= grace_ns) {
        any_failed_ = true;
        continue;
      }
      one.failed_at = 0;
      lose(PeId(pe), fmt::format("cannot reach it ({}). Is the network between them up?", one.failure));
    }
  }
  if (patience_ns_ == 0 || now < next_look_ns_ || ending) return;
  next_look_ns_ = now + patience_ns_ / looks_in_patience;
  // The leaders of nodes look after one another in a ring.
  const std::optional<PeId> next = lane_ == 0 && first_alive_on(job_.node()) == self_ ? next_leader() : std::nullopt;
  for (std::uint32_t pe = 0; pe < peers_end(); ++pe)
    if (!look_for_sign(PeId(pe), next == PeId(pe) || is_expected_to_answer(PeId(pe)))) return;
}

std::optional<PeId> Path::first_alive_on(std::uint32_t node) const {
  for (PeId pe = job_.leader_of(node); pe.value() < peers_end(); pe = PeId(pe.value() + 1))
    if (job_.node_of(pe) == node && !job_.has_died(pe)) return pe;
  return std::nullopt;
}

// Of the first node after this one that has PEs alive.
std::optional<PeId> Path::next_leader() const {
  for (std::uint32_t step = 1; step < job_.nodes(); ++step)
    if (auto found = first_alive_on((job_.node() + step) % job_.nodes())) return found;
  return std::nullopt;
}

bool Path::is_expected_to_answer(PeId pe) const {
  const Peer& one = peers_[pe.value()];
  auto asks_it = [&](const Request& request) { return request.active && request.peer == pe.value(); };
  const bool has_backlog = one.backlog != nullptr && !one.backlog->waiting.empty();
  return !settled(one) || one.transferring != 0 || one.queued || has_backlog ||
         std::any_of(requests_.begin(), requests_.end(), asks_it);
}

// False: it is lost, and so is the job.
bool Path::look_for_sign(PeId pe, bool expected) {
  Peer& one = peer(pe);
  bool heard = std::exchange(one.heard, false);
  if (one.gone || !expected) {
    one.heard_at = 0;
    return true;
  }
  std::int64_t now = now_ns();
  if (heard || one.heard_at == 0) one.heard_at = now;
  // Noticed before a collective operation times out, whose error could only report that a PE did not take part.
  std::int64_t limit_ns = patience_ns_ / 4 * 3;
  if (now - one.heard_at > limit_ns) {
    one.heard_at = 0;
    lose(pe,
         fmt::format("has heard nothing of it for {:.3g} s. Is it stopped, or the network between them cut or blocked?",
                     1e-9 * static_cast<double>(limit_ns)));
    return !job_.is_ending();
  }
  if (one.queued) return true;  // it has enough to answer
  send(pe, header_of(MessageType::ping), {}, {});
  return true;
}

}  // namespace atl::fabric::ofi
