// SPDX-License-Identifier: Apache-2.0
// Rendezvous: moving the payload of an announced message once a receive has matched it. Private memory of a PE of the
// same node is read where it lies, if the kernel lets us (shared_copy.cpp). All else goes by triggered gets: the match,
// or the word that a piece is ready, bumps a counter, which triggers the get and what follows. Where the sender puts
// instead, its put bumps another.
#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/counters.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "state.hpp"

namespace atl::runtime::matching {
namespace {

// Two pieces are under way at once: one is filled while the other is fetched. 128 KiB each stay in the cache.
constexpr std::uint64_t piece_bytes = std::uint64_t{128} << 10;
constexpr std::uint64_t pieces_under_way = 2;
constexpr std::uint32_t most_staging = 8;
constexpr std::size_t most_lanes = 8;

}  // namespace

std::uint64_t State::place_of(const std::byte* memory, std::uint64_t bytes) const {
  const std::byte* segment = pe_.one_sided.local_pointer(HeapOffset(0));
  std::uint64_t whole = pe_.job.segment_bytes();
  bool inside =
      memory >= segment && memory < segment + whole && bytes <= whole - static_cast<std::uint64_t>(memory - segment);
  return inside ? static_cast<std::uint64_t>(memory - segment) : no_place;
}

// Fetches so much of the payload, from `place` in the sender's segment to `begin` in the receive's memory, the next
// time that this PE makes progress. The receive is held until then: once it has ended, its memory is the program's.
void State::get_then(Operation& receive, std::uint64_t begin, std::uint64_t place, std::uint64_t bytes,
                     std::function<void()> arrived) {
  Lane& lane = lanes_[receive.lane];
  const std::uint64_t id = receive.id;
  auto get = [this, &receive, id, begin, place, bytes, arrived = std::move(arrived)](Context&) {
    bool wanted;
    {
      std::lock_guard lock(lock_);
      wanted = wanted_operation(id) != nullptr;
    }
    bool sender_lives = true;
    try {
      if (wanted) pe_.one_sided.get(receive.memory + begin, receive.outcome.envelope.source, HeapOffset(place), bytes);
    } catch (const PeFailedError&) {
      if (pe_.job.is_ending()) throw;
      sender_lives = false;  // fail() ends the receive
    }
    if (sender_lives) arrived();
    let_go(id);
  };
  pe_.counters.trigger(lane.ready, ++lane.gets, TriggeredOp::make_call(std::move(get)));
  pe_.counters.bump({pe_.one_sided.pe(), lane.ready});
}

// Where what is scattered when it is here lies until then.
Status State::line_up(Operation& receive, std::uint64_t bytes) {
  if (receive.scatter == nullptr) return Status::ok;
  try {
    receive.row = std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {  // in a handler
    return Status::try_again;
  }
  receive.memory = receive.row.get();
  return Status::ok;
}

void State::land_row(Operation& receive) {
  if (!receive.row) return;
  receive.scatter->put(0, receive.length, receive.row.get());
  receive.row.reset();
}

// A send that was revoked ends while its receiver may be reading, and its buffer may hold anything then. So the
// receiver asks, in programs that may revoke. That a program does so, other nodes hear later than that a PE has died.
bool State::asks_sender() const {
  const fabric::Job& job = pe_.job;
  return job.survival() == fabric::Survival::recovers || (job.nodes() > 1 && job.has_failed() && !job.is_ending());
}

// Whether an error of this program, or a revocation, ends requests before their data has moved. Peers then do not write
// to their memory: what they have begun cannot be recalled.
bool State::requests_may_end() const { return pe_.job.survival() != fabric::Survival::none; }

// At the sender.
void State::on_finished(PeId source, const Header& header) {
  Header answer;
  {
    std::lock_guard lock(lock_);
    Operation* send = operation_of(header.operation);
    if (send != nullptr) finish(*send, Status::ok);
    if (header.tag == 0) return;
    answer = header_for(source, Kind::confirmed);
    answer.bytes = send == nullptr ? 1 : 0;
  }
  answer.operation = header.tag;
  tell(source, answer);
}

void State::on_confirmed(const Header& header) {
  const Status status = header.bytes == 0 ? Status::ok : Status::revoked;
  Operation* receive = nullptr;
  {
    std::lock_guard lock(lock_);
    receive = operation_of(header.operation);
    if (receive == nullptr) return;
    if (receive->lane == Operation::no_lane) receive->stage = Stage::landing;
  }
  if (receive->stage != Stage::landing) return complete_transfer(*receive, header.operation, status);
  finish(*receive,
         status == Status::ok && receive->bytes < receive->outcome.envelope.bytes ? Status::truncated : status);
}

void State::tell_finished(Operation& receive, Status status) {
  const PeId source = receive.outcome.envelope.source;
  const bool asks = status == Status::ok && asks_sender();
  const std::uint64_t id = receive.id;
  Header header;
  {
    std::lock_guard lock(lock_);
    header = header_for(source, Kind::finished);
    count_received(receive.outcome.envelope, receive.bytes);
  }
  header.operation = receive.partner;
  if (asks) header.tag = id;
  tell(source, header);
  if (asks) return let_go(id);
  finish(receive, status == Status::ok && receive.bytes < receive.outcome.envelope.bytes ? Status::truncated : status);
}

void State::start(Operation& receive) {
  receive.length = std::min(receive.outcome.envelope.bytes, receive.bytes);
  if (receive.scatter != nullptr && receive.place != no_place && !is_private(receive.place)) {
    // Straight out of the segment of a PE of this node: no copy in a row.
    if (const std::byte* from = pe_.one_sided.peer_pointer(receive.outcome.envelope.source, HeapOffset(receive.place),
                                                           receive.outcome.envelope.bytes)) {
      if (receive.length != 0) receive.scatter->put(0, receive.length, from);
      return tell_finished(receive, Status::ok);
    }
  }
  if (Status status = line_up(receive, receive.length); status != Status::ok) [[unlikely]]
    return tell_finished(receive, status);
  if (is_private(receive.place)) {
    if (read_private(receive)) {
      land_row(receive);
      return tell_finished(receive, Status::ok);
    }
    receive.place = no_place;
  }
  queue(receive);
}

// Returns the first operation that waits for a lane, if one is free: to be queued; held.
Operation* State::next_on_lane() {
  Operation* next = want_lane_.front();
  if (next == nullptr || std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.busy; }))
    return nullptr;
  next->link.unlink();
  ++next->holds;
  return next;
}

