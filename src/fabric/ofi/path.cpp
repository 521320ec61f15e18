// SPDX-License-Identifier: Apache-2.0
// What PEs ask of the path: sending, and waiting for what was sent.
#include "path.hpp"

#include <fmt/format.h>
#include <rdma/fi_errno.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/base/raise.hpp"

namespace atl::fabric::ofi {
namespace {

// Of a long put where the target is not told of writes: what is sent apart.
constexpr std::size_t last_piece = 64;
// Where headers cannot be written with their payload, longer ones are written in place with the signal behind: two
// messages cost more than copying so much.
constexpr std::size_t signalled_in_one = 65536;
// Headers are not written to slots with payloads of these sizes: tcp reads 9000 bytes ahead, and takes what is left of
// a write with two targets from its socket at another look. That costs more than a copy, until the copy is as long.
constexpr std::size_t two_looks_from = 13'000, two_looks_until = 20'000;
// Gets by messages that one caller has under way.
constexpr std::uint32_t most_gets = 16;

// Rounds of waiting in which nothing came: looks alone, then looks with the core on offer, then sleep. Few alone: the
// kernel tends to wake the peer's thread on the sender's core, and a get took 170 us when it had to wait for 200
// polls.
constexpr int looks = 16;
constexpr int yields = 600;
constexpr std::int64_t longest_sleep_ns = 10'000'000;

}  // namespace

void Path::Hold::rest(int rounds) {
  ATOLL_EXPECT(!nested_);
  path_.count_poll();
  if (rounds < looks + yields) {
    path_.owner_.leave();
    if (rounds >= looks) ::sched_yield();
  } else {
    // Announced before the path is released: what comes from now on rings. The agent takes over.
    Sleeper sleeper(path_.job_.record(path_.self_));
    sleeper.announce();
    ++path_.sleepers_;
    path_.owner_.leave();
    path_.stop_polling();
    sleeper.block(longest_sleep_ns);
    path_.owner_.take();
    --path_.sleepers_;
    return;
  }
  path_.owner_.take();
}

Path::Awaited::~Awaited() {
  if (pending.left == 0) return;
  path_.abandoned_.left += pending.left;
  path_.release([this](const Pending* counted_in) { return counted_in == &pending; }, &path_.abandoned_);
}

// The caller's memory becomes invalid: the transfers that are counted in such a count no longer access it. They count
// in `instead` from now on, or where they did (null).
void Path::release(const std::function<bool(const Pending*)>& is_such, Pending* instead) {
  for (Request& request : requests_) {
    if (!request.active || !is_such(request.pending)) continue;
    request.to = nullptr;
    if (instead != nullptr) request.pending = instead;
  }
  device_->release(is_such, instead);
}

// A thread that holds the path and waits for this one does not keep it for longer.
constexpr std::int64_t longest_abandon_ns = 1'000'000'000;

void Path::abandon() noexcept {
  for (Deadline deadline = Deadline::after_ns(longest_abandon_ns);
       lent_.load(std::memory_order_relaxed) && !deadline.passed(); ::sched_yield()) {
    bool nested = is_held_here();
    if (!nested && !owner_.try_take()) continue;
    bool gets = gets_.is_under_way() || !backlogged_.empty();
    release([this](const Pending* counted_in) { return is_for_quiet(counted_in); }, nullptr);
    tracked_.drop_completions();
    while (!backlogged_.empty()) drop_backlog(peers_[backlogged_.back()]);
    gets_abandoned_ |= gets;
    lent_.store(false, std::memory_order_relaxed);
    if (!nested) owner_.leave();
  }
}

// Of a death that ends the job, every wait hears; any other ends what is under way to the dead PE alone.
void Path::check() {
  if (!job_.has_failed()) [[likely]]
    return;
  if (job_.is_ending()) job_.check();
  note_deaths();
}

void Path::note_deaths() {
  const std::uint32_t deaths = job_.deaths();
  if (std::exchange(deaths_noted_, deaths) == deaths) return;
  for (std::uint32_t pe = 0; pe < peers_end(); ++pe) {
    if (!is_far(pe) || peers_[pe].dead || !job_.has_died(PeId(pe))) continue;
    peers_[pe].dead = true;
    if (!peers_[pe].gone) take_leave_of(PeId(pe));
  }
}

void Path::throw_gone(PeId pe) const {
  if (peers_[pe.value()].dead) raise<PeFailedError>(fmt::format("{} has died", job_.describe(pe)));
  job_.check();  // it may have left because another has failed
  raise<Error>(fmt::format(
      "PE {} has left the job: its memory cannot be reached any more. Meet in a barrier before PEs leave", pe.value()));
}

void Path::mark_dirty(Peer& to) {
  if (!to.dirty) dirty_.push_back(to.number);
  to.dirty = true;
}

// ---- put ----

// One write or read, handed over as soon as there is room.
template <class Start>
void Path::transfer(Hold& hold, Peer& with, std::size_t bytes, Pending& pending, Start&& start) {
  if (!may_transfer(with, bytes)) wait(hold, [&] { return may_transfer(with, bytes); });
  while (!try_transfer(with, bytes, pending, start)) {
    if (!poll()) hold.rest(0);
    check();
  }
}

// An arriving message may start puts, and its handler may not wait for the network. Short data is copied.
bool Path::may_write(const Peer& target, const void* from, std::size_t bytes, Registrations::Loan& loan) {
  return target.memory.reachable && !target.dead && !handling_ &&
         (bytes < worth_writing || device_->lend(from, bytes, FI_WRITE, loan));
}

// Hands the transfer to the network, counted in `pending` until `from` may be reused, or it is delivered.
void Path::write(Hold& hold, PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes, Pending& pending) {
  Peer& target = peer(pe);
  // In order, it has arrived when a message sent after it has.
  auto until = device_->writes_in_order() ? Device::Until::reusable : Device::Until::delivered;
  for (std::size_t done = 0; done < bytes;) {
    std::size_t part = std::min(bytes - done, device_->most_transfer());
    transfer(hold, target, part, pending, [&](Operation& operation) {
      return device_->write(from + done, part, target.memory, to.value() + done, until, operation);
    });
    done += part;
  }
  note_written(target);
}

void Path::note_written(Peer& target) {
  ++target.posted;
  target.used = true;
  target.unflushed = true;
  mark_dirty(target);
}

// Writes, in their place in the order of things, and behind that tell(), which sends what says that it has arrived. On
// return `from` may be reused.
template <class Tell>
void Path::write_through(Hold& hold, PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes, Tell&& tell) {
  Peer& target = peer(pe);
  if (target.fenced) {
    ask_for_all(pe);
    wait(hold, [&, sent = sent_to(pe)] { return settled(sent); });
    target.fenced = false;
  }
  Awaited awaited(*this);
  write(hold, pe, to, from, bytes, awaited.pending);
  if (device_->writes_in_order()) tell();
  wait(hold, [&] { return awaited.pending.left == 0 || target.gone; });
  if (!device_->writes_in_order()) tell();
}

// By the network, which says itself when it has arrived, and without waiting for that. Costs less than a message and
// its acknowledgement. False: there is no room just now.
bool Path::put_directly(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  Peer& target = peer(pe);
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  std::memcpy(operation->buffer, from, bytes);
  operation->kind = Operation::Kind::put;
  operation->peer = pe.value();
  operation->pending = nullptr;
  operation->number = target.put = target.posted + 1;
  int status = device_->put(*operation, bytes, target.memory, to.value(), Device::Until::delivered);
  if (status != 0) device_->give_back_send(*operation);
  if (!went(target, status)) return false;
  if (status == 0) ++target.buffers;
  ++target.posted;
  ++target.putting;
  target.answers = true;
  target.used = true;
  mark_dirty(target);
  return true;
}

bool Path::may_fetch(const Peer& source) const {
  const bool sees_writes = !source.unflushed || device_->reads_behind_writes();
  return direct_ && settled(source) && source.memory.reachable && sees_writes;
}

// Into a buffer of ours: the caller may be gone, because some PE has failed, when the answer comes.
bool Path::try_fetch(PeId pe, std::byte* to, HeapOffset from, std::size_t bytes, Pending& pending) {
  Peer& source = peer(pe);
  if (!may_fetch(source)) return false;
  Operation* operation = device_->take_send();
  if (operation == nullptr) return false;
  operation->kind = Operation::Kind::fetch;
  operation->peer = pe.value();
  operation->pending = &pending;
  operation->number = source.posted + 1;
  operation->to = to;
  operation->bytes = static_cast<std::uint32_t>(bytes);
  int status = device_->fetch(*operation, bytes, source.memory, from.value());
  if (status != 0) device_->give_back_send(*operation);
  if (status != 0) return false;
  ++source.buffers;
  ++source.posted;
  source.transferring += bytes;
  source.used = true;
  ++pending.left;
  return true;
}

void Path::put_by_messages(Hold& hold, PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes) {
  Peer& target = peer(pe);
  for (std::size_t done = 0; done < bytes; done += most_payload) {
    put_by_message(pe, HeapOffset(to.value() + done), from + done, std::min(bytes - done, most_payload));
    // What waits has been copied: only so much.
    if (!handling_) wait(hold, [&] { return !target.queued || target.gone; });
  }
}

void Path::wait_for_room(Hold& hold, const Peer& to) {
  if (!handling_) wait(hold, [&] { return to.sent - to.complete < most_under_way || to.gone; });
}

// Only the first since quiet(), as another quiet() usually follows: later puts need no acknowledgement, and a PE that
// waits for a put in return gets it with that. And only when nothing is under way there, so that a word arrives in one
// piece: providers that carry all in a stream of bytes (tcp) may otherwise deliver the part that fits into some buffer
// before the rest.
bool Path::may_put_directly(const Peer& target, std::size_t bytes) const {
  return bytes <= most_message && direct_ && target.memory.reachable && !target.dirty && idle(target);
}

// Up to most_payload.
void Path::put_by_message(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  if ((bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) && to.value() % bytes == 0) {
    Header header = header_of(MessageType::put_word);
    header.width = static_cast<std::uint8_t>(bytes);
    header.offset = to.value();
    std::memcpy(&header.operand, from, bytes);
    return send_operation(pe, header, {});
  }
  Header header = header_of(MessageType::put);
  header.offset = to.value();
  send_operation(pe, header, Bytes(static_cast<const std::byte*>(from), bytes));
}

void Path::put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  Hold hold(*this);
  Peer& target = peer(pe);
  if (may_put_directly(target, bytes) && put_directly(pe, to, from, bytes)) return;
  wait_for_room(hold, target);
  const auto* source = static_cast<const std::byte*>(from);
  Registrations::Loan loan;
  if (bytes <= most_payload || !may_write(target, from, bytes, loan))
    return put_by_messages(hold, pe, to, source, bytes);
  if (!target.dirty) {
    Header flush = header_of(MessageType::flush);
    flush.acknowledge = acknowledgement(target, flush.type);
    Note note{.acknowledge = flush.acknowledge, .flush = true};
    Awaited awaited(*this);
    Bytes payload(source, bytes);
    if ((knows_counts(target) && write_with_note(pe, note, to, payload, awaited.pending)) ||
        write_with_header(pe, flush, to, payload, awaited.pending))
      return wait(hold, [&] { return awaited.pending.left == 0 || target.gone; });
  }
  // Before quiet() something else follows, or a flush, that tells of its arrival.
  if (direct_) return write_through(hold, pe, to, source, bytes, [] {});
  // The target is not told of a write: the last piece arrives last, and says so here and there.
  std::size_t first = bytes - last_piece;
  HeapOffset last(to.value() + first);
  write_through(hold, pe, to, source, first, [&] { put_by_messages(hold, pe, last, source + first, last_piece); });
}

