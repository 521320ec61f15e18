// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/random.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/board.hpp"
#include "atoll/runtime/failure_detector.hpp"
#include "atoll/runtime/meeting.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "atoll/runtime/peers.hpp"
#include "atoll/runtime/progress.hpp"
#include "atoll/runtime/team.hpp"

namespace atl::coll::detail {
namespace {

// Polls of a mailbox before the general wait begins, about 1 µs: enough for an exchange between PEs that arrive
// together.
constexpr int quick_looks = 50;

// Non-blocking operations of this many bytes go to the progress thread, if there is one: where the other members have
// arrived, the caller would otherwise copy all data before it returns. Shorter ones take less time than waking the
// thread.
constexpr std::uint64_t worth_handing_over = std::uint64_t{64} << 10;

// Time between calls of the wait callback: too short for users to notice after Ctrl-C.
constexpr std::int64_t callback_period_ns = 50'000'000;

// Wait at the end for signals that may be under way although all members have passed a barrier.
constexpr double seconds_for_doors = 1;

// Scratch memory inside the area: 128 bytes per member, enough for the messages by which members agree on an error, so
// that they can agree on one of them being out of memory. The limit bounds the memory of an unused communicator.
std::size_t reserved_scratch(std::size_t members) { return std::min<std::size_t>((members + 8) * 128, 2048); }

}  // namespace

Engine::Hold::Hold(Engine& engine) : engine_(engine) {
  while (engine_.held_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
}

HeapOffset Engine::make_area(runtime::Context& context, std::size_t members) {
  const std::size_t bytes = Mailboxes::area_bytes(members) + reserved_scratch(members);
  const runtime::Parts parts(context);
  auto* area = static_cast<std::byte*>(parts.memory.heap().allocate(bytes));
  Mailboxes::clear(area, members);
  return parts.one_sided.offset_of(area);
}

void Engine::release_area(runtime::Context& context, HeapOffset area) {
  const runtime::Parts parts(context);
  parts.memory.heap().release(parts.one_sided.local_pointer<std::byte>(area));
}

void Engine::open(std::vector<PeId> pes, std::vector<HeapOffset> areas) {
  area_ = areas[static_cast<std::size_t>(rank_)];
  std::vector<std::uint32_t> nodes;
  for (PeId pe : pes) nodes.push_back(parts_.job.node_of(pe));
  placement_ = Placement(nodes);
  // Whether each member has a core of its own and all are on one node. It depends on the node and the members, not on
  // this PE, so all members agree on the length.
  const bool at_home = parts_.job.local_pes() <= parts_.job.control().cores && placement_.nodes() == 1;
  small_ = at_home ? longest_small_message_nearby : longest_small_message;
  if (placement_.nodes() == 1) selection_.set_sharing(parts_.job.local_pes(), parts_.job.control().cores);
  const bool spins = !parts_.one_sided.node().oversubscribed && config::integer(config::Variable::spin_us) != 0;
  patience_ = at_home && spins ? quick_looks : 0;
  mail_.open(parts_, std::move(pes), std::move(areas), rank_);
}

Engine::Engine(runtime::Context& context)
    : context_(context),
      parts_(context),
      rank_(static_cast<int>(parts_.one_sided.pe().value())),
      size_(static_cast<int>(parts_.one_sided.npes())),
      staging_(parts_.memory.heap(), mail_),
      executor_(parts_.one_sided, parts_.foreign_memory, mail_, staging_),
      timeout_seconds_(config::seconds(config::Variable::peer_timeout)) {
  auto members = static_cast<std::size_t>(size_);
  HeapOffset area = make_area(context, members);
  std::vector<PeId> pes;
  std::vector<HeapOffset> areas;
  for (std::uint64_t offset : parts_.meeting.exchange(area.value())) {
    pes.emplace_back(static_cast<std::uint32_t>(pes.size()));
    areas.emplace_back(offset);
  }
  open(std::move(pes), std::move(areas));
  // Schedules by which members agree that one of them has no memory for another communicator, see
  // Communicator::split(). For very many members a schedule takes long to make.
  for (std::uint64_t bytes : {8, 16}) {
    if (size_ > 1024) break;
    Arguments arguments;
    arguments.bytes = bytes;
    (void)kept_for(Kind::allgather, arguments);
  }
  open_deferred();
}

// Where each PE has a node of its own and the network has triggered operations, the network carries out short
// non-blocking operations: the host does nothing until it tests for completion.
void Engine::open_deferred() {
  if (size_ == 1 || placement_.nodes() != size_ || !fabric::has_deferred_work(parts_.job)) return;
  std::unique_ptr<Deferred> opened;
  std::uint64_t failures = 0, of_all = 0;
  try {
    opened = std::make_unique<Deferred>(
        fabric::open_deferred_work(parts_.job, parts_.one_sided.pe(), Deferred::channels(size_)), rank_, size_);
  } catch (const SetupError& error) {
    log(LogLevel::info, "short collectives are not left to the network: {}", error.what());
    failures = 1;
  }
  const Reduction sum(Type::u64, Op::sum);
  Arguments one;
  one.bytes = one.element_bytes = sizeof(failures);
  run(Kind::allreduce, one, &failures, &of_all, &sum);
  if (of_all != 0) return;
  using Card = Deferred::Work::Card;
  const Card own = opened->card();
  std::vector<Card> cards(opened->partners().size());
  Prepared round{nullptr, digest_of(sizeof(Card), 0) ^ selection_.digest(), Kind::allgather, false, &own, cards.data(),
                 {}};
  {
    auto schedule = std::make_shared<Schedule>();
    ScheduleBuilder steps(*schedule, rank_, placement_, small_);
    for (int partner : opened->partners()) steps.send(partner, in_at(0), sizeof(Card));
    for (std::size_t i = 0; i < cards.size(); ++i)
      steps.recv(opened->partners()[i], out_at(i * sizeof(Card)), sizeof(Card));
    steps.join();
    open_channels(*schedule);
    round.schedule = std::move(schedule);
  }
  wait(start(round));
  opened->connect(cards);
  run(Kind::barrier, Arguments{}, nullptr, nullptr);  // no member is written to before it knows its partners
  deferred_ = std::move(opened);
}

// Advances the first operation of the queue. The caller has the hold.
bool Engine::advance_deferred(const Operation& operation) {
  if (!running_)
    deferred_->start(operation.kind, operation.bytes, operation.root, operation.in, operation.out,
                     operation.reduction ? &*operation.reduction : nullptr);
  running_ = true;
  return deferred_->is_done();
}

Engine::Engine(runtime::Context& context, const runtime::Team& team, std::optional<double> timeout_seconds)
    : context_(context),
      parts_(context),
      rank_(static_cast<int>(team.rank())),
      size_(static_cast<int>(team.size())),
      staging_(parts_.memory.heap(), mail_),
      executor_(parts_.one_sided, parts_.foreign_memory, mail_, staging_),
      timeout_seconds_(timeout_seconds ? *timeout_seconds : config::seconds(config::Variable::peer_timeout)) {
  HeapOffset area = make_area(context, team.size());
  std::vector<PeId> pes;
  std::uint64_t key = 0x9E3779B97F4A7C15ull;
  for (std::uint32_t rank = 0; rank < team.size(); ++rank) {
    pes.push_back(team.pe_of(rank));
    key = random_bits(key, pes.back().value());
  }
  key |= 1;  // 0 is no key
  parts_.board.show(key, area.value());
  for (PeId pe : pes) parts_.one_sided.notify(pe);
  std::vector<HeapOffset> areas;
  for (PeId pe : pes) {
    std::optional<std::uint64_t> found;
    runtime::Patience patience(timeout_seconds_);
    while (parts_.progress.wait([&] { return (found = parts_.board.shown(pe, key)).has_value(); },
                                patience.next_look()) != Status::ok) {
      patience.look();
      if (!patience.is_over()) continue;
      parts_.board.take_down(key);
      raise<TimeoutError>(fmt::format("PE {} did not take part in making a communicator of {} PEs within {} s",
                                      pe.value(), size_, timeout_seconds_));
    }
    areas.emplace_back(*found);
  }
  open(std::move(pes), std::move(areas));
  // All members have read the key before it is withdrawn, and all have withdrawn it before they can make another one.
  run(Kind::barrier, Arguments{}, nullptr, nullptr);
  parts_.board.take_down(key);
  run(Kind::barrier, Arguments{}, nullptr, nullptr);
}

Engine::Engine(runtime::Context& context, std::vector<PeId> pes, std::vector<HeapOffset> areas, int rank)
    : context_(context),
      parts_(context),
      rank_(rank),
      size_(static_cast<int>(pes.size())),
      staging_(parts_.memory.heap(), mail_),
      executor_(parts_.one_sided, parts_.foreign_memory, mail_, staging_),
      timeout_seconds_(config::seconds(config::Variable::peer_timeout)) {
  open(std::move(pes), std::move(areas));
}

Engine::~Engine() {
  end_->store(true, std::memory_order_release);  // partner: Request::is_over()
  if (parts_.memory.abandoned()) return;
  bool quiet = all_closed();
  if (!closed_ && !broken_.load() && std::uncaught_exceptions() == 0) {
    try {
      // After this barrier no member writes to the area: no more credits are given, and every sent cell is awaited.
      mail_.stop_credits();
      run(Kind::barrier, Arguments{}, nullptr, nullptr);
      quiet = parts_.progress.wait([this] { return mail_.all_known(); }, Deadline::after_seconds(seconds_for_doors)) ==
              Status::ok;
    } catch (const std::exception& error) {
      log(LogLevel::debug, "closing a communicator: {}", error.what());
    } catch (...) {  // what fail() was told
    }
  }
  if (hook_ != 0) parts_.progress.remove_hook(hook_);
  // Memory that a peer may still read or write is not released; the segment is freed with the Context.
  if (!quiet) return;
  if (scratch_ != nullptr) parts_.memory.heap().release(scratch_);
  staging_.release();
  mail_.release();
  release_area(context_, area_);
}

void Engine::close() {
  if (closed_) return;
  end_->store(true, std::memory_order_release);  // partner: Request::is_over()
  closed_ = true;
  if (hook_ != 0) parts_.progress.remove_hook(hook_.exchange(0));
  mail_.close();
}

PeId Engine::pe(int member) const {
  ATOLL_VALIDATE(member >= 0 && member < size_, IndexError, "member {} of a communicator of {}", member, size_);
  return mail_.pe(static_cast<std::uint32_t>(member));
}

void Engine::refuse_root(int root) const {
  raise<ValueError>(fmt::format("root {} is not a member: the communicator has {} members", root, size_));
}

void Engine::validate_blocks(std::size_t blocks) const {
  ATOLL_VALIDATE(blocks == static_cast<std::size_t>(size_), ValueError,
                 "{} blocks given for {} members: give one for each, empty ones too", blocks, size_);
}

void Engine::forget_schedules() {
  Hold hold(*this);
  std::ranges::fill(own_kept_, Kept{});
}

const Engine::Kept Engine::none_kept;

const Engine::Kept& Engine::keep(std::size_t place, const Key& key, const Arguments& arguments) {
  const bool is_taken = !own_kept_.empty() && own_kept_[place & kept_mask_].key != Key{};
  if (own_kept_.empty() || (is_taken && own_kept_.size() < most_kept)) {
    std::vector<Kept> more(own_kept_.empty() ? few_kept : most_kept);
    for (Kept& one : own_kept_)
      if (one.key != Key{}) more[place_of(one.key)] = std::move(one);
    own_kept_ = std::move(more);
    kept_ = own_kept_.data();
    kept_mask_ = own_kept_.size() - 1;
  }
  Kept& kept = own_kept_[place & kept_mask_];
  kept.key = {};
  write(kept, key.kind, arguments);
  kept.key = key;
  return kept;
}

// Makes room for the messages of all partners of a schedule before the first message is sent: both members of a pair
// have the message in their schedules.
void Engine::open_channels(const Schedule& schedule) {
  const auto has_peer = [](const Step& step) { return step.kind <= Step::Kind::recv_fold; };
  try {
    std::vector<std::uint64_t> cells(static_cast<std::size_t>(size_), 0);  // that come from each member
    for (const Step& step : schedule.steps) {
      if (!has_peer(step)) continue;
      if (step.kind == Step::Kind::take || step.kind == Step::Kind::fold) cells[step.peer] += cells_of(step.bytes);
      else if (step.kind != Step::Kind::put) cells[step.peer] += ring_cells;  // or fewer: senders receive answers, too
    }
    for (const Step& step : schedule.steps)
      if (has_peer(step)) mail_.open_channel(step.peer, cells[step.peer]);
  } catch (const MemoryError& error) {
    break_down(error.what());  // the others find that out, as this member comes to no more collectives
    throw;
  }
}

void Engine::write(Kept& kept, Kind kind, const Arguments& arguments) {
  // Reuses the schedule's memory, unless a queued operation still holds it.
  if (kept.schedule == nullptr || kept.schedule.use_count() > 1) kept.schedule = std::make_shared<Schedule>();
  kept.digest = digest_of(takes_blocks(kind) ? 0 : arguments.bytes, arguments.root) ^ selection_.digest();
  ScheduleBuilder steps(*kept.schedule, rank_, placement_, small_);
  const std::uint8_t algorithm = selection_.choose(kind, arguments, placement_);
  if (kind == Kind::broadcast && !arguments.in_place) {
    // The algorithms expect the root's data in the output buffer; here the input is read instead.
    ScheduleBuilder from_input(steps, in_at(0));
    Selection::write(kind, algorithm, from_input, arguments);
    steps.copy_meanwhile(out_at(0), in_at(0), arguments.bytes);
  } else {
    Selection::write(kind, algorithm, steps, arguments);
  }
  open_channels(*kept.schedule);
}

void* Engine::scratch(std::uint64_t bytes) {
  const auto members = static_cast<std::size_t>(size_);
  if (bytes <= reserved_scratch(members))
    return parts_.one_sided.local_pointer<std::byte>(HeapOffset(area_.value() + Mailboxes::area_bytes(members)));
  if (bytes > scratch_bytes_) {
    if (scratch_ != nullptr) parts_.memory.heap().release(scratch_);
    scratch_ = nullptr;
    scratch_bytes_ = 0;
    scratch_ = parts_.memory.heap().allocate(bytes);
    scratch_bytes_ = bytes;
  }
  return scratch_;
}

bool Engine::take_note(Executor::State state) {
  switch (state) {
    case Executor::State::done: return true;
    case Executor::State::waiting: return false;
    case Executor::State::mismatch:
      disagreed_ = true;
      break_down(mismatch_text(mail_.wrong_member(), static_cast<Kind>(kind_of_tag(mail_.wrong_tag()))));
      return false;
  }
  return false;
}

bool Engine::advance_queue() {
  bool finished = false;
  while (!queue_.empty() && !broken_.load(std::memory_order_relaxed)) {
    Operation& operation = queue_.front();
    if (operation.deferred) {
      if (!advance_deferred(operation)) return finished;
    } else if (!running_) {
      executor_.begin(*operation.schedule, operation.in, operation.out, scratch(operation.schedule->scratch_bytes),
                      operation.reduction ? &*operation.reduction : nullptr,
                      waits_for_all(operation.kind) ? 0 : operation.sequence,
                      static_cast<std::uint32_t>(operation.kind), operation.check, operation.symmetric);
      running_ = true;
    }
    if (!operation.deferred && !advance_current()) return finished;
    running_ = false;
    // Release: the results. Partner: the acquire in is_finished.
    completed_.store(operation.sequence, std::memory_order_release);
    queue_.pop_front();
    queued_.store(queue_.size(), std::memory_order_release);  // partner: run()
    finished = true;
  }
  return finished;
}

bool Engine::try_advance() {
  if (queued_.load(std::memory_order_relaxed) == 0) return false;
  if (held_.exchange(true, std::memory_order_acquire)) return false;
  bool finished = false;
  try {
    finished = advance_queue();
  } catch (...) { break_down_by_exception(); }
  held_.store(false, std::memory_order_release);
  return finished;
}

void Engine::break_down(std::string why) {
  broken_why_ = std::move(why);
  mail_.withdraw();
  // Release: the text. Partner: the acquire in throw_if_broken.
  broken_.store(true, std::memory_order_release);
}

// Breaks the communicator down because of the exception that is being handled. A member's death remains the reason
// where the job continues without it.
void Engine::break_down_by_exception() {
  try {
    throw;
  } catch (const PeFailedError& error) {
    if (!parts_.job.is_ending()) failure_ = std::current_exception();
    break_down(error.what());
  } catch (const std::exception& error) { break_down(error.what()); }
}

void Engine::fail(std::exception_ptr why) {
  Hold hold(*this);
  if (broken_.load(std::memory_order_relaxed)) return;
  failure_ = std::move(why);
  break_down("a member has failed");
}

void Engine::throw_if_broken() const {
  if (!broken_.load(std::memory_order_acquire)) [[likely]]
    return;
  if (failure_) std::rethrow_exception(failure_);
  // A death explains everything else.
  parts_.failures.check();
  if (timed_out_) raise<TimeoutError>(broken_why_);
  if (disagreed_) throw Disagreement(broken_why_);
  raise<Error>(broken_why_);
}

bool Engine::awaits_stopped() {
  for (int member = 0; member < size_; ++member) {
    if (!parts_.job.is_local(pe(member)) || mail_.announced(static_cast<std::uint32_t>(member)).sequence >= sequence_)
      continue;
    if (runtime::is_stopped(parts_.job, pe(member))) return true;
  }
  return false;
}

// The member that the current operation waits for, if it has withdrawn, see Executor. UINT32_MAX: none is known.
std::uint32_t Engine::withdrawn_member() {
  Hold hold(*this);
  const bool elsewhere = !queue_.empty() && (!running_ || queue_.front().deferred);
  return elsewhere ? UINT32_MAX : executor_.withdrawn_member();
}

// The error's text, if the same withdrawn member is found twice in a row.
std::optional<std::string> Engine::text_of_given_up(std::uint32_t& before) {
  // A death or a revocation ends this call with an error of its own, before this member looks again.
  const std::uint32_t member = withdrawn_member();
  if (member == UINT32_MAX || member != std::exchange(before, member)) return std::nullopt;
  return fmt::format("{} (number {}): PE {} has given up this collective", name_of(last_kind_), sequence_,
                     mail_.pe(member).value());
}

// Looks for withdrawn members on behalf of programs that test and never wait.
void Engine::look_after_vain_test() {
  constexpr std::uint32_t tests_per_look = 64;  // the clock takes longer than a test
  constexpr double seconds_until_look = 1;
  if (vain_tests_.fetch_add(1, std::memory_order_relaxed) % tests_per_look != 0) return;
  std::unique_lock lock(look_mutex_, std::try_to_lock);
  if (!lock || !next_look_.passed()) return;
  next_look_ = Deadline::after_seconds(seconds_until_look);
  auto text = text_of_given_up(gave_up_);
  if (!text) return;
  disagreed_ = true;
  break_down(*text);
  throw Disagreement(*text);
}

template <class Ready>
void Engine::wait_until(Ready&& ready) {
  runtime::Patience patience(std::isinf(timeout_seconds_) ? 0 : timeout_seconds_), for_stopped(limit_for_stopped());
  std::uint64_t mark = executor_.progress_mark();
  std::uint32_t gave_up = UINT32_MAX;
  Deadline next_look = patience.next_look();
  for (;;) {
    Status status;
    try {
      status = parts_.progress.wait(
          ready,
          wait_callback_ ? Deadline::after_ns(std::min(next_look.remaining_ns(), callback_period_ns)) : next_look);
    } catch (...) {
      break_down_by_exception();
      throw;
    }
    if (status == Status::ok) return;
    if (wait_callback_) {
      wait_callback_();
      if (!next_look.passed()) continue;
    }
    next_look = patience.next_look();
    patience.look();
    for_stopped.look();
    // An operation may take long as long as it makes progress.
    if (std::uint64_t now = executor_.progress_mark(); now != mark) {
      mark = now;
      patience.restart();
    }
    if (!std::isinf(timeout_seconds_) || !awaits_stopped()) for_stopped.restart();
    const bool is_over = patience.is_over() || for_stopped.is_over();
    if (timeout_seconds_ != 0)
      if (auto disagreement = find_disagreement(is_over ? Members::all : Members::nearby)) {
        disagreed_ = true;
        break_down(*disagreement);
        throw Disagreement(*disagreement);
      }
    if (auto text = text_of_given_up(gave_up)) {
      disagreed_ = true;
      break_down(*text);
      throw Disagreement(*text);
    }
    if (!is_over) continue;
    std::string text = timeout_text();
    timed_out_ = true;
    break_down(text);
    raise<TimeoutError>(text);
  }
}

void Engine::run_behind(Kind kind, const Arguments& arguments, const void* in, void* out, const Reduction* reduction) {
  throw_if_broken();
  wait(start(kind, arguments, in, out, reduction));
}

void Engine::finish(Executor::State state) {
  bool finished = take_note(state);
  wait_until([&] { return finished || (finished = advance_current()) || broken_.load(std::memory_order_relaxed); });
  throw_if_broken();
}

std::uint64_t Engine::start(Kind kind, const Arguments& arguments, const void* in, void* out,
                            const Reduction* reduction) {
  throw_if_broken();
  Hold hold(*this);
  const Kept& kept = kept_for(kind, arguments);
  return enqueue({kept.schedule, kept.digest, kind, arguments.symmetric, in, out,
                  reduction != nullptr ? std::optional<Reduction>(*reduction) : std::nullopt, arguments.bytes,
                  arguments.root});
}

std::shared_ptr<const Engine::Prepared> Engine::prepare(Kind kind, const Arguments& arguments, const void* in,
                                                        void* out, const Reduction* reduction) {
  throw_if_broken();
  Kept kept;
  write(kept, kind, arguments);
  return std::make_shared<const Prepared>(Prepared{
      std::move(kept.schedule), kept.digest, kind, arguments.symmetric, in, out,
      reduction != nullptr ? std::optional<Reduction>(*reduction) : std::nullopt, arguments.bytes, arguments.root});
}

std::uint64_t Engine::start(const Prepared& prepared) {
  throw_if_broken();
  Hold hold(*this);
  return enqueue(prepared);
}

// The caller has the hold.
std::uint64_t Engine::enqueue(const Prepared& operation) {
  const Reduction* reduction = operation.reduction ? &*operation.reduction : nullptr;
  std::uint32_t check = begin_call(operation.kind, operation.digest, operation.symmetric, reduction);
  const bool deferred = deferred_ != nullptr && !selection_.is_forced(operation.kind) &&
                        deferred_->suits(operation.kind, operation.bytes, reduction);
  queue_.push_back({operation, sequence_, check, deferred});
  queued_.store(queue_.size(), std::memory_order_relaxed);
  std::uint64_t ticket = sequence_;
  const bool hands_over = operation.bytes >= worth_handing_over && parts_.progress.has_progress_thread();
  if (!hands_over) advance_queue();
  // The caller has the hold. A hook never waits for it: another thread may be in rest().
  if (hook_ == 0 && !queue_.empty())
    hook_ = parts_.progress.add_hook([this](runtime::Context&) { return try_advance(); });
  if (hands_over) parts_.progress.hand_over();
  return ticket;
}

void Engine::share_sizes(Kind kind, Arguments& arguments) {
  if (!selection_.needs_sizes(kind, arguments, placement_)) return;
  throw_if_broken();
  if (queued_.load(std::memory_order_acquire) != 0) wait(sequence_);  // partner: advance_queue()
  std::vector<std::uint64_t> own;
  if (kind == Kind::alltoallv) {
    for (const ConstBlock& block : arguments.in_blocks) own.push_back(block.bytes);
    for (const Block& block : arguments.out_blocks) own.push_back(block.bytes);
  } else {
    own.push_back(arguments.bytes);
  }
  sizes_.resize(own.size() * placement_.members(placement_.node_of(rank_)).size());
  Prepared round{
      nullptr, digest_of(own.size(), arguments.root) ^ selection_.digest(), kind, false, own.data(), sizes_.data(), {}};
  {
    auto schedule = std::make_shared<Schedule>();
    ScheduleBuilder steps(*schedule, rank_, placement_, small_);
    sizes_to_leader(steps, kind == Kind::alltoallv ? -1 : arguments.root, own.size() * sizeof(std::uint64_t));
    open_channels(*schedule);
    round.schedule = std::move(schedule);
  }
  wait(start(round));
  arguments.sizes = sizes_;
  arguments.sized = true;
}

void Engine::wait(std::uint64_t ticket) {
  if (!is_finished(ticket)) {
    throw_if_broken();
    wait_until([&] {
      try_advance();
      return is_finished(ticket) || broken_.load(std::memory_order_relaxed);
    });
    if (!is_finished(ticket)) throw_if_broken();
  }
  rest();
}

}  // namespace atl::coll::detail