// On a lane, or behind those that want one.
void State::queue(Operation& receive) {
  const std::uint64_t id = receive.id;
  bool has_lane = false;
  {
    std::lock_guard lock(lock_);
    for (std::size_t lane = lanes_.size(); lane < most_lanes; ++lane)
      lanes_.push_back({pe_.counters.allocate_counter(), pe_.counters.allocate_counter()});
    auto free = std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return !lane.busy; });
    has_lane = receive.told == Status::ok && free != lanes_.end();
    if (has_lane) {
      free->busy = true;
      receive.lane = static_cast<std::uint32_t>(free - lanes_.begin());
    } else if (receive.told == Status::ok) {
      want_lane_.append(receive.link);
    }
  }
  if (!has_lane) return let_go(id);
  Lane& lane = lanes_[receive.lane];
  PeId source = receive.outcome.envelope.source;

  // The sender's buffer is in its segment: get it.
  if (receive.place != no_place || receive.length == 0) {
    std::uint64_t place = receive.place == no_place ? 0 : receive.place;
    return get_then(receive, 0, place, receive.length, [this, &receive, source, id] {
      const bool asks = asks_sender();
      Header header;
      {
        std::lock_guard lock(lock_);
        if (wanted_operation(id) == nullptr) return;
        header = header_for(source, Kind::finished);
        header.operation = receive.partner;
        if (asks) header.tag = id;
      }
      tell(source, header);
      if (!asks) complete_transfer(receive, id, Status::ok);
    });
  }

  Header header;
  {
    std::lock_guard lock(lock_);
    header = header_for(source, Kind::proceed);
  }
  header.operation = receive.partner;
  header.bytes = receive.length;
  header.place = requests_may_end() ? no_place : place_of(receive.memory, receive.length);
  header.tag = id;
  // Ours is in our segment: the sender puts it, and bumps our counter when it is here.
  if (header.place != no_place) {
    header.tag = lane.arrived.value();
    receive.awaits_put = true;
    pe_.counters.trigger(lane.arrived, ++lane.arrivals, TriggeredOp::make_call([this, &receive, id](Context&) {
                           complete_transfer(receive, id, Status::ok);
                         }));
  }
  tell(source, header);
  let_go(id);
}

void State::complete_transfer(Operation& receive, std::uint64_t id, Status status) {
  Operation* next = nullptr;
  {
    std::lock_guard lock(lock_);
    if (operation_of(id) == nullptr) return;
    receive.stage = Stage::landing;
    count_received(receive.outcome.envelope, receive.bytes);
    lanes_[receive.lane].busy = false;
    receive.lane = Operation::no_lane;
    next = next_on_lane();
  }
  if (status == Status::ok) {
    land_row(receive);
    if (receive.length < receive.outcome.envelope.bytes) status = Status::truncated;
  }
  receive.row.reset();
  finish(receive, status);
  if (next != nullptr) queue(*next);
}

// At the sender: a receive has matched.
void State::on_proceed(PeId source, const Header& header) {
  Operation* send;
  {
    std::lock_guard lock(lock_);
    send = operation_of(header.operation);
    if (send == nullptr) return;
    send->length = header.bytes;
    send->partner = header.tag;
    if (header.place != no_place) {
      send->stage = Stage::landing;
    } else if ((send->staging = take_staging()) != nullptr) {
      ++send->holds;
    } else if (staging_made_ != 0) {
      return want_staging_.append(send->link);
    } else {
      send->stage = Stage::landing;  // there is no room, and none will come
    }
  }
  if (send->staging != nullptr) return put_out_pieces(*send);
  if (header.place == no_place) return refuse_pieces(*send);
  CounterRef counter{source, CounterId(static_cast<std::uint32_t>(header.tag))};
  pe_.counters.put_counted(source, HeapOffset(header.place), send->memory, send->length, counter);
  finish(*send, Status::ok);
}

