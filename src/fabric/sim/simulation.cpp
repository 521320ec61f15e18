// SPDX-License-Identifier: Apache-2.0
#include "simulation.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/base/assertion.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/validate.hpp"
#include "path.hpp"

namespace atl::fabric {
namespace {

// Size of a request, answer or wake-up on the network.
constexpr std::uint64_t header_bytes = 32;

}  // namespace

Simulation::Simulation(SimulatedOptions options, std::unique_ptr<Wire> wire)
    : options_(std::move(options)), wire_(std::move(wire)) {
  JobOptions& job = options_.job;
  if (job.node_of_pe.empty()) job.node_of_pe.assign(job.npes, 0);
  std::uint32_t nodes = 0;
  for (std::uint32_t node : job.node_of_pe) nodes = std::max(nodes, node + 1);
  for (job.node = 0; job.node < nodes; ++job.node) {
    jobs_.push_back(Job::create_loop(job));
    // Only small parts of the thousands of segments are used.
    for (std::uint32_t pe = 0; pe < job.npes; ++pe)
      if (std::byte* segment = jobs_.back()->segment(PeId(pe)); segment != nullptr)
        ::madvise(segment, jobs_.back()->segment_bytes(), MADV_NOHUGEPAGE);
    jobs_.back()->connect(std::make_unique<SimulatedPath>(*this, job.node));
  }
  pes_.resize(job.npes);
  sources_.resize(job.npes);
  waiting_.resize(job.npes);
}

Simulation::~Simulation() = default;

void Simulation::run(const Simulated::Body& body) {
  Scheduler::Use here(*this);
  const auto npes = static_cast<std::uint32_t>(pes_.size());
  left_ = npes;
  for (std::uint32_t pe = 0; pe < npes; ++pe) {
    pes_[pe] = Pe{};
    pes_[pe].fiber = std::make_unique<sim::Fiber>(options_.stack_bytes, [this, &body, pe] {
      try {
        body(jobs_[node_of(PeId(pe))], PeId(pe));
      } catch (...) { pes_[pe].error = std::current_exception(); }
    });
    push(now_, Event::resume, pe);
  }
  const Faults& faults = options_.faults;
  if (faults.lost) push(std::max(now_, faults.lost_at_ps), Event::lose, faults.lost->value());
  const std::uint64_t limit = now_ + static_cast<std::uint64_t>(options_.limit_seconds * 1e12);
  while (left_ != 0) {
    if (!queue_.empty()) step(queue_.pop());
    if (queue_.empty() && left_ != 0) end_frozen();
    if (now_ > limit && !hang_) {
      hang_ = true;
      std::string names;
      PeId first(0);
      for (std::uint32_t pe = npes; pe-- > 0;)
        if (!pes_[pe].fiber->ended() && !pes_[pe].frozen) names = fmt::format(" {}", pe) + names, first = PeId(pe);
      fail_all(first, fmt::format("has not ended after {} s of simulated time; nor have these PEs:{} (seed {})",
                                  options_.limit_seconds, names, faults.seed));
    }
    ATOLL_VALIDATE(now_ <= 2 * limit, Error, "simulated PEs do not react to the failure of their job (seed {})",
                   faults.seed);
  }
  std::exception_ptr first;
  for (Pe& pe : pes_) {
    pe.fiber.reset();
    if (!pe.error) continue;
    try {
      std::rethrow_exception(pe.error);
    } catch (const PeFailedError&) {
      if (!first) first = pe.error;
    } catch (...) { std::rethrow_exception(pe.error); }
  }
  if (first) std::rethrow_exception(first);
}

void Simulation::step(const Event& event) {
  now_ = event.time;
  Pe* pe = event.kind == Event::arrive ? nullptr : &pes_[event.number];
  switch (event.kind) {
    case Event::resume:
      if (event.generation == pe->generation && !pe->frozen && !pe->fiber->ended()) switch_to(event.number);
      break;
    case Event::arrive: {
      auto parcel = std::move(parcels_[event.number]);
      free_parcels_.push_back(event.number);
      arrive(std::move(parcel));
      break;
    }
    case Event::lose:
      if (pe->fiber->ended()) break;
      pe->frozen = true;
      push(now_ + options_.faults.notice_ps, Event::notice, event.number);
      break;
    case Event::notice:
      fail_all(PeId(event.number), pe->frozen ? "was lost" : "cannot be reached: the link to its node is down");
      break;
  }
}

void Simulation::fail_all(PeId pe, const std::string& why) {
  for (const auto& job : jobs_) job->hear(News{.kind = News::Kind::failed, .pe = pe, .text = why});
  // Also those that wait for an answer.
  for (std::uint32_t other = 0; other < pes_.size(); ++other)
    if (!pes_[other].fiber->ended()) push(now_, Event::resume, other, pes_[other].generation);
}

// What was lost ends as the others do, so that nothing stays behind.
void Simulation::end_frozen() {
  bool any = false;
  for (std::uint32_t pe = 0; pe < pes_.size(); ++pe) {
    if (!std::exchange(pes_[pe].frozen, false)) continue;
    any = true;
    push(now_, Event::resume, pe, pes_[pe].generation);
  }
  ATOLL_VALIDATE(any, Error, "simulated PEs wait and nothing is on its way (seed {})", options_.faults.seed);
}

void Simulation::switch_to(std::uint32_t number) {
  Pe& pe = pes_[number];
  ++pe.generation;
  pe.bell = nullptr;
  ++counts_.resumed;
  running_ = &pe;
  acting_ = PeId(number);
  pe.fiber->resume();
  running_ = nullptr;
  if (!pe.fiber->ended()) return;
  --left_;
  if (!options_.faults.lost) return;
  // Those that are left may be the lost one alone.
  bool all_frozen = left_ != 0;
  for (const Pe& other : pes_) all_frozen = all_frozen && (other.frozen || other.fiber->ended());
  if (all_frozen) {
    if (!jobs_[0]->has_failed())
      for (std::uint32_t lost = 0; lost < pes_.size(); ++lost)
        if (pes_[lost].frozen) fail_all(PeId(lost), "was lost");
    end_frozen();
  }
}

void Simulation::pause_until(std::uint64_t time, const void* bell) {
  Pe& self = *running_;
  const PeId acting = acting_;
  self.bell = bell;
  if (bell != nullptr) sleepers_[bell] = acting.value();
  push(time, Event::resume, acting.value(), self.generation);
  self.fiber->pause();
  if (bell != nullptr) sleepers_.erase(bell);
}

void Simulation::sleep(const void* bell, std::int64_t limit_ns) {
  if (running_ == nullptr) return;
  running_->idle_looks = 0;
  pause_until(time_here() + static_cast<std::uint64_t>(std::max<std::int64_t>(limit_ns, 1)) * 1000, bell);
}

void Simulation::wake(const void* bell) noexcept {
  auto found = sleepers_.find(bell);
  if (found == sleepers_.end()) return;
  const Pe& pe = pes_[found->second];
  if (pe.bell != bell) return;
  // Over the network the data's arrival is what wakes; inside the node it takes as long as a line does.
  push(running_ != nullptr ? time_here() + wire_->wake_ps() : now_, Event::resume, found->second, pe.generation);
}

void Simulation::begin_operation() {
  if (running_ == nullptr) return;
  const std::uint64_t overhead = wire_->overhead_ps();
  running_->time = time_here() + overhead;
  if (running_->time - now_ > most_ahead * overhead) compute(0);
}

void Simulation::compute(std::uint64_t ps) {
  if (running_ == nullptr) return;
  const std::uint64_t until = running_->time = time_here() + ps;
  while (now_ < until) pause_until(until, nullptr);
}

void Simulation::look_idle() {
  if (running_ == nullptr || ++running_->idle_looks < most_idle_looks) return;
  running_->idle_looks = 0;
  // To when something may have changed, but not for ever.
  compute(wire_->wake_ps() * 10);
}

std::uint64_t Simulation::arrival(PeId from, PeId to, std::uint64_t bytes) {
  std::uint64_t time = wire_->arrival_ps(node_of(from), node_of(to), bytes, time_here());
  const Faults& faults = options_.faults;
  if (faults.most_delay_ps != 0) {
    // Most come in time; few come very late.
    const std::uint64_t draw = random_bits(faults.seed, draws_++);
    if (draw % 4 == 0)
      time += to_bounded(random_bits(faults.seed ^ 1, draws_), (faults.most_delay_ps >> (draw / 4 % 8)) + 1);
  }
  return time;
}

// Whether what goes between them is lost on the way.
bool Simulation::is_cut(PeId from, PeId to) const {
  const Faults& faults = options_.faults;
  if (!faults.cut || now_ < faults.cut_at_ps) return false;
  return std::minmax(node_of(from), node_of(to)) == std::minmax(faults.cut->first, faults.cut->second);
}

void Simulation::launch(std::unique_ptr<Parcel> parcel, std::uint64_t time) {
  if (is_cut(parcel->from, parcel->to)) [[unlikely]] {
    if (!std::exchange(cut_noticed_, true)) push(now_ + options_.faults.notice_ps, Event::notice, parcel->to.value());
    return;
  }
  std::uint32_t number;
  if (free_parcels_.empty()) {
    number = static_cast<std::uint32_t>(parcels_.size());
    parcels_.emplace_back();
  } else {
    number = free_parcels_.back();
    free_parcels_.pop_back();
  }
  ++counts_.messages;
  counts_.bytes += parcel->bytes;
  parcels_[number] = std::move(parcel);
  push(time, Event::arrive, number);
}

// A channel on which nothing is any more is like a new one: as many are kept as have something on them, not one for
// each pair of PEs.
Simulation::Channel& Simulation::channel_of(PeId from, PeId to) {
  if (channels_.size() >= sweep_at_) {
    std::erase_if(channels_, [this](const auto& one) { return one.second.last < now_; });
    sweep_at_ = std::max<std::size_t>(1024, 2 * channels_.size());
  }
  return channels_[std::uint64_t{from.value()} << 32 | to.value()];
}

void Simulation::send(std::unique_ptr<Parcel> parcel, Order order) {
  const PeId from = parcel->from, to = parcel->to;
  Source& source = sources_[from.value()];
  if (parcel->counted) ++source.outstanding;
  std::uint64_t time = arrival(from, to, header_bytes + (parcel->kind == Parcel::Kind::get ? 0 : parcel->bytes));
  Channel& channel = channel_of(from, to);
  if (std::exchange(channel.fences, source.fences) != source.fences) channel.floor = channel.last;
  // A put may overtake what is not behind a fence; what keeps its order waits for what is ahead.
  time = std::max(time, order == Order::free && options_.faults.reorder ? channel.floor : channel.last);
  channel.last = std::max(channel.last, time);
  launch(std::move(parcel), time);
}

std::uint64_t Simulation::ask(std::unique_ptr<Parcel> parcel) {
  ATOLL_EXPECT(running_ != nullptr);
  bool done = false;
  std::uint64_t result = 0;
  parcel->done = &done;
  parcel->result = &result;
  const PeId self = acting_;
  Job& job = job_of(self);
  send(std::move(parcel), Order::kept);
  while (!done) {
    pause_until(time_here() + 100'000'000'000, &done);
    if (!done && job.has_failed()) {
      // Its answer would go to a place that is gone.
      for (auto& one : parcels_)
        if (one && one->done == &done) one->done = nullptr, one->result = nullptr, one->into = nullptr;
      job.check();
    }
  }
  return result;
}

void Simulation::quiet() {
  if (running_ == nullptr) return;
  const PeId self = acting_;
  const Source& source = sources_[self.value()];
  Job& job = job_of(self);
  while (source.outstanding != 0) {
    pause_until(time_here() + 100'000'000'000, &source);
    if (source.outstanding != 0) job.check();
  }
}

bool Simulation::push_waiting(PeId pe) {
  auto& waiting = waiting_[pe.value()];
  bool any = false;
  while (!waiting.empty()) {
    const Parcel& parcel = *waiting.front();
    if (push_message(job_of(pe), pe, parcel.label, {parcel.data}) != Status::ok) break;
    waiting.pop_front();
    any = true;
  }
  return any;
}

void Simulation::arrive(std::unique_ptr<Parcel> parcel) {
  const PeId to = parcel->to;
  digest_ = random_bits(digest_ ^ now_, std::uint64_t{to.value()} << 8 | static_cast<std::uint64_t>(parcel->kind));
  if (parcel->kind == Parcel::Kind::answer) return answer(std::move(parcel));
  // What came to a PE that is lost is not answered.
  if (pes_[to.value()].frozen) return;
  Job& job = job_of(to);
  std::byte* target = job.segment(to) + parcel->at.value();
  acting_ = to;
  pes_[to.value()].idle_looks = 0;
  switch (parcel->kind) {
    case Parcel::Kind::put: {
      const auto* data = parcel->late != nullptr ? static_cast<const std::byte*>(parcel->late) : parcel->data.data();
      if (parcel->bytes != 0) std::memcpy(target, data, parcel->bytes);
      if (parcel->signals) apply_atomic(parcel->op, 8, job.segment(to) + parcel->signal.value(), parcel->value, 0);
      ring_bell(job.record(to));
      break;
    }
    case Parcel::Kind::update:
    case Parcel::Kind::atomic:
      parcel->old = apply_atomic(parcel->op, parcel->width, target, parcel->value, parcel->expected);
      if (parcel->op != AtomicOp::fetch) ring_bell(job.record(to));
      break;
    case Parcel::Kind::get: parcel->data.assign(target, target + parcel->bytes); break;
    case Parcel::Kind::message:
      if (!waiting_[to.value()].empty() || push_message(job, to, parcel->label, {parcel->data}) != Status::ok) {
        waiting_[to.value()].push_back(std::move(parcel));
        ring_bell(job.record(to));
      }
      return;
    case Parcel::Kind::post: return job.hear_post(to, parcel->from, parcel->label.kind, parcel->data);
    case Parcel::Kind::ring: return ring_bell(job.record(to));
    case Parcel::Kind::answer: break;
  }
  if (!parcel->counted && parcel->done == nullptr) return;
  const bool reads = parcel->kind == Parcel::Kind::get;
  parcel->kind = Parcel::Kind::answer;
  parcel->late = nullptr;
  const PeId from = parcel->from;
  const std::uint64_t time = arrival(to, from, header_bytes + (reads ? parcel->bytes : 0));
  launch(std::move(parcel), time);
}

void Simulation::answer(std::unique_ptr<Parcel> parcel) {
  const std::uint32_t from = parcel->from.value();
  if (parcel->bytes != 0 && parcel->into != nullptr && !pes_[from].fiber->ended())
    std::memcpy(parcel->into, parcel->data.data(), parcel->bytes);
  if (parcel->counted) {
    Source& source = sources_[from];
    if (--source.outstanding == 0) wake(&source);
  }
  if (parcel->done != nullptr) {
    *parcel->result = parcel->old;
    *parcel->done = true;
    wake(parcel->done);
  }
}

// ---- Simulated ------------------------------------------------------------------------------------------------

Simulated::Simulated(SimulatedOptions options, std::unique_ptr<Wire> wire)
    : simulation_(std::make_unique<Simulation>(std::move(options), std::move(wire))) {}
Simulated::~Simulated() = default;
void Simulated::run(const Body& body) { simulation_->run(body); }
const std::vector<std::shared_ptr<Job>>& Simulated::jobs() const { return simulation_->jobs(); }
std::uint64_t Simulated::now_ps() const { return simulation_->now_ps(); }
Simulated::Counts Simulated::counts() const { return simulation_->counts(); }
std::uint64_t Simulated::digest() const { return simulation_->digest(); }
void Simulated::compute(std::uint64_t ps) { simulation_->compute(ps); }

}  // namespace atl::fabric