void Path::put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  if (bytes > most_payload) {
    Hold hold(*this);
    Peer& target = peer(pe);
    Registrations::Loan loan;
    if (!target.fenced && may_write(target, from, bytes, loan))
      return write(hold, pe, to, static_cast<const std::byte*>(from), bytes, lent(writes_));
  }
  put(pe, to, from, bytes);
}

void Path::put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                      std::uint64_t value, AtomicOp how) {
  put_with_signal(pe, to, static_cast<const std::byte*>(from), bytes, signal, value, how, Acknowledge::later);
}

void Path::deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                   std::uint64_t value) {
  put_with_signal(pe, to, static_cast<const std::byte*>(from), bytes, signal, value, AtomicOp::set, Acknowledge::never);
}

// The signal's header or note goes with the write. Counted in `pending` until the payload may be reused. False: not
// this way.
bool Path::put_with_signal_by_write(PeId pe, const Header& header, Bytes payload, Pending& pending) {
  Peer& target = peer(pe);
  HeapOffset to(header.offset);
  bool again = header.signal == target.signal && header.op == target.signal_by;
  if (again && payload.size() >= worth_noting && header.operand <= Note::most_operand && knows_counts(target)) {
    Note note{.operand = static_cast<std::uint32_t>(header.operand), .acknowledge = header.acknowledge};
    if (write_with_note(pe, note, to, payload, pending)) return true;
  }
  bool two_looks = payload.size() >= two_looks_from && payload.size() < two_looks_until;
  return payload.size() >= worth_writing && !two_looks && write_with_header(pe, header, to, payload, pending);
}

