// SPDX-License-Identifier: Apache-2.0
// Some nodes of a simulation: the events at their PEs, and what these cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "atoll/base/assertion.hpp"
#include "atoll/base/radix_heap.hpp"
#include "atoll/sim/programs.hpp"
#include "atoll/sim/simulate.hpp"
#include "mail.hpp"
#include "state.hpp"
#include "ties.hpp"

namespace atl::sim {

// Some nodes' PEs, [first, end), and the events at them. One thread's.
class Part {
 public:
  // `ends`: of all parts.
  Part(const Machine& machine, const Workload& work, const Programs& programs, Whole& whole,
       const std::vector<std::uint32_t>& ends, std::size_t number)
      : machine_(machine),
        work_(work),
        programs_(programs),
        pes_(work.nodes * work.pes_per_node),
        first_(number == 0 ? 0 : ends[number - 1]),
        count_(ends[number] - first_),
        number_(number),
        ends_(ends),
        leaving_(ends.size()),
        // Otherwise several PEs, or all, ask for the same thing at times that are known only later.
        exclusive_(work.pes_per_node == 1 && machine.contention == 0),
        offloaded_(work.executor == Executor::interface),
        fetches_(offloaded_ && machine.fetch_broadcasts != 0 && work.collective.collective == "broadcast"),
        noise_(whole.noise),
        network_(whole.network),
        state_(whole.state),
        cores_(whole.cores) {
    if (machine.contention == 0) queue_.ties().turn_on(pes_, exclusive_);
  }

  void begin_at(Time time, std::uint32_t repeats) {
    last_ = time;
    for (std::uint32_t pe = first_; pe < first_ + count_; ++pe) {
      state_[pe].repeats = repeats;
      push(Message::begin, pe, pe, 0, time);
    }
  }
  void run_all() {
    while (!queue_.empty()) handle(queue_.pop());
  }
  // Messages from other parts arrive at `end` or later.
  void run_until(Time end) {
    while (queue_.next_time() < end) handle(queue_.pop());
  }
  Time next_time() const { return queue_.next_time(); }
  // What others have sent to PEs of this one.
  void collect(std::deque<Part>& parts) {
    for (Part& other : parts) {
      for (const Event& event : other.leaving_[number_]) queue_.push(event);
      other.leaving_[number_].clear();
    }
  }
  void check_end() const {
    for (std::uint32_t pe = first_; pe < first_ + count_; ++pe) ATOLL_ENSURE(state_[pe].repeats == 0);
    ATOLL_ENSURE(mail_.empty());
  }
  Time last() const { return last_; }
  void add_to(Result& result) {
    result.messages += messages_;
    result.message_bytes += message_bytes_;
    result.events += events_;
    result.host_active += active_;
    result.memory_bytes += queue_.bytes() + mail_.bytes();
    result.spans = std::move(spans_);
  }

 private:
  using Kind = Programs::Kind;

