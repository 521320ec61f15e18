// SPDX-License-Identifier: Apache-2.0
#include "atoll/fabric/job.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "atoll/base/assertion.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/network.hpp"
#include "borrower.hpp"
#include "growing.hpp"
#include "memory.hpp"

namespace atl::fabric {
namespace {

// All segments of a job together use at most a quarter of a process's 128 TiB.
constexpr std::uint64_t most_address_space = std::uint64_t{32} << 40;
// The segments of guests use at most another quarter.
#if defined(__SANITIZE_THREAD__)  // the thread sanitizer leaves 1.5 TiB for everything
constexpr std::uint64_t most_guest_space = std::uint64_t{1} << 38;
#else
constexpr std::uint64_t most_guest_space = most_address_space;
#endif
constexpr std::uint64_t least_segment_bytes = 2 * huge_page;

struct Geometry {
  std::uint64_t segment_bytes = 0;
  std::uint64_t ring_offset = 0;
  std::uint64_t control_bytes = 0;
  std::uint64_t total_bytes = 0;
};

std::uint32_t local_pes_of(const JobOptions& options) {
  if (options.node_of_pe.empty()) return options.npes;
  const auto begin = options.node_of_pe.begin(), end = begin + options.npes;
  return static_cast<std::uint32_t>(std::count(begin, end, options.node));
}

// Address space that a PE's program uses before it joins: some 200 MiB for Python with NumPy and Arrow. A single PE is
// this process, whose use is known.
std::uint64_t program_bytes(std::uint32_t local_pes) { return local_pes > 1 ? std::uint64_t{240} << 20 : 0; }

std::uint64_t share_of(std::uint32_t local_pes) { return most_address_space / local_pes / huge_page * huge_page; }

// Replaces default options by values. Done once, because the available memory changes with each mapping.
JobOptions settled(JobOptions options) {
  ATOLL_VALIDATE(options.npes >= 1 && options.npes <= most_pes, ValueError,
                 "a job of {} PEs is not possible. Accepted: 1 to {}", options.npes, most_pes);
  if (options.segment_bytes == 0) options.segment_bytes = usual_segment_bytes(local_pes_of(options));
  // All nodes of a job use the same value and have agreed on it.
  const bool one_node = local_pes_of(options) == options.npes && options.node_of_pe.size() <= options.npes;
  const std::uint64_t room = one_node ? guest_space_bytes(options.npes) / options.segment_bytes : most_guests;
  options.guests =
      static_cast<std::uint32_t>(std::min<std::uint64_t>({options.guests, room, most_guests, most_pes - options.npes}));
  return options;
}

std::uint32_t places_of(const JobOptions& options) {
  return options.npes + (options.guests == 0 ? 0 : guest_numbers(options.npes));
}

std::size_t owner_offset(std::uint32_t places) { return sizeof(JobControl) + places * sizeof(PeRecord); }

Geometry geometry_of(const JobOptions& options) {
  std::uint32_t local_pes = local_pes_of(options);
  ATOLL_EXPECT(options.node_of_pe.empty() || options.node_of_pe.size() >= options.npes);
  Geometry found;
  std::uint64_t wanted = options.segment_bytes;
  std::uint64_t share = share_of(std::max(1u, local_pes));
  ATOLL_VALIDATE(wanted <= share, ValueError,
                 "segments of {} for {} PEs do not fit in the address space. Set ATOLL_HEAP_SIZE to {} or less",
                 format_bytes(wanted), local_pes, format_bytes(share));
  wanted = std::max(wanted, least_segment_bytes);
  found.segment_bytes = round_up(wanted, segment_alignment(wanted));
  found.ring_offset = round_up(owner_offset(places_of(options)) + options.guests * sizeof(std::uint32_t), cache_line);
  const std::uint32_t places_here = local_pes + options.guests;
  found.control_bytes =
      round_up(found.ring_offset + places_here * sizeof(MessageRing), segment_alignment(found.segment_bytes));
  found.total_bytes = found.control_bytes + places_here * found.segment_bytes;
  return found;
}

}  // namespace

std::uint64_t guest_space_bytes(std::uint32_t local_pes) {
  return std::min(most_guest_space, available_address_bytes(program_bytes(local_pes)) / 4);
}

std::uint64_t usual_segment_bytes(std::uint32_t local_pes) {
  std::uint64_t share = share_of(local_pes);
  std::uint64_t wanted = config::bytes(config::Variable::heap_size);
  // Half of a limited address space is left to the program and its libraries.
  if (wanted == 0) {
    std::uint64_t half = available_address_bytes(program_bytes(local_pes)) / 2 / local_pes / huge_page * huge_page;
    wanted = std::max(least_segment_bytes, std::min({topology().memory_bytes, share, half}));
  }
  std::uint64_t symmetric = config::symmetric_bytes();
  ATOLL_VALIDATE(symmetric <= topology().memory_bytes, ValueError,
                 "SHMEM_SYMMETRIC_SIZE asks for {} per PE, but the node has {} of memory. Lower it",
                 format_bytes(symmetric), format_bytes(topology().memory_bytes));
  if (symmetric == 0) return wanted;
  std::uint64_t area = symmetric_area_bytes(symmetric);
  return std::min(wanted, share - std::min(share, area)) + area;
}

// Blocks of 2 MiB or more start at multiples of 2 MiB and end with a spare cache line, so a block of exactly 2 MiB
// takes 4.
std::uint64_t symmetric_area_bytes(std::uint64_t asked) {
  return round_up<std::uint64_t>(2 * asked + 2 * huge_page, huge_page);
}

void Job::lay_out(const JobOptions& options) {
  Geometry geometry = geometry_of(options);
  auto* control = reinterpret_cast<JobControl*>(base_);
  control->version = layout_version;
  control->npes = options.npes;
  control->segment_bytes = geometry.segment_bytes;
  control->control_bytes = geometry.control_bytes;
  control->ring_offset = geometry.ring_offset;
  control->creator_pid = ::getpid();
  control->cores = static_cast<std::uint32_t>(topology().cores.size());
  control->threads_per_pe = options.threads_per_pe;
  control->node = options.node;
  control->local_pes = local_pes_of(options);
  control->places = places_of(options);
  control->guest_areas = options.guests;
  auto* records = reinterpret_cast<PeRecord*>(base_ + sizeof(JobControl));
  std::vector<std::uint32_t> places;  // number of assigned places, by node
  for (std::uint32_t pe = 0; pe < options.npes; ++pe) {
    std::uint32_t node = options.node_of_pe.empty() ? 0 : options.node_of_pe[pe];
    if (node >= places.size()) places.resize(node + 1);
    records[pe].node = node;
    records[pe].place = places[node]++;
  }
  const std::size_t only_guests = std::max<std::size_t>(options.node_of_pe.size(), options.npes) - options.npes;
  control->nodes = static_cast<std::uint32_t>(places.size() + only_guests);
  // Rings need no initialisation: the memory is zero.
  // Release: a PE that sees the magic sees the rest. Partner: attach().
  control->magic.store(job_magic, std::memory_order_release);
}

void Job::attach() {
  control_ = reinterpret_cast<JobControl*>(base_);
  // Acquire, to read the fields after it. Partner: lay_out().
  bool good = control_->magic.load(std::memory_order_acquire) == job_magic && control_->version == layout_version;
  ATOLL_VALIDATE(good, SetupError, "ATOLL_JOB does not name a job of this version of Atoll. Start with `atoll run`");
  segment_bytes_ = control_->segment_bytes;
  control_bytes_ = control_->control_bytes;
  const std::uint64_t places_here = control_->local_pes + control_->guest_areas;
  ATOLL_VALIDATE(control_bytes_ + places_here * segment_bytes_ == mapped_bytes_, SetupError,
                 "the job's shared memory is {} long, not the {} it says. Start the job again", mapped_bytes_,
                 control_bytes_ + places_here * segment_bytes_);
  cohort_ = {PeId(0), control_->npes};
  records_ = reinterpret_cast<PeRecord*>(base_ + sizeof(JobControl));
  owners_ = reinterpret_cast<std::atomic<std::uint32_t>*>(base_ + owner_offset(control_->places));
  rings_ = make_zero_table<MessageRing*>(control_->places);
  seen_heads_ = make_zero_table<std::atomic<std::uint64_t>>(control_->places);
  segments_ = make_zero_table<std::byte*>(control_->places);
  leaders_.assign(control_->nodes, PeId(control_->npes));
  for (std::uint32_t pe = 0; pe < control_->npes; ++pe) {
    const PeRecord& record = records_[pe];
    if (record.place == 0) leaders_[record.node] = PeId(pe);
    if (record.node == control_->node) find_memory(PeId(pe));
  }
  // Guests get their memory when they start: find_guest().
  prepare_sleeping();
}

// Sets the pointers to the memory of a PE of this node.
void Job::find_memory(PeId pe) const {
  const std::uint32_t place = records_[pe.value()].place;
  auto* ring = reinterpret_cast<MessageRing*>(base_ + control_->ring_offset) + place;
  // Threads that find it at once store the same.
  std::atomic_ref(rings_[pe.value()]).store(ring, std::memory_order_relaxed);
  std::atomic_ref(segments_[pe.value()])
      .store(base_ + control_bytes_ + place * segment_bytes_, std::memory_order_relaxed);
}

bool Job::find_guest(PeId pe) const {
  if (std::atomic_ref(segments_[pe.value()]).load(std::memory_order_relaxed) != nullptr) return true;
  if (pe.value() < npes() || pe.value() >= places() || !is_local(pe)) return false;
  const std::uint32_t area = record(pe).place - control_->local_pes;  // wraps before a guest has its place
  if (area >= guest_areas() || owners_[area].load() != pe.value()) return false;
  find_memory(pe);
  return true;
}

void Job::set_cohort(Cohort cohort) {
  cohort_ = cohort;
  for (std::uint32_t pe = cohort.first.value(); nodes() == 1 && pe < cohort.first.value() + cohort.count; ++pe)
    find_guest(PeId(pe));
}

void Job::set_hosts(std::vector<std::string> names) { hosts_ = std::move(names); }

// Guests have the host name of the first PE of their node. The last names are those of the nodes that have only guests,
// which are the last nodes.
const std::string& Job::host_of(PeId pe) const {
  if (pe.value() < npes()) return hosts_[pe.value()];
  const std::uint32_t node = node_of(pe);
  const PeId leader = leader_of(node);
  return hosts_[leader.value() < npes() ? leader.value() : hosts_.size() - (nodes() - node)];
}

std::string Job::describe(PeId pe) const {
  return nodes() == 1 || hosts_.empty() ? fmt::format("PE {}", pe.value())
                                        : fmt::format("PE {} on {}", pe.value(), host_of(pe));
}

std::shared_ptr<Job> Job::create_loop(const JobOptions& asked) {
  const JobOptions options = settled(asked);
  std::shared_ptr<Job> job(new Job);
  job->kind_ = Kind::loop;
  job->mapped_bytes_ = geometry_of(options).total_bytes;
  job->base_ = loop::map(job->mapped_bytes_);
  job->lay_out(options);
  job->attach();
  return job;
}

std::shared_ptr<Job> Job::create_shm(const JobOptions& asked) {
  const JobOptions options = settled(asked);
  std::shared_ptr<Job> job(new Job);
  job->kind_ = Kind::shm;
  std::size_t bytes = geometry_of(options).total_bytes;
  job->descriptor_ = shm::create(bytes);
  job->base_ = shm::map(job->descriptor_, bytes);
  job->mapped_bytes_ = bytes;
  job->lay_out(options);
  job->attach();
  return job;
}

std::shared_ptr<Job> Job::join_shm(const std::string& name) {
  std::shared_ptr<Job> job(new Job);
  job->kind_ = Kind::shm;
  job->descriptor_ = shm::open(name);
  if (job->descriptor_ < 0) {
    ATOLL_VALIDATE(
        shm::has_names(), SetupError,
        "ATOLL_JOB='{}' cannot be joined (/proc is not mounted, and PEs of one host find their memory there). Mount it?",
        name);
    throw_errno(
        fmt::format("ATOLL_JOB='{}' cannot be joined; its launcher may have ended. Start with `atoll run`", name));
  }
  std::size_t bytes = shm::size(job->descriptor_);
  ATOLL_VALIDATE(bytes > huge_page, SetupError, "ATOLL_JOB='{}' is not a job's memory. Start with `atoll run`", name);
  job->base_ = shm::map(job->descriptor_, bytes);
  job->mapped_bytes_ = bytes;
  job->attach();
  return job;
}

Job::~Job() {
  // The path uses the job's memory, and its thread may still read remote_ while it ends: reset() would clear the
  // pointer first.
  delete remote_.get();
  (void)remote_.release();
  if (base_ != nullptr) unmap(base_, mapped_bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string Job::join_name() const {
  ATOLL_EXPECT(descriptor_ >= 0);
  return shm::name(descriptor_);
}

void Job::wake_all() noexcept {
  for (std::uint32_t pe = 0; pe < npes() + guests(); ++pe) ring_bell(records_[pe]);
}

void Job::give_up_guest(PeId pe) noexcept {
  record(pe).state.store(static_cast<std::uint32_t>(PeState::failed),
                         std::memory_order_release);  // partner: has_died()
  wake_all();
}

void Job::note_end(PeId guest) noexcept {
  record(guest).is_gone.store(1);
  wake_all();
}

// The areas whose last owners have ended come first, because their pages exist.
std::vector<std::uint32_t> Job::free_areas() const {
  std::vector<std::uint32_t> used, unused;
  std::vector<std::uint32_t> alive;  // cohorts with a process on this node
  for (std::uint32_t area = 0; area < guest_areas(); ++area) {
    const std::uint32_t owner = owners_[area].load();
    if (owner == 0) unused.push_back(area);
    else if (record(PeId(owner)).is_gone.load() == 0) alive.push_back(record(PeId(owner)).cohort.load());
    else used.push_back(area);
  }
  std::erase_if(used, [&](std::uint32_t area) {
    const PeRecord& last = record(PeId(owners_[area].load()));
    return last.holders.load() != 0 || std::find(alive.begin(), alive.end(), last.cohort.load()) != alive.end();
  });
  used.insert(used.end(), unused.begin(), unused.end());
  return used;
}

std::uint32_t Job::guests_here() const { return guest_areas() - static_cast<std::uint32_t>(free_areas().size()); }

// The payload lines of a ring need no zeros: a receiver reads only what a sender has written.
bool Job::clear_memory(std::uint32_t area) {
  const std::uint64_t place = control_->local_pes + area;
  auto* ring = reinterpret_cast<MessageRing*>(base_ + control_->ring_offset) + place;
  std::memset(static_cast<void*>(ring), 0, offsetof(MessageRing, lines));
  const std::uint64_t at = control_bytes_ + place * segment_bytes_;
  return kind_ == Kind::shm ? shm::discard(descriptor_, at, segment_bytes_) : loop::discard(base_ + at, segment_bytes_);
}

// Sequentially consistent, as find_guest() after hold(): either this sees the holder, or the holder sees the new owner.
bool Job::take_memory(PeId guest, PeId first) {
  record(guest).cohort.store(first.value());
  for (const std::uint32_t area : free_areas()) {
    std::uint32_t before = owners_[area].load();
    if ((before != 0 && record(PeId(before)).is_gone.load() == 0) ||
        !owners_[area].compare_exchange_strong(before, guest.value()))
      continue;  // another process has taken it meanwhile
    if (before != 0 && (record(PeId(before)).holders.load() != 0 || !clear_memory(area))) {
      owners_[area].store(before);
      continue;
    }
    record(guest).node = node();
    record(guest).place = control_->local_pes + area;
    return find_guest(guest);
  }
  return false;
}

std::optional<PeId> Job::take_guests(std::uint32_t count) {
  if (count > free_areas().size()) return std::nullopt;
  std::uint32_t taken = control_->guests.load(std::memory_order_relaxed);
  do {
    if (count > places() - npes() - taken) return std::nullopt;
    // Release; partner: guests().
  } while (!control_->guests.compare_exchange_weak(taken, taken + count, std::memory_order_release,
                                                   std::memory_order_relaxed));
  const PeId first(npes() + taken);
  for (std::uint32_t guest = 0; guest < count; ++guest) {
    if (take_memory(PeId(first.value() + guest), first)) continue;
    // Another process has taken the memory meanwhile.
    for (std::uint32_t other = 0; other < count; ++other) {
      const PeId pe(first.value() + other);
      note_end(pe);
      give_up_guest(pe);
    }
    return std::nullopt;
  }
  return first;
}

void Job::admit(PeId pe, std::uint32_t node) {
  ATOLL_EXPECT(nodes() > 1 && pe.value() >= npes() && pe.value() < places() && node < nodes());
  // All processes of this node store the same value.
  record(pe).node = node;
  find_guest(pe);
  const std::uint32_t end = pe.value() - npes() + 1;
  std::uint32_t before = control_->guests.load(std::memory_order_relaxed);
  // Release: partner is guests().
  while (before < end &&
         !control_->guests.compare_exchange_weak(before, end, std::memory_order_release, std::memory_order_relaxed)) {}
}

void admit(Job& job, PeId pe, const std::string& card) {
  if (auto* growing = dynamic_cast<Growing*>(job.remote()); growing != nullptr) growing->admit(pe, card);
}

void dismiss(Job& job, PeId pe) {
  if (auto* growing = dynamic_cast<Growing*>(job.remote()); growing != nullptr) growing->dismiss(pe);
}

// Returns whether this was the first report of the failure.
bool Job::note_failed(PeId pe, int wait_status, const std::string& cause) noexcept {
  PeRecord& dead = record(pe);
  // Only the first reporter of this PE writes its cause; acquire-release orders reporters among themselves.
  auto before = dead.state.exchange(static_cast<std::uint32_t>(PeState::failed), std::memory_order_acq_rel);
  bool first = before != static_cast<std::uint32_t>(PeState::failed);
  if (first) {
    std::size_t bytes = std::min(cause.size(), sizeof(dead.cause));
    std::memcpy(dead.cause, cause.data(), bytes);
    dead.wait_status.store(wait_status, std::memory_order_relaxed);
    dead.cause_bytes.store(static_cast<std::uint32_t>(bytes), std::memory_order_relaxed);
    control_->deaths.fetch_add(1, std::memory_order_release);  // partner: deaths()
    std::uint32_t none = 0;
    // Release publishes the cause. Partner: has_failed().
    control_->failed.compare_exchange_strong(none, pe.value() + 1, std::memory_order_release,
                                             std::memory_order_relaxed);
  }
  wake_all();
  return first;
}

void Job::mark_failed(PeId pe, int wait_status, const std::string& cause) noexcept {
  // Every PE must know the host of this one; PEs of other nodes are named by the PE that lost them.
  std::string whole = hosts_.empty() || !is_local(pe) ? cause : cause + " on " + host_of(pe);
  if (note_failed(pe, wait_status, whole))
    tell({News::Kind::failed, pe, record(pe).pid.load(std::memory_order_relaxed), wait_status, whole});
}

void Job::note_departure(PeId pe) noexcept {
  std::uint32_t joined = static_cast<std::uint32_t>(PeState::joined);
  // Release publishes all writes of the PE. Partners: has_left(); the launcher, which accepts an exit after this.
  if (!record(pe).state.compare_exchange_strong(joined, static_cast<std::uint32_t>(PeState::finalized),
                                                std::memory_order_release, std::memory_order_relaxed))
    return;
  note_far_departure();
}

void Job::note_far_departure() noexcept {
  control_->departures.fetch_add(1, std::memory_order_release);  // partner: departures()
  wake_all();
}

void Job::hear(const News& news) noexcept {
  switch (news.kind) {
    case News::Kind::failed:
      record(news.pe).pid.store(news.pid, std::memory_order_relaxed);
      (void)note_failed(news.pe, news.status, news.text);
      break;
    case News::Kind::exit: (void)note_exit(news.status); break;
    case News::Kind::shutdown:
      control_->shutdown.store(1, std::memory_order_release);  // partner: shutdown_requested
      wake_all();
      break;
  }
}

void Job::listen(PeId pe, Listener listener) {
  std::unique_lock lock(listeners_mutex_);
  if (listener) listeners_[pe] = std::move(listener);
  else listeners_.erase(pe);
}

void Job::hear_post(PeId pe, PeId source, std::uint16_t kind, std::span<const std::byte> payload) {
  std::shared_lock lock(listeners_mutex_);
  if (auto found = listeners_.find(pe); found != listeners_.end()) found->second(source, kind, payload);
}

std::optional<News> Job::first_failure() const {
  std::uint32_t failed = control_->failed.load(std::memory_order_acquire);  // partner: mark_failed
  if (failed == 0 || failed == job_ended) return std::nullopt;
  const PeRecord& dead = record(PeId(failed - 1));
  return News{News::Kind::failed, PeId(failed - 1), dead.pid.load(std::memory_order_relaxed),
              dead.wait_status.load(std::memory_order_relaxed),
              std::string(dead.cause,
                          std::min<std::size_t>(dead.cause_bytes.load(std::memory_order_relaxed), sizeof(dead.cause)))};
}

std::string Job::failure() const {
  std::uint32_t failed = control_->failed.load(std::memory_order_acquire);  // partner: mark_failed
  if (failed == 0) return {};
  if (failed == job_ended) return fmt::format("a PE has ended the job with status {}", exit_requested().value_or(0));
  News first = *first_failure();
  return kind_ == Kind::loop || first.pid == 0 ? fmt::format("PE {} {}", failed - 1, first.text)
                                               : fmt::format("PE {} (pid {}) {}", failed - 1, first.pid, first.text);
}

void Job::throw_failure() const {
  if (auto* borrower = dynamic_cast<Borrower*>(remote_.get()); borrower != nullptr) borrower->abandon();
  raise<PeFailedError>(failure());
}

// Returns whether this status is the job's.
bool Job::note_exit(int status) noexcept {
  std::uint64_t none = 0;
  // Release publishes earlier writes. Partner: exit_requested.
  bool first = control_->exit.compare_exchange_strong(none, std::uint64_t{1} << 32 | static_cast<std::uint32_t>(status),
                                                      std::memory_order_release, std::memory_order_relaxed);
  std::uint32_t none_failed = 0;
  // Release publishes the status. Partner: has_failed().
  control_->failed.compare_exchange_strong(none_failed, job_ended, std::memory_order_release,
                                           std::memory_order_relaxed);
  wake_all();
  return first;
}

// Each PE tells the launcher itself, although another PE of the node may have: the notice must come before this PE's
// end. The same holds for survive().
void Job::request_exit(int status) noexcept {
  const bool first = note_exit(status);
  if (exit_listener_) exit_listener_(*exit_requested());
  if (first) tell({.kind = News::Kind::exit, .status = status});
}

void Job::survive(Survival how) noexcept {
  note_survival(how);
  if (!survival_listener_) return;
  const auto level = static_cast<std::uint32_t>(how);
  for (std::uint32_t told = told_survival_.load(std::memory_order_relaxed); told < level;)
    if (told_survival_.compare_exchange_weak(told, level, std::memory_order_relaxed)) return survival_listener_(how);
}

void Job::map_over(PeId pe, HeapOffset at, void* where, std::size_t bytes) {
  ATOLL_EXPECT(kind_ == Kind::shm && at.value() <= segment_bytes_ && bytes <= segment_bytes_ - at.value());
  shm::map_over(descriptor_, file_offset(pe, at), where, bytes);
}

Job::Extent Job::touched(PeId pe, HeapOffset at, std::size_t bytes) const noexcept {
  std::uint64_t begin = file_offset(pe, at), end = begin + bytes;
  auto first = ::lseek(descriptor_, static_cast<off_t>(begin), SEEK_DATA);
  if (first < 0 || static_cast<std::uint64_t>(first) >= end) return {at, 0};
  auto last = ::lseek(descriptor_, first, SEEK_HOLE);
  std::uint64_t stop = last < 0 ? end : std::min<std::uint64_t>(end, static_cast<std::uint64_t>(last));
  return {HeapOffset(at.value() + (static_cast<std::uint64_t>(first) - begin)),
          stop - static_cast<std::uint64_t>(first)};
}

std::vector<PeId> Job::recover() {
  ATOLL_EXPECT(nodes() == 1);
  constexpr auto failed = static_cast<std::uint32_t>(PeState::failed);
  std::vector<PeId> dead;
  for (std::uint32_t pe = 0; pe < npes(); ++pe) {
    PeRecord& one = records_[pe];
    MessageRing& messages = ring(PeId(pe));
    // Skips all unread slots, also those that a failed sender has taken and not written.
    messages.head.store(messages.tail.load(std::memory_order_relaxed), std::memory_order_relaxed);
    if (one.state.load(std::memory_order_acquire) != failed) continue;  // partner: note_failed()
    dead.push_back(PeId(pe));
    one.pid.store(0, std::memory_order_relaxed);
    one.wait_status.store(0, std::memory_order_relaxed);
    one.cause_bytes.store(0, std::memory_order_relaxed);
    one.sleeping.store(0, std::memory_order_relaxed);
    one.state.store(static_cast<std::uint32_t>(PeState::absent), std::memory_order_relaxed);
  }
  control_->gate.arrived.store(0, std::memory_order_relaxed);
  control_->suspect.store(0, std::memory_order_relaxed);
  control_->deaths.store(0, std::memory_order_relaxed);
  control_->departures.store(0, std::memory_order_relaxed);
  // Release publishes the new state. Partner: has_failed() of the PEs that join.
  control_->failed.store(0, std::memory_order_release);
  // A failure that was noted meanwhile, and is not among those.
  for (std::uint32_t pe = 0; pe < npes(); ++pe)
    if (records_[pe].state.load(std::memory_order_acquire) == failed) {
      control_->failed.store(pe + 1, std::memory_order_release);
      control_->deaths.fetch_add(1, std::memory_order_release);
    }
  return dead;
}

void Job::announce_recovery() noexcept {
  control_->recoveries.fetch_add(1, std::memory_order_release);  // partner: recoveries()
  wake_all();
}

bool Job::await_recovery(PeId pe, std::uint32_t seen) noexcept {
  constexpr std::int64_t longest_nap_ns = 100'000'000;
  for (;;) {
    Sleeper sleeper(record(pe));
    sleeper.announce();
    if (shutdown_requested()) return false;
    if (recoveries() != seen) return true;
    sleeper.block(longest_nap_ns);
  }
}

void Job::request_shutdown() noexcept {
  News news{.kind = News::Kind::shutdown};
  hear(news);
  tell(news);
}

}  // namespace atl::fabric