void Path::put_with_signal(PeId pe, HeapOffset to, const std::byte* from, std::size_t bytes, HeapOffset signal,
                           std::uint64_t value, AtomicOp how, Acknowledge acknowledge) {
  Hold hold(*this);
  Peer& target = peer(pe);
  if (acknowledge != Acknowledge::never) {
    wait_for_room(hold, target);
    acknowledge = acknowledgement(target, MessageType::put_signal);
  }
  Header header = header_of(MessageType::put_signal);
  header.acknowledge = acknowledge;
  header.op = static_cast<std::uint8_t>(how);
  header.offset = to.value();
  header.operand = value;
  header.signal = signal.value();
  Awaited awaited(*this);
  if (put_with_signal_by_write(pe, header, Bytes(from, bytes), awaited.pending))
    return wait(hold, [&] { return awaited.pending.left == 0 || target.gone; });
  if (bytes <= most_payload) return send(pe, header, Bytes(from, bytes), {});
  if (bytes <= signalled_in_one && !target.queued && send_long(hold, target, header, {Bytes(from, bytes)})) return;
  Registrations::Loan loan;
  // The signal alone, behind what it tells of, here and there.
  if (may_write(target, from, bytes, loan))
    return write_through(hold, pe, to, from, bytes, [&] { send(pe, header, {}, {}); });
  put_by_messages(hold, pe, to, from, bytes);
  send(pe, header, {}, {});
}