  std::uint32_t node_of(std::uint32_t pe) const { return work_.pes_per_node == 1 ? pe : pe / work_.pes_per_node; }
  bool nearby(std::uint32_t a, std::uint32_t b) const { return work_.pes_per_node != 1 && node_of(a) == node_of(b); }
  std::uint32_t number(const Pe& pe) const { return static_cast<std::uint32_t>(&pe - state_.data()); }
  void push(Message message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time time,
            std::uint8_t flags = 0) {
    const Event event{time, from, to, bytes, static_cast<std::uint64_t>(static_cast<std::uint8_t>(message) | flags)};
    if (to - first_ < count_ || (flags & leaving) != 0) [[likely]]
      queue_.push(event);
    else
      leaving_[static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), to) - ends_.begin())].push_back(
          event);
  }
  static std::uint64_t on_wire(Message message, std::uint64_t bytes) {
    switch (message) {
      case Message::announce:
      case Message::fetch:
      case Message::offer:
      case Message::request:
      case Message::done: return 0;
      default: return bytes;
    }
  }
  void note(Span::Kind kind, std::uint32_t pe, std::uint32_t peer, std::uint64_t bytes, Time begin, Time end) {
    if (spans_.size() < work_.trace_events) [[unlikely]]
      spans_.push_back({kind, pe, peer, bytes, begin, end});
  }

  // The host's processor works from then on, or as soon as it may.
  Time host_work(std::uint32_t pe, Time start, Time work) {
    active_ += work;
    if (!cores_.are_shared()) return noise_.finish(pe, start, work);
    const Time end = noise_.finish(pe, std::max(start, cores_.free(pe)), work);
    cores_.work_until(pe, end);
    return end;
  }
  void wait_for_turn(const Event& event) {
    if (const auto turn = cores_.add(event)) push(Message::turn, event.to, event.to, 0, *turn);
  }
  void give_turn(std::uint32_t pe, Time now) {
    const auto [event, time] = cores_.next(pe, now);
    if (!event) return push(Message::turn, pe, pe, 0, time);
    state_[event->to].free = std::max(state_[event->to].free, time);
    deliver(static_cast<Message>(event->kind & message_mask), *event, time);
    if (const auto turn = cores_.rest(pe, now)) push(Message::turn, pe, pe, 0, *turn);
  }
  // The executor of the schedule is busy.
  void work(Pe& pe, Time start, Time on_host, Time on_interface) {
    if (offloaded_) {
      pe.free = std::max(pe.free, start) + on_interface;
      return;
    }
    start = std::max(pe.free, start);
    if (work_.executor == Executor::core) {
      active_ += on_host;
      pe.free = start + on_host;
    } else {
      pe.free = host_work(number(pe), start, on_host);
    }
  }

  void handle(const Event& event) {
    ++events_;
    if (const Event* next = queue_.peek_next()) __builtin_prefetch(&state_[next->to]);
    const auto message = static_cast<Message>(event.kind & message_mask);
    if (message == Message::turn) return give_turn(event.to, event.time);
    if (message == Message::begin) return cores_.are_shared() ? wait_for_turn(event) : begin(state_[event.to]);
    if ((event.kind & leaving) != 0) {
      const Time arrival =
          network_.send(node_of(event.from), node_of(event.to), on_wire(message, event.bytes), event.time);
      note(Span::Kind::transfer, event.from, event.to, event.bytes, event.time, arrival);
      return push(message, event.from, event.to, event.bytes, arrival, event.kind & folds);
    }
    ++messages_;
    const std::uint64_t bytes = on_wire(message, event.bytes);
    message_bytes_ += bytes;
    const Time time =
        nearby(event.from, event.to) ? event.time : network_.receive(node_of(event.to), bytes, event.time);
    if (!cores_.are_shared()) return deliver(message, event, time);
    wait_for_turn({time, event.from, event.to, event.bytes, event.kind});
  }

  // From the memory of `from` at that time.
  void post(Message message, std::uint32_t from, std::uint32_t to, std::uint64_t bytes, Time ready,
            std::uint8_t flags = 0) {
    const std::uint64_t carried = on_wire(message, bytes);
    if (nearby(from, to)) {
      const Time arrival = ready + machine_.memory_latency_ps + time_for(carried, machine_.memory_fs_per_byte);
      note(Span::Kind::transfer, from, to, bytes, ready, arrival);
      push(message, from, to, bytes, arrival, flags);
    } else if (exclusive_) {
      const Time arrival = network_.send(from, to, carried, ready);
      note(Span::Kind::transfer, from, to, bytes, ready, arrival);
      push(message, from, to, bytes, arrival, flags);
    } else {
      push(message, from, to, bytes, ready, flags | leaving);
    }
  }

  // Of a message inside a node, with eight bytes beside its content.
  std::uint64_t lines(std::uint64_t bytes) const { return (bytes + 8 + machine_.line_bytes - 1) / machine_.line_bytes; }

  // By a step of the schedule. `copied`: into the interface's buffers.
  void start_message(Pe& pe, Message message, std::uint32_t to, std::uint64_t bytes, std::uint64_t copied) {
    const std::uint32_t from = number(pe);
    if (nearby(from, to)) {
      const Time before = pe.free;
      work(pe, 0, machine_.memory_overhead_ps, machine_.trigger_ps);
      note(Span::Kind::send, from, to, bytes, before, pe.free);
    } else if (offloaded_) {
      pe.free += machine_.trigger_ps;
    } else {
      const Time start = std::max(pe.free, pe.issue);
      pe.issue = start + machine_.host_gap_ps;
      work(pe, start, machine_.send_overhead_ps + time_for(copied, machine_.copy_fs_per_byte), 0);
      note(Span::Kind::send, from, to, bytes, start, pe.free);
    }
    post(message, from, to, bytes, pe.free);
  }

  // Straight to its place: inside a node by the sender's own stores.
  void place(Pe& pe, std::uint32_t to, std::uint64_t bytes) {
    if (!nearby(number(pe), to)) return start_message(pe, Message::small, to, bytes, 0);
    const Time before = pe.free, writing = time_for(bytes, machine_.memory_fs_per_byte);
    work(pe, 0, writing, writing);
    note(Span::Kind::copy, number(pe), to, bytes, before, pe.free);
    start_message(pe, Message::small, to, 0, 0);
  }

  // What arrived at `time` is taken, and copied or combined.
  void consume(Pe& pe, std::uint32_t from, Time time, std::uint64_t bytes, bool copies, bool combines) {
    const std::uint32_t self = number(pe);
    const Time begin = std::max(pe.free, time);
    const bool near = nearby(from, self);
    Time host = (near ? machine_.memory_overhead_ps + lines(copies ? bytes : 0) * machine_.miss_ps
                      : machine_.recv_overhead_ps + machine_.miss_ps);
    if (copies && !near) host += time_for(bytes, machine_.copy_fs_per_byte);
    host += machine_.list_entries * machine_.match_ps;
    Time interface = machine_.list_entries * machine_.interface_match_ps;
    if (combines) {
      host += time_for(bytes, machine_.reduce_fs_per_byte);
      interface += time_for(bytes, machine_.interface_reduce_fs_per_byte);
    }
    work(pe, time, host, interface);
    note(Span::Kind::receive, self, from, bytes, begin, pe.free);
  }

  // The take that a PE is at meets what was put for it. Returns false where the data has to be fetched first.
  bool take(Pe& pe, std::uint32_t from, Time time, std::uint64_t bytes) {
    const std::uint32_t self = number(pe);
    if (fetches_ && !nearby(from, self)) {
      work(pe, time, 0, machine_.trigger_ps);
      post(Message::fetch, self, from, bytes, pe.free);
      pe.waiting = Waiting::fetched;
      pe.peer = from;
      return false;
    }
    consume_step(pe, from, time, bytes);
    return true;
  }

  void consume_step(Pe& pe, std::uint32_t from, Time time, std::uint64_t bytes) {
    const Programs::Step& step = programs_.steps()[pe.step];
    consume(pe, from, time, bytes, step.placed == 0, static_cast<Kind>(step.kind) == Kind::fold);
  }

  void complete(Pe& pe, Time time) {
    pe.joined = std::max(pe.joined, time);
    if (--pe.outstanding != 0 || pe.waiting != Waiting::join) return;
    pe.waiting = Waiting::nothing;
    pe.free = std::max(pe.free, pe.joined);
    advance(pe);
  }

  void deliver(Message message, const Event& event, Time time) {
    Pe& pe = state_[event.to];
    switch (message) {
      case Message::begin: begin(pe); break;
      case Message::turn: break;
      case Message::small:
      case Message::announce:
        if (pe.waiting == Waiting::take && pe.peer == event.from) {
          pe.waiting = Waiting::nothing;
          if (take(pe, event.from, time, event.bytes)) advance_past(pe);
        } else {
          mail_.put(Mail::key(event.to, event.from, Mail::Kind::small), {time, event.bytes});
        }
        break;
      case Message::fetch: post(Message::fetched, event.to, event.from, event.bytes, time + machine_.trigger_ps); break;
      case Message::fetched:
        pe.waiting = Waiting::nothing;
        consume_step(pe, event.from, time, event.bytes);
        advance_past(pe);
        break;
      case Message::large:
      case Message::offer: {
        Mail::Letter posted;
        const std::uint64_t note = event.bytes | (message == Message::offer ? offered : 0);
        if (mail_.take(Mail::key(event.to, event.from, Mail::Kind::posted), posted)) {
          match(pe, event.from, {time, note}, posted.note != 0);
        } else {
          mail_.put(Mail::key(event.to, event.from, Mail::Kind::large), {time, note});
        }
        break;
      }
      case Message::request:
        if (machine_.rendezvous == Rendezvous::get) {
          post(Message::data, event.to, event.from, event.bytes, time + machine_.trigger_ps, event.kind & folds);
        } else {
          work(pe, time, machine_.recv_overhead_ps + machine_.miss_ps + machine_.send_overhead_ps, machine_.trigger_ps);
          post(Message::data, event.to, event.from, event.bytes, pe.free, event.kind & folds);
          complete(pe, pe.free);
        }
        break;
      case Message::data:
        consume(pe, event.from, time, event.bytes, false, (event.kind & folds) != 0);
        if (machine_.rendezvous == Rendezvous::get) post(Message::done, event.to, event.from, 0, time);
        complete(pe, pe.free);
        break;
      case Message::done: complete(pe, time); break;
    }
  }

  // A receive meets what was sent for it.
  void match(Pe& pe, std::uint32_t from, const Mail::Letter& letter, bool combines) {
    const std::uint64_t bytes = letter.note & ~offered;
    if ((letter.note & offered) == 0) {
      consume(pe, from, letter.time, bytes, true, combines);
      return complete(pe, pe.free);
    }
    const std::uint32_t self = number(pe);
    if (nearby(self, from)) {
      // It reads where the data lies.
      const Time reading = time_for(bytes, machine_.memory_fs_per_byte);
      work(pe, letter.time, reading, reading);
      consume(pe, from, letter.time, bytes, false, combines);
      post(Message::done, self, from, 0, pe.free);
      return complete(pe, pe.free);
    }
    work(pe, letter.time, machine_.recv_overhead_ps + machine_.miss_ps + machine_.send_overhead_ps,
         machine_.trigger_ps);
    post(Message::request, self, from, bytes, pe.free, combines ? folds : 0);
  }

  void begin(Pe& pe) {
    const std::uint32_t self = number(pe);
    const Time start = std::max(pe.free, queue_.now());
    Time ready = start;
    if (work_.compute_ps != 0 && !is_pattern(work_.collective.collective))
      ready = host_work(self, ready, work_.compute_ps);
    note(Span::Kind::compute, self, self, 0, start, ready);
    if (offloaded_) ready = host_work(self, ready, machine_.setup_ps);
    if (work_.executor == Executor::core) ready = host_work(self, ready, machine_.miss_ps) + machine_.miss_ps;
    const Programs::Program program = programs_.of(self);
    pe.free = ready;
    pe.joined = 0;
    pe.step = program.first;
    pe.by_bits = program.by_bits;
    advance(pe);
  }

  void finish(Pe& pe) {
    // The host sees a line that another has written.
    if (work_.executor != Executor::host) pe.free = host_work(number(pe), pe.free, machine_.miss_ps);
    last_ = std::max(last_, pe.free);
    if (--pe.repeats != 0) push(Message::begin, number(pe), number(pe), 0, pe.free);
  }

  void advance_past(Pe& pe) {
    ++pe.step;
    advance(pe);
  }

  // As far as it goes without waiting.
  void advance(Pe& pe) {
    const std::uint32_t self = number(pe);
    const Programs::Step* const steps = programs_.steps();
    for (;; ++pe.step) {
      const Programs::Step& step = steps[pe.step];
      const std::uint64_t bytes = step.bytes;
      const auto kind = static_cast<Kind>(step.kind);
      const std::uint32_t peer = Programs::peer(step, pe.by_bits, self, pes_);
      switch (kind) {
        case Kind::put:
          if (step.placed != 0) place(pe, peer, bytes);
          else
            start_message(pe, fetches_ && !nearby(self, peer) ? Message::announce : Message::small, peer, bytes, bytes);
          break;
        case Kind::take:
        case Kind::fold: {
          Mail::Letter letter;
          if (!mail_.take(Mail::key(self, peer, Mail::Kind::small), letter)) {
            pe.waiting = Waiting::take;
            pe.peer = peer;
            return;
          }
          if (!take(pe, peer, letter.time, bytes)) return;
          break;
        }
        case Kind::send:
          if (bytes <= machine_.eager_bytes && !nearby(self, peer)) {
            start_message(pe, Message::large, peer, bytes, bytes);
            pe.joined = std::max(pe.joined, pe.free);
          } else {
            ++pe.outstanding;
            start_message(pe, Message::offer, peer, bytes, 0);
          }
          break;
        case Kind::recv:
        case Kind::recv_fold: {
          ++pe.outstanding;
          Mail::Letter letter;
          const bool combines = kind == Kind::recv_fold;
          if (mail_.take(Mail::key(self, peer, Mail::Kind::large), letter)) {
            letter.time = std::max(letter.time, pe.free);
            match(pe, peer, letter, combines);
          } else {
            mail_.put(Mail::key(self, peer, Mail::Kind::posted), {pe.free, combines ? 1u : 0u});
          }
          break;
        }
        case Kind::join:
          if (pe.outstanding != 0) {
            pe.waiting = Waiting::join;
            ++pe.step;
            return;
          }
          pe.free = std::max(pe.free, pe.joined);
          break;
        case Kind::copy:
        case Kind::identity: {
          const Time before = pe.free, time = time_for(bytes, machine_.copy_fs_per_byte);
          work(pe, 0, time, time);
          note(Span::Kind::copy, self, self, bytes, before, pe.free);
          break;
        }
        case Kind::compute: {
          const Time before = pe.free;
          pe.free = host_work(self, pe.free, bytes);
          note(Span::Kind::compute, self, self, 0, before, pe.free);
          break;
        }
        case Kind::reduce: {
          const Time before = pe.free;
          work(pe, 0, time_for(bytes, machine_.reduce_fs_per_byte),
               time_for(bytes, machine_.interface_reduce_fs_per_byte));
          note(Span::Kind::reduce, self, self, bytes, before, pe.free);
          break;
        }
        default: return finish(pe);
      }
    }
  }

  const Machine& machine_;
  const Workload& work_;
  const Programs& programs_;
  const std::uint32_t pes_;
  const std::uint32_t first_, count_;
  const std::size_t number_;
  const std::vector<std::uint32_t>& ends_;
  std::vector<std::vector<Event>> leaving_;  // by the part that they go to
  const bool exclusive_;
  const bool offloaded_;
  const bool fetches_;
  Noise& noise_;
  Network& network_;
  std::vector<Pe>& state_;
  Cores<Event>& cores_;
  RadixHeap<Event, ByReceiver<Event>> queue_;
  Mail mail_;
  std::vector<Span> spans_;
  Time last_ = 0;
  Time active_ = 0;
  std::uint64_t messages_ = 0, message_bytes_ = 0, events_ = 0;
};

}  // namespace atl::sim
