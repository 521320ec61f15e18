// SPDX-License-Identifier: Apache-2.0
#include "check/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <map>
#include <mutex>

#include "atoll/base/config.hpp"
#include "atoll/device/driver.hpp"
#include "atoll/fabric/job.hpp"
#include "check/tracks.hpp"
#include "core/library.hpp"
#include "environment/environment.hpp"
#include "request/background.hpp"

namespace atl::mpi::check {
namespace {

thread_local const char* current = nullptr;

std::atomic<int> threads{0};
thread_local bool counted = false;

// ---- handles that the program holds

struct Held {
  Kind kind;
  std::string function;  // the function that returned it
  std::uint64_t order;
};

class Ledger : public Watcher {
 public:
  void given(Object& object) override {
    if (object.is_predefined()) return;
    std::lock_guard lock(mutex_);
    held_[&object] = {object.kind(), current == nullptr ? "a call" : current, next_++};
  }
  void gone(Object& object) override {
    std::lock_guard lock(mutex_);
    held_.erase(&object);
    tracks_.erase(&object);
  }
  // The program must not change a send buffer before the request is complete, even if the message was sent earlier.
  void completed(Object& request) override {
    auto track = track_of(request);
    if (!track || !track->digest) return;
    auto digest = track->buffers.digest();
    ATOLL_MPI_REQUIRE(digest.has_value(), MPI_ERR_BUFFER,
                      "check: what the request of {} sends has been freed or unmapped before it was complete",
                      track->what);
    ATOLL_MPI_REQUIRE(digest == track->digest, MPI_ERR_BUFFER,
                      "check: what the request of {} sends has been changed before it was complete", track->what);
  }
  void wait(const std::function<bool()>& ready, std::span<const PeId> whom) override {
    // Polls, because the release of a lock word wakes no waiter.
    constexpr double step_seconds = 200e-6;
    std::vector<PeId> others;
    for (PeId pe : whom)
      if (pe != library().pe()) others.push_back(pe);
    wait_watched(
        ready, [&] { return Need{{others}, fmt::format("{}, which waits for others", function_called())}; },
        step_seconds);
  }
  void track(Object& object, Track track) {
    std::lock_guard lock(mutex_);
    tracks_[&object] = std::move(track);
  }
  std::optional<Track> track_of(const Object& object) {
    std::lock_guard lock(mutex_);
    auto found = tracks_.find(&object);
    return found == tracks_.end() ? std::nullopt : std::optional(found->second);
  }
  void check_against_active(const Buffers& buffers, const Object* itself) {
    if (buffers.empty()) return;
    std::lock_guard lock(mutex_);
    for (const auto& [object, track] : tracks_) {
      if (object == itself || !static_cast<const Request*>(object)->active() || !track.buffers.meets(buffers)) continue;
      fail(MPI_ERR_BUFFER, "check: a buffer is in use by the request of {}, which is not complete", track.what);
    }
  }
  std::vector<std::string> left() {
    std::lock_guard lock(mutex_);
    std::map<std::string, int> requests;
    std::vector<std::string> lines;
    for (const auto& [object, held] : held_) {
      auto found = tracks_.find(object);
      if (held.kind == Kind::request)
        ++requests[fmt::format("{} of {}",
                               static_cast<const Request*>(object)->active() ? "request" : "persistent request",
                               found == tracks_.end() ? held.function : found->second.what)];
      else if (held.kind == Kind::comm) ++requests[fmt::format("communicator of {}", held.function)];
      else if (held.kind == Kind::win) ++requests[fmt::format("window of {}", held.function)];
      else if (held.kind == Kind::file) ++requests[fmt::format("file of {}", held.function)];
    }
    for (const auto& [what, count] : requests)
      lines.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
    return lines;
  }
  std::vector<Ref<Comm>> held_comms() {
    std::lock_guard lock(mutex_);
    std::vector<Ref<Comm>> comms;
    for (const auto& [object, held] : held_)
      if (held.kind == Kind::comm) comms.emplace_back(static_cast<Comm&>(*object));
    return comms;
  }