void Path::update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) {
  Hold hold(*this);
  Peer& target = peer(pe);
  wait_for_room(hold, target);
  send_update(pe, {op, static_cast<std::uint8_t>(width), at, operand});
}

void Path::send_update(PeId pe, const Atomic& update) {
  Header header = header_of(MessageType::update);
  header.op = static_cast<std::uint8_t>(update.op);
  header.width = update.width;
  header.offset = update.at.value();
  header.operand = update.operand;
  send_operation(pe, header, {});
}

void Path::ring(PeId pe) {
  Hold hold(*this);
  send_operation(pe, header_of(MessageType::ring), {});
}

void Path::post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) {
  ATOLL_EXPECT(self == self_ && payload.size() <= message_bytes);
  Hold hold(*this);
  Peer& target = peer(pe);
  wait_for_room(hold, target);
  Header header = header_of(MessageType::post);
  header.number = kind;
  send_operation(pe, header, payload);
}

// ---- get and atomics ----

std::uint32_t Path::add_request(PeId pe, std::byte* to, std::uint32_t bytes, Pending& pending) {
  if (free_requests_.empty()) {
    requests_.emplace_back();
    free_requests_.push_back(static_cast<std::uint32_t>(requests_.size() - 1));
  }
  std::uint32_t number = free_requests_.back();
  free_requests_.pop_back();
  // When it has to wait behind others, its answer says nothing of what was sent last.
  requests_[number] = {to, bytes, &pending, pe.value(), peer(pe).posted + (peer(pe).queued ? 0 : 1), true};
  ++pending.left;
  ++peer(pe).answers_due;
  return number;
}