// For two pieces. Null: there is none now.
std::byte* State::take_staging() {
  if (!staging_.empty()) {
    std::byte* staging = staging_.back();
    staging_.pop_back();
    return staging;
  }
  if (staging_made_ == most_staging) return nullptr;
  try {
    auto* staging = static_cast<std::byte*>(pe_.memory.heap().allocate(pieces_under_way * piece_bytes));
    ++staging_made_;
    return staging;
  } catch (const MemoryError&) { return nullptr; }
}

// Passes a staging buffer to the first operation that waits for one, and returns that: to be put out in pieces; held.
Operation* State::pass_on_staging(std::byte* staging) {
  Operation* next = want_staging_.front();
  if (next == nullptr) {
    staging_.push_back(staging);
    return nullptr;
  }
  next->link.unlink();
  next->staging = staging;
  ++next->holds;
  return next;
}

void State::refuse_pieces(Operation& send) {
  const PeId target = send.outcome.envelope.source;
  Header header;
  {
    std::lock_guard lock(lock_);
    header = header_for(target, Kind::piece);
  }
  header.operation = send.partner;
  tell(target, header);
  finish(send, Status::try_again);
}

void State::put_out_pieces(Operation& send) {
  const PeId target = send.outcome.envelope.source;
  while (send.staged < send.length && send.staged - send.taken < pieces_under_way * piece_bytes) {
    std::uint64_t bytes = std::min(piece_bytes, send.length - send.staged);
    std::byte* place = send.staging + send.staged / piece_bytes % pieces_under_way * piece_bytes;
    std::memcpy(place, send.memory + send.staged, bytes);
    Header header;
    {
      std::lock_guard lock(lock_);
      header = header_for(target, Kind::piece);
    }
    header.tag = send.staged;
    header.bytes = bytes;
    header.operation = send.partner;
    header.label = send.id;
    header.place = pe_.one_sided.offset_of(place).value();
    send.staged += bytes;
    tell(target, header);
  }
  let_go(send.id);
}

void State::on_piece(PeId source, const Header& header) {
  Operation* receive;
  {
    std::lock_guard lock(lock_);
    receive = header.place == no_place ? operation_of(header.operation) : hold(header.operation);
  }
  if (header.place == no_place) {
    if (receive != nullptr) complete_transfer(*receive, header.operation, Status::try_again);
    return;
  }
  auto done = [this, source, send = header.label, bytes = header.bytes, id = header.operation] {
    Header reply;
    bool last = false;
    Operation* receive;
    {
      std::lock_guard lock(lock_);
      reply = header_for(source, Kind::piece_done);
      receive = wanted_operation(id);
      if (receive != nullptr) last = (receive->staged += bytes) == receive->length;
    }
    reply.operation = send;
    reply.bytes = bytes;
    tell(source, reply);
    if (last) complete_transfer(*receive, id, Status::ok);
  };
  // Of a receive that has ended meanwhile: the sender may want its place back.
  if (receive == nullptr) return done();
  get_then(*receive, header.tag, header.place, header.bytes, done);
}

void State::on_piece_done(const Header& header) {
  Operation* send;
  {
    std::lock_guard lock(lock_);
    send = hold(header.operation);
    if (send == nullptr) {
      auto left = std::find_if(left_staging_.begin(), left_staging_.end(),
                               [&](const LeftStaging& one) { return one.send == header.operation; });
      if (left == left_staging_.end() || (left->bytes -= header.bytes) != 0) return;
      send = pass_on_staging(left->staging);
      left_staging_.erase(left);
    } else if ((send->taken += header.bytes) == send->length) {
      Operation* next = pass_on_staging(std::exchange(send->staging, nullptr));
      finish(*send, Status::ok);
      send = next;
    }
  }
  if (send != nullptr) put_out_pieces(*send);
}

// Leaves the staging buffer of a send that ends before all of it was fetched. A live receiver may still be copying; it
// acknowledges when it has stopped. `next`: operations that can continue.
void State::leave_staging(Operation& send, Status why, std::vector<Operation*>& next) {
  std::byte* staging = std::exchange(send.staging, nullptr);
  if (staging == nullptr) return;
  if (why != Status::peer_lost && send.staged != send.taken) {
    left_staging_.push_back({send.id, send.outcome.envelope, staging, send.staged - send.taken});
  } else if (Operation* waiting = pass_on_staging(staging)) {
    next.push_back(waiting);
  }
}

// Takes back staging buffers whose receiver has died.
void State::take_left_staging(const std::function<bool(PeId, std::uint64_t)>& which, std::vector<Operation*>& next) {
  std::erase_if(left_staging_, [&](const LeftStaging& left) {
    if (!which(left.message.source, left.message.tag)) return false;
    if (Operation* waiting = pass_on_staging(left.staging)) next.push_back(waiting);
    return true;
  });
}

}  // namespace atl::runtime::matching