 private:
  std::mutex mutex_;
  std::map<Object*, Held> held_;
  std::map<const Object*, Track> tracks_;
  std::uint64_t next_ = 0;
};
Ledger& ledger() {
  static auto& one = *new Ledger;
  return one;
}

// Runs before main(); MPI_Init reports invalid values.
[[maybe_unused]] const bool begun = [] {
  try {
    if (config::choice(config::Variable::mpi_check) != 0) mpi::detail::watcher = &ledger(), device::look_always();
  } catch (const std::exception&) {}
  return true;
}();

}  // namespace

Entered::Entered(const char* name) : before_(std::exchange(current, name)) {
  if (!std::exchange(counted, true)) threads.fetch_add(1, std::memory_order_relaxed);
}
Entered::~Entered() { current = before_; }
const char* function_called() { return current == nullptr ? "a call" : current; }

bool one_thread_calls() { return !all_threads_may_call() && threads.load(std::memory_order_relaxed) <= 1; }

std::optional<Track> track_of(const Request& request) { return ledger().track_of(request); }
void check_against_active(const Buffers& buffers, const Request* itself) {
  ledger().check_against_active(buffers, itself);
}
void track(Request& request, Track track) { ledger().track(request, std::move(track)); }

std::vector<PeId> peers_of(Comm& comm, int rank) {
  if (rank >= 0 && rank < comm.peers().size()) return {comm.pe_of(rank)};
  if (rank == MPI_ANY_SOURCE) return comm.peers().pes();
  return {};
}

// ---- requests

Started::Started(MPI_Request* request, Buffers buffers)
    : request_(request),
      buffers_(std::move(buffers)),
      what_(function_called()),
      exceptions_(std::uncaught_exceptions()) {
  buffers_.check_among();
  check_against_active(buffers_, nullptr);
}

Started::Started(MPI_Request* request, Buffers buffers, MPI_Comm handle, int peer, Returns returns)
    : Started(request, std::move(buffers)) {
  returns_ = returns;
  Comm* comm = find<Comm>(handle);
  if (comm == nullptr) return;
  peers_ = peers_of(*comm, peer);
  what_ += peer == MPI_ANY_SOURCE ? " with any rank" : fmt::format(" with rank {}", peer);
}

namespace {

Flow judged(std::shared_ptr<CallRecord> record) {
  co_await *record;
  std::optional<std::string> wrong;
  try {
    record->judge();
  } catch (const Failure& failure) { wrong = failure.text; }
  if (wrong) end_job(Call{record->function()}, *wrong, 1);
}

}  // namespace

Started::Started(MPI_Request* request, Called called) : Started(request, std::move(called.buffers)) {
  record_ = std::move(called.record);
  record_->call();
  make<FlowRequest>(judged(record_));
}

Started::~Started() {
  if (std::uncaught_exceptions() > exceptions_) return;
  Request* made = find<Request>(*request_);
  if (made == nullptr) return;
  std::optional<std::size_t> digest;
  if (made->active() && returns_ == Returns::before) digest = buffers_.digest();
  track(*made, {std::move(what_), std::move(buffers_), std::move(peers_), std::move(record_), digest});
}

// ---- blocking collectives

namespace {

void call_and_wait(const Called& called) {
  called.buffers.check_among();
  check_against_active(called.buffers, nullptr);
  CallRecord& record = *called.record;
  record.call();
  wait_watched([&] { return record.ready(); },
               [&] {
                 Need need{{}, fmt::format("{}, which not all have called", record.function())};
                 for (PeId pe : record.missing()) need.clauses.push_back({pe});
                 return need;
               });
}

}  // namespace

void meet(const Called& called) {
  call_and_wait(called);
  called.record->judge();
}

void meet_on_file(MPI_File handle) {
  Called called = of_file(handle);
  call_and_wait(called);  // the call itself reports failed ranks
  try {
    called.record->judge();
  } catch (const Failure& failure) { end_job(Call{function_called()}, failure.text, 1); }
}

// ---- finalisation

namespace {

void say_left(const std::string& what) {
  std::string text =
      fmt::format("atoll-mpi: rank {}: MPI_Finalize: check: left by the program: {}\n", library().pe().value(), what);
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, text.data(), text.size());
}

// Reports the first unreceived message of each communicator.
void say_messages_left() {
  std::vector<Ref<Comm>> comms = ledger().held_comms();
  comms.emplace_back(need<Comm>(MPI_COMM_WORLD));
  comms.emplace_back(need<Comm>(MPI_COMM_SELF));
  for (const Ref<Comm>& comm : comms)
    if (auto message = library().matcher().probe(pattern_of(*comm, MPI_ANY_SOURCE, MPI_ANY_TAG)))
      say_left(fmt::format("a message of {} bytes from rank {} with tag {}, which has not been received",
                           message->bytes, comm->rank_of(message->source), message->tag & tag_mask));
}

void say_all_left() {
  for (const std::string& line : ledger().left()) say_left(line);
  if (library().job().deaths() == 0) {
    meet(named(MPI_COMM_WORLD));
    // Messages that a rank sent before it announced its MPI_Finalize have arrived.
    say_messages_left();
  }
}

}  // namespace

// The report runs after the delete functions of MPI_COMM_SELF's attributes, in which libraries free their handles.
void finalize() { mpi::finalize(say_all_left); }

}  // namespace atl::mpi::check