void Path::start_get(Hold& hold, std::byte* to, PeId pe, HeapOffset from, std::size_t bytes, Pending& pending) {
  Peer& source = peer(pe);
  if (source.gone) throw_gone(pe);
  Registrations::Loan loan;
  if (bytes > most_payload && source.memory.reachable && device_->lend(to, bytes, FI_READ, loan)) {
    // What this PE has put there before is read, too.
    if (!settled(source) || (source.unflushed && !device_->reads_behind_writes())) ask_for_all(pe);
    wait(hold, [&, sent = sent_to(pe)] { return settled(sent); });
    for (std::size_t done = 0; done < bytes;) {
      std::size_t part = device_->next_read(source.memory, from.value(), done, bytes);
      transfer(hold, source, part, pending, [&](Operation& operation) {
        return device_->read(to + done, part, source.memory, from.value() + done, operation);
      });
      done += part;
    }
    source.used = true;
    return;
  }
  if (bytes <= most_message && try_fetch(pe, to, from, bytes, pending)) return;
  for (std::size_t done = 0; done < bytes; done += most_payload) {
    std::size_t part = std::min(bytes - done, most_payload);
    wait(hold, [&] { return pending.left < most_gets; });
    ask_for_part(pe, to + done, HeapOffset(from.value() + done), part, pending);
  }
}

// By a message, for up to most_payload.
void Path::ask_for_part(PeId pe, std::byte* to, HeapOffset from, std::size_t bytes, Pending& pending) {
  Header header = header_of(MessageType::get);
  header.offset = from.value();
  header.number = static_cast<std::uint32_t>(bytes);
  header.request = add_request(pe, to, header.number, pending);
  send(pe, header, {}, {});
}

void Path::get(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
  if (bytes == 0) return;
  Hold hold(*this);
  start_backlog(hold, peer(pe));
  Awaited awaited(*this);
  start_get(hold, static_cast<std::byte*>(to), pe, from, bytes, awaited.pending);
  wait(hold, [&] {
    if (awaited.pending.left != 0 && peer(pe).gone) throw_gone(pe);
    return awaited.pending.left == 0;
  });
}

void Path::get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
  if (bytes == 0) return;
  Hold hold(*this);
  start_get(hold, static_cast<std::byte*>(to), pe, from, bytes, lent(gets_));
}

void Path::ask_for_atomic(PeId pe, const Atomic& atomic, std::byte* old, std::uint32_t bytes, Pending& pending) {
  Header header = header_of(MessageType::atomic);
  header.op = static_cast<std::uint8_t>(atomic.op);
  header.width = atomic.width;
  header.offset = atomic.at.value();
  header.operand = atomic.operand;
  header.request = add_request(pe, old, bytes, pending);
  Bytes comparand = atomic.op == AtomicOp::compare_swap ? std::as_bytes(std::span(&atomic.expected, 1)) : Bytes();
  send(pe, header, comparand, {});
}

std::uint64_t Path::atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                           std::uint64_t expected) {
  Hold hold(*this);
  if (peer(pe).gone) throw_gone(pe);
  start_backlog(hold, peer(pe));
  std::uint64_t old = 0;
  Awaited awaited(*this);
  ask_for_atomic(pe, {op, static_cast<std::uint8_t>(width), at, operand, expected}, reinterpret_cast<std::byte*>(&old),
                 sizeof(old), awaited.pending);
  wait(hold, [&] {
    if (awaited.pending.left != 0 && peer(pe).gone) throw_gone(pe);
    return awaited.pending.left == 0;
  });
  return old;
}

// ---- order ----

// Messages stay in order by themselves, and behind writes. Only a write can overtake messages.
void Path::fence() {
  Hold hold(*this);
  start_backlogs(hold);
  for (std::uint32_t pe : dirty_)
    if (peers_[pe].complete != peers_[pe].sent) peers_[pe].fenced = true;
  std::uint64_t writes = writes_.generation();
  if (!writes_.has_finished(writes)) wait(hold, [&] { return writes_.has_finished(writes); });
}

