// SPDX-License-Identifier: Apache-2.0
// Operations that are told to end while their data move.
#include <sched.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "messages.hpp"
#include "run_pes.hpp"
#include "state.hpp"

namespace atl::runtime {
namespace {

class Ended : public testing::OnPes {};

constexpr PeId sender(0), receiver(1);

// Blocks all threads until it is opened.
class Gate : public Scatter {
 public:
  explicit Gate(std::size_t most) : bytes(most) {}
  void put(std::uint64_t from, std::uint64_t to, const std::byte* data) const override {
    reached.store(true);
    while (!open.load()) ::sched_yield();
    std::copy(data, data + (to - from), bytes.begin() + static_cast<std::ptrdiff_t>(from));
  }
  mutable std::vector<std::byte> bytes;
  mutable std::atomic<bool> reached{false};
  std::atomic<bool> open{false};
};

// Another thread of the PE, which does something and looks after its messages from then on.
class Helper {
 public:
  Helper(Context& context, const std::function<void()>& first)
      : thread_([this, &context, first] {
          first();
          while (!stop_.load()) {
            context.progress();
            ::sched_yield();
          }
        }) {}
  ~Helper() {
    stop_.store(true);
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Short, and long ones out of private memory and out of a segment.
struct Message {
  std::size_t bytes;
  bool shared;
};
constexpr Message messages[] = {{8, false}, {10'000, false}, {20'000, false}, {300'000, false}, {300'000, true}};

class Source {
 public:
  Source(Context& context, const Message& message, std::uint64_t key)
      : heap_(context.heap()), data_(noise(message.bytes, key)) {
    if (!message.shared) return;
    block_ = static_cast<std::byte*>(heap_.allocate(message.bytes));
    std::copy(data_.begin(), data_.end(), block_);
  }
  ~Source() {
    if (block_ != nullptr) heap_.release(block_);
  }
  std::span<const std::byte> span() const { return {block_ != nullptr ? block_ : data_.data(), data_.size()}; }

 private:
  Heap& heap_;
  std::vector<std::byte> data_;
  std::byte* block_ = nullptr;
};

// A send that was announced ends by a revocation, and its buffer is written to before the receiver fetches it.
TEST_P(Ended, AReceiveOfAWithdrawnMessageFails) {
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run([](Context& context) {
    constexpr std::size_t bytes = 300'000;
    Matcher matcher(context);
    context.job().survive(fabric::Survival::recovers);
    context.barrier();
    std::uint64_t tag = 0;
    for (bool ends : {false, true})
      for (bool scattered : {false, true}) {
        ++tag;
        Source source(context, {bytes, true}, tag);
        Request send;
        if (context.pe() == sender) send = matcher.send(receiver, tag, source.span());
        if (context.pe() == receiver) context.wait([&] { return matcher.probe({sender, tag}).has_value(); });
        context.barrier();
        if (context.pe() == sender && ends) {
          matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
          EXPECT_EQ(matcher.wait(send).status, Status::revoked);
          std::fill_n(const_cast<std::byte*>(source.span().data()), bytes, std::byte{99});
        }
        context.barrier();
        if (context.pe() == receiver) {
          Gate gate(bytes);
          gate.open.store(true);
          std::vector<std::byte> row(bytes);
          Request receive =
              scattered ? matcher.receive({sender, tag}, {gate, bytes}) : matcher.receive({sender, tag}, row);
          EXPECT_EQ(matcher.wait(receive).status, ends ? Status::revoked : Status::ok) << scattered;
          if (!ends) { EXPECT_EQ(scattered ? gate.bytes : row, noise(bytes, tag)); }
        } else if (context.pe() == sender && !ends) {
          EXPECT_EQ(matcher.wait(send).status, Status::ok);
        }
        context.barrier();
      }
  });
}

TEST_P(Ended, WaitsForAThreadThatScattersTheMessage) {
  ATOLL_NOT_SIMULATED();
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run(
      [](Context& context) {
        Matcher matcher(context);
        HeapOffset awaited = context.allocate_symmetric(8);
        *context.local_pointer<std::uint64_t>(awaited) = 0;
        context.barrier();
        std::uint64_t tag = 0;
        for (const Message& message : messages) {
          ++tag;
          Source source(context, message, tag);
          if (context.pe() == sender) {
            context.wait_until(context.local_pointer<std::uint64_t>(awaited), Compare::equal, tag);
            send_now(matcher, receiver, tag, source.span());
          } else if (context.pe() == receiver) {
            Gate gate(message.bytes);
            Request request = matcher.receive({sender, tag}, {gate, message.bytes});
            // Sent once this thread looks after no messages, so that it isn't the one to put them.
            Helper helper(context, [&] { context.set<std::uint64_t>(sender, awaited, tag); });
            while (!gate.reached.load()) ::sched_yield();
            matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
            std::optional<Outcome> early = matcher.test(request);
            EXPECT_FALSE(early.has_value()) << message.bytes << " bytes end as " << to_string(early->status);
            gate.open.store(true);
            if (early) {
              while (gate.bytes.back() != source.span().back()) ::sched_yield();  // it is used yet
            } else {
              EXPECT_EQ(matcher.wait(request).status, Status::ok);
              EXPECT_TRUE(std::equal(gate.bytes.begin(), gate.bytes.end(), source.span().begin()));
            }
          }
          context.barrier();
        }
      },
      {.threads = 2});
}

// A handler runs while the receive requests data from a sender that never answers.
TEST_P(Ended, EndsAReceiveDuringItsTransfer) {
  ATOLL_NOT_SIMULATED();
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run([](Context& context) {
    Matcher matcher(context);
    int calls = 0;
    HandlerId end = context.register_handler([&](Context&, PeId, std::span<const std::byte>) {
      ++calls;
      matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
    });
    HeapOffset told = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(told) = 0;
    context.barrier();
    auto data = noise(1'000'000, 3);
    if (context.pe() == sender) {
      Request request = matcher.send(receiver, 1, data);
      context.barrier();
      context.send(receiver, end, {});
      context.set<std::uint64_t>(receiver, told, 1);
      context.barrier();
      matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
      (void)matcher.wait(request);
    } else if (context.pe() == receiver) {
      while (!matcher.probe({sender, 1})) ::sched_yield();
      context.barrier();
      const bool maps = context.peer_pointer(sender, HeapOffset(0)) != nullptr;
      while (maps && context.fetch<std::uint64_t>(receiver, told) == 0) ::sched_yield();  // without progress
      std::vector<std::byte> got(data.size());
      Request request = matcher.receive({sender, 1}, got);
      while (calls == 0) context.progress();
      Outcome outcome = matcher.wait(request);
      EXPECT_TRUE(outcome.status == Status::revoked || (outcome.status == Status::ok && got == data));
      context.barrier();
    } else {
      context.barrier();
      context.barrier();
    }
    context.barrier();
    context.release_symmetric(told);
  });
}

// Of all that wait for a lane none is forgotten when those before them end.
TEST_P(Ended, OperationsQueuedBehindAnEndedOneContinue) {
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run([](Context& context) {
    Matcher matcher(context);
    constexpr std::uint64_t many = 40;
    auto is_even = [](PeId, std::uint64_t tag) { return tag % 2 == 0; };
    if (context.pe() == sender) {
      std::vector<std::vector<std::byte>> data;
      std::vector<Request> sends;
      for (std::uint64_t tag = 0; tag < many; ++tag)
        sends.push_back(matcher.send(receiver, tag, data.emplace_back(noise(100'000, tag))));
      for (std::uint64_t tag = 1; tag < many; tag += 2) EXPECT_EQ(matcher.wait(sends[tag]).status, Status::ok);
      context.barrier();
      matcher.fail(Status::revoked, is_even);
      for (std::uint64_t tag = 0; tag < many; tag += 2) (void)matcher.wait(sends[tag]);
    } else if (context.pe() == receiver) {
      std::vector<std::unique_ptr<std::vector<std::byte>>> got;
      std::vector<Request> receives;
      while (!matcher.probe({sender, many - 1})) ::sched_yield();
      for (std::uint64_t tag = 0; tag < many; ++tag) {
        got.push_back(std::make_unique<std::vector<std::byte>>(100'000));
        receives.push_back(matcher.receive({sender, tag}, *got.back()));
      }
      matcher.fail(Status::revoked, is_even);
      for (std::uint64_t tag = 0; tag < many; ++tag) {
        Outcome outcome = matcher.wait(receives[tag]);
        EXPECT_TRUE(outcome.status == Status::ok || (tag % 2 == 0 && outcome.status == Status::revoked));
        EXPECT_TRUE(outcome.status != Status::ok || *got[tag] == noise(100'000, tag));
      }
      context.barrier();
    } else {
      context.barrier();
    }
    context.barrier();
  });
}

TEST_P(Ended, FreesTheReassemblyBufferOfAScatteredReceive) {
  run([](Context& context) {
    auto state = std::make_shared<matching::State>(context, MatcherOptions{});
    state->listen(state);
    context.barrier();
    std::uint64_t tag = 0;
    for (const Message& message : messages) {
      ++tag;
      Source source(context, message, tag);
      EverySecond places(message.bytes);
      matching::Operation* receive = state->receive({left_of(context), tag}, {places, message.bytes});
      matching::Operation* send = state->send(right_of(context), tag, source.span(), SendMode::standard, 0);
      auto is_complete = [](matching::Operation* operation) {
        return operation == nullptr || operation->complete.load(std::memory_order_acquire);
      };
      context.wait([&] { return is_complete(receive) && is_complete(send); });
      EXPECT_EQ(receive->row.get(), nullptr) << message.bytes << " bytes";
      EXPECT_EQ(matching::State::release(*receive).status, Status::ok);
      if (send != nullptr) { EXPECT_EQ(matching::State::release(*send).status, Status::ok); }
      context.barrier();
    }
    state->close();
  });
}

// More than any machine has; nothing of it is read.
TEST_P(Ended, ReportsOutOfMemoryForReassemblyBuffer) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer ends a process that requests too much memory";
#endif
  run([](Context& context) {
    Matcher matcher(context);
    for (bool early : {false, true}) {
      constexpr std::uint64_t far_too_much = std::uint64_t{1} << 60;
      std::byte first{};
      EverySecond places(0);
      Request receive;
      if (early) receive = matcher.receive({left_of(context), 1}, {places, far_too_much});
      context.barrier();
      Request send = matcher.send(right_of(context), 1, std::span<const std::byte>(&first, far_too_much));
      context.barrier();
      if (!early) receive = matcher.receive({left_of(context), 1}, {places, far_too_much});
      EXPECT_EQ(matcher.wait(receive).status, Status::try_again);
      EXPECT_EQ(matcher.wait(send).status, Status::ok);
      // And goes on.
      std::uint64_t value = 0;
      receive = matcher.receive({left_of(context), 2}, in(value));
      send_now(matcher, right_of(context), 2, out(far_too_much));
      EXPECT_EQ(matcher.wait(receive).status, Status::ok);
      EXPECT_EQ(value, far_too_much);
    }
    context.barrier();
  });
}

// The room of long messages that go in pieces is for those that come after.
TEST_P(Ended, FreesTheStagingBufferOfASendThatEndsEarly) {
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run([](Context& context) {
    Matcher matcher(context);
    auto all = [](PeId, std::uint64_t) { return true; };
    auto data = noise(1'000'000, 5);
    constexpr std::uint64_t more_than_rooms = 20;
    for (std::uint64_t round = 0; round < more_than_rooms; ++round) {
      const Status why = round % 2 == 0 ? Status::revoked : Status::peer_lost;
      Request send, receive;
      std::vector<std::byte> got(data.size());
      if (context.pe() == sender) {
        send = matcher.send(receiver, round, data);
      } else if (context.pe() == receiver) {
        while (!matcher.probe({sender, round})) ::sched_yield();
        receive = matcher.receive({sender, round}, got);
        matcher.fail(why, all);
      }
      for (int looks = 0; looks < 3; ++looks) {
        context.progress();
        context.barrier();
      }
      if (context.pe() == sender) matcher.fail(why, all);
      (void)matcher.wait(send);
      (void)matcher.wait(receive);
      context.barrier();
    }
    std::vector<std::byte> got(data.size());
    if (context.pe() == sender) send_now(matcher, receiver, 100, data);
    if (context.pe() == receiver) {
      EXPECT_EQ(receive_now(matcher, {sender, 100}, got).status, Status::ok);
      EXPECT_EQ(got, data);
    }
    context.barrier();
  });
}

TEST_P(Ended, WithoutRoomForPiecesBothSidesSaySo) {
  run([](Context& context) {
    Matcher matcher(context);
    auto data = noise(1'000'000, 6);
    std::vector<std::byte> got(data.size());
    std::vector<void*> blocks;
    try {
      for (;;) blocks.push_back(context.heap().allocate(std::size_t{128} << 10));
    } catch (const MemoryError&) {  // full
    }
    context.barrier();
    Request receive = matcher.receive({left_of(context), 1}, got);
    Request send = matcher.send(right_of(context), 1, data);
    auto wanted = [&](PeId other) { return context.job().is_local(other) ? Status::ok : Status::try_again; };
    EXPECT_EQ(matcher.wait(receive).status, wanted(left_of(context)));
    EXPECT_EQ(matcher.wait(send).status, wanted(right_of(context)));
    context.barrier();
    for (void* block : blocks) context.heap().release(block);
    receive = matcher.receive({left_of(context), 2}, got);
    send_now(matcher, right_of(context), 2, data);
    EXPECT_EQ(matcher.wait(receive).status, Status::ok);
    EXPECT_EQ(got, data);
    context.barrier();
  });
}

// The announcement and the revocation come in one round of messages, behind which the queued get runs.
TEST_P(Ended, AReceiveIsNotWrittenToAfterItsEndByAQueuedGet) {
  ATOLL_NOT_SIMULATED();
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run([](Context& context) {
    constexpr std::size_t bytes = 100'000, receives = 8;
    // Each of 8 receives has two of the 1,024 counters: more rounds would show counters that do not come back.
    const std::uint64_t rounds = context.npes() == 2 ? 70 : 3;
    Matcher matcher(context);
    const std::vector<std::byte> reused(bytes, std::byte{99});
    std::vector<std::vector<std::byte>> got(receives, std::vector<std::byte>(bytes));
    std::vector<Request> requests(receives);
    auto reuse_ended = [&] {
      for (std::size_t i = 0; i < receives; ++i) {
        if (requests[i].empty()) continue;
        if (auto outcome = matcher.test(requests[i]); outcome && outcome->status == Status::revoked) got[i] = reused;
      }
    };
    auto are_all_ended = [&] {
      return std::all_of(requests.begin(), requests.end(), [](const Request& request) { return request.empty(); });
    };
    int calls = 0;
    HandlerId end = context.register_handler([&](Context&, PeId, std::span<const std::byte>) {
      ++calls;
      matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
      reuse_ended();
    });
    HeapOffset told = context.allocate_symmetric(8);
    *context.local_pointer<std::uint64_t>(told) = 0;
    Source source(context, {bytes, true}, 4);
    for (std::uint64_t round = 1; round <= rounds; ++round) {
      if (context.pe() == receiver)
        for (std::size_t i = 0; i < receives; ++i) requests[i] = matcher.receive({sender, i}, got[i]);
      context.barrier();
      if (context.pe() == sender) {
        std::vector<Request> sends;
        for (std::size_t i = 0; i < receives; ++i) sends.push_back(matcher.send(receiver, i, source.span()));
        context.send(receiver, end, {});
        context.set<std::uint64_t>(receiver, told, round);
        context.barrier();
        matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
        for (Request& send : sends) (void)matcher.wait(send);
      } else if (context.pe() == receiver) {
        const bool maps = context.peer_pointer(sender, HeapOffset(0)) != nullptr;
        while (maps && context.fetch<std::uint64_t>(receiver, told) < round) ::sched_yield();  // without progress
        context.wait([&] { return calls == static_cast<int>(round); });
        context.wait([&] {
          reuse_ended();
          return are_all_ended();
        });
        context.barrier();
        for (const std::vector<std::byte>& one : got)
          EXPECT_TRUE(one == reused || std::equal(one.begin(), one.end(), source.span().begin())) << round;
        if (maps) { EXPECT_EQ(got.back(), reused) << round; }
      } else {
        context.barrier();
      }
      context.barrier();
    }
    context.release_symmetric(told);
  });
}

// The sender of another node puts into a segment when it is asked to.
TEST_P(Ended, AReceiveIsNotWrittenToAfterItsEndByItsSender) {
  if (npes() == 1) GTEST_SKIP() << "what one sends to oneself comes at once";
  run([](Context& context) {
    constexpr std::size_t bytes = 300'000;
    Matcher matcher(context);
    context.job().survive(fabric::Survival::goes_on);
    auto* got = static_cast<std::byte*>(context.heap().allocate(bytes));
    const auto data = noise(bytes, 5);
    Request request;
    if (context.pe() == sender) request = matcher.send(receiver, 1, data);
    if (context.pe() == receiver) context.wait([&] { return matcher.probe({sender, 1}).has_value(); });
    context.barrier();
    if (context.pe() == receiver) {
      request = matcher.receive({sender, 1}, {got, bytes});
      matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
      const Status status = matcher.wait(request).status;
      EXPECT_TRUE(status == Status::revoked || status == Status::ok);
      std::fill_n(got, bytes, std::byte{99});
    }
    // The sender makes progress.
    for (int looks = 0; looks < 3; ++looks) {
      context.progress();
      context.barrier();
    }
    if (context.pe() == receiver) {
      EXPECT_TRUE(std::all_of(got, got + bytes, [](std::byte one) { return one == std::byte{99}; }));
    }
    if (context.pe() == sender) {
      matcher.fail(Status::revoked, [](PeId, std::uint64_t) { return true; });
      (void)matcher.wait(request);
    }
    context.barrier();
    context.heap().release(got);
  });
}

ATOLL_ON_PES(Ended);

}  // namespace
}  // namespace atl::runtime