void Path::quiet() {
  Hold hold(*this);
  start_backlogs(hold);
  // Until here: what other threads begin meanwhile is not waited for.
  std::uint64_t writes = writes_.generation(), gets = gets_.generation();
  std::vector<Sent> sent;
  for (std::uint32_t pe : dirty_) {
    ask_for_all(PeId(pe));
    if (!settled(peers_[pe])) sent.push_back(sent_to(PeId(pe)));
  }
  wait(hold, [&] {
    std::erase_if(sent, [&](const Sent& one) { return settled(one); });
    return sent.empty() && writes_.has_finished(writes) && gets_.has_finished(gets);
  });
  if (std::exchange(gets_abandoned_, false)) [[unlikely]]
    job_.check();
  std::erase_if(dirty_, [&](std::uint32_t pe) {
    Peer& to = peers_[pe];
    if (!settled(to) || (to.unflushed && !to.gone)) return false;  // another thread goes on
    to.dirty = to.fenced = to.answers = false;
    return true;
  });
}

// Places in between are of PEs that have not come, or come later.
void Path::meet_peer(PeId pe, const std::string& card) {
  while (peers_end() <= pe.value()) {
    const std::uint32_t number = peers_end();
    peers_.emplace_back().number = number;
  }
  if (job_.is_local(pe) || (card.empty() && pe.value() >= job_.npes())) return;
  const RemoteMemory memory = meet(*device_, job_, self_, pe, card, lane_);
  longest_message_ = std::min(longest_message_, memory.longest_message);
  peer(pe).memory = memory;
}

void Path::admit(PeId pe, const std::string& card) {
  Hold hold(*this);
  meet_peer(pe, card);
}

void Path::dismiss(PeId pe) {
  Hold hold(*this);
  if (is_far(pe.value()) && !peer(pe).gone) take_leave_of(pe);
}

bool Path::has_left(PeId pe) {
  Hold hold(*this);
  return peer(pe).gone;
}

bool Path::progress(const Inbox::Taker* taker) {
  if (is_held_here()) return false;
  count_poll();
  if (!owner_.try_take()) return false;
  bool any = false;
  {
    Hold hold(*this, std::adopt_lock);
    if (taker == nullptr) return poll();
    bool is_first = inbox_.is_empty() && parked_.empty() && in_hand_.operation == nullptr;
    Meanwhile now(hand_, is_first ? Hand::free : Hand::none);
    any = poll();
  }
  if (in_hand_.operation == nullptr) return any;
  // The path is not held while a handler runs, which may take long.
  struct GiveBack {
    Path& path;
    // Release: it has been read. Partner: collect_receive().
    ~GiveBack() { path.given_back_.store(std::exchange(path.in_hand_.operation, nullptr), std::memory_order_release); }
  } give_back{*this};
  taker->take(taker->object, in_hand_.message);
  return true;
}

// A thread that has polled repeatedly stops: the agent polls from now on, without having to detect that first.
void Path::stop_polling() {
  // Sequentially consistent: the agent says that it naps, and then looks at this; partner: run_agent().
  take_over_.store(true, std::memory_order_seq_cst);
  if (!napping_.load(std::memory_order_seq_cst)) return;
  std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(wake_, &one, sizeof(one));
}

void Path::tell(const News& news) noexcept {
  try {
    NewsRecord record{};
    record.kind = static_cast<std::uint32_t>(news.kind);
    record.pe = news.pe.value();
    record.pid = news.pid;
    record.status = news.status;
    record.bytes = static_cast<std::uint32_t>(std::min(news.text.size(), sizeof(record.text)));
    std::memcpy(record.text, news.text.data(), record.bytes);
    Hold hold(*this);
    for (std::uint32_t pe = 0; pe < peers_end(); ++pe)
      if (is_far(pe) && !peers_[pe].gone)
        send(PeId(pe), header_of(MessageType::news), std::as_bytes(std::span(&record, 1)), {});
  } catch (const std::exception&) {
    // Best effort: PEs that are not notified detect the failure by themselves.
  }
}

}  // namespace atl::fabric::ofi
