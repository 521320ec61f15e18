// SPDX-License-Identifier: Apache-2.0
// Long random sequences of mixed collectives, blocking and not, on the whole job and on parts of it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using testing::Bytes;
using testing::random_bytes;
using testing::stream;

class Sequence : public atl::testing::OnPes {};

struct Pending {
  std::unique_ptr<Bytes> in, out;
  std::vector<std::byte> wanted;
  Request request;
  std::string what;
};

// One operation, chosen by `random` alike on all members. What it must give is in `wanted`.
Pending start_one(runtime::Context& context, Communicator& team, SequentialRandom& random, std::uint64_t call,
                  bool blocking) {
  Pending one;
  int n = team.size(), rank = team.rank();
  auto members = static_cast<std::size_t>(n);
  std::uint64_t shape = random();
  std::size_t size = shape % 4 == 0   ? shape / 4 % 40 * 8
                     : shape % 4 == 1 ? shape / 4 % 400 * 8
                     : shape % 4 == 2 ? 8
                                      : shape / 4 % 20000 * 8;
  int root = static_cast<int>(random.below(members));
  std::uint64_t choice = random.below(8);
  std::uint64_t places = random_bits(call, 1000 + static_cast<std::uint64_t>(rank));
  bool in_heap = places % 2 == 0, out_heap = places % 4 < 2;
  auto make = [&](std::size_t in, std::size_t out) {
    one.in = std::make_unique<Bytes>(context, in, in_heap);
    one.out = std::make_unique<Bytes>(context, out, out_heap);
  };
  auto of = [&](int member) { return random_bytes(stream(call, member), size); };
  auto all_of = [&] {
    std::vector<std::byte> everything;
    for (int member = 0; member < n; ++member) {
      auto part = of(member);
      everything.insert(everything.end(), part.begin(), part.end());
    }
    return everything;
  };
  auto mine = of(rank);
  one.what = fmt::format("operation {} of {} bytes, root {}", choice, size, root);
  Reduction sum(Type::u64, Op::sum);
  auto summed = [&](int upto) {
    std::vector<std::byte> total(size);
    for (int member = 0; member <= upto; ++member) {
      auto part = of(member);
      sum(total.data(), total.data(), part.data(), size / 8);
    }
    return total;
  };
  switch (choice) {
    case 0:
      make(0, 0);
      if (blocking) team.barrier();
      else one.request = team.ibarrier();
      break;
    case 1:
      make(0, size);
      one.wanted = of(root);
      if (rank == root) testing::copy(one.out->data(), one.wanted.data(), size);
      if (blocking) team.broadcast(one.out->data(), size, root);
      else one.request = team.ibroadcast(one.out->data(), size, root);
      break;
    case 2:
    case 3:
    case 4:
      make(size, size);
      testing::copy(one.in->data(), mine.data(), size);
      if (choice == 2) {
        one.wanted = summed(n - 1);
        if (blocking) team.allreduce(one.in->data(), one.out->data(), size / 8, sum);
        else one.request = team.iallreduce(one.in->data(), one.out->data(), size / 8, sum);
      } else if (choice == 3) {
        if (rank == root) one.wanted = summed(n - 1);
        if (blocking) team.reduce(one.in->data(), one.out->data(), size / 8, sum, root);
        else one.request = team.ireduce(one.in->data(), one.out->data(), size / 8, sum, root);
      } else {
        one.wanted = summed(rank);
        if (blocking) team.scan(one.in->data(), one.out->data(), size / 8, sum);
        else one.request = team.iscan(one.in->data(), one.out->data(), size / 8, sum);
      }
      break;
    case 5:
      make(size, size * members);
      testing::copy(one.in->data(), mine.data(), size);
      one.wanted = all_of();
      if (blocking) team.allgather(one.in->data(), size, one.out->data());
      else one.request = team.iallgather(one.in->data(), size, one.out->data());
      break;
    case 6:
      make(size * members, size);
      if (rank == root) {
        auto everything = all_of();
        testing::copy(one.in->data(), everything.data(), everything.size());
      }
      one.wanted = mine;
      if (blocking) team.scatter(one.in->data(), one.out->data(), size, root);
      else one.request = team.iscatter(one.in->data(), one.out->data(), size, root);
      break;
    default: {
      // Everybody gives everybody his own bytes.
      make(size * members, size * members);
      for (std::size_t member = 0; member < members; ++member)
        testing::copy(one.in->data() + member * size, mine.data(), size);
      one.wanted = all_of();
      if (blocking) team.alltoall(one.in->data(), size, one.out->data());
      else one.request = team.ialltoall(one.in->data(), size, one.out->data());
    }
  }
  return one;
}

void check(const Pending& one, std::uint64_t seed, std::uint64_t call) {
  ASSERT_TRUE(one.wanted.empty() || std::memcmp(one.out->data(), one.wanted.data(), one.wanted.size()) == 0)
      << one.what << ", call " << call << ", seed " << seed;
}

TEST_P(Sequence, Blocking) {
  run([](runtime::Context& context) {
    const std::uint64_t seed = 4711;
    Communicator all(context);
    Communicator part(all, all.rank() % 2);
    SequentialRandom shared(seed), own(seed + 1 + static_cast<std::uint64_t>(all.rank() % 2));
    for (std::uint64_t call = 0; call < 400; ++call) {
      bool in_part = shared.below(4) == 0;
      Pending one = start_one(context, in_part ? part : all, in_part ? own : shared, call, true);
      check(one, seed, call);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST_P(Sequence, NonBlockingInterleaved) {
  run([](runtime::Context& context) {
    const std::uint64_t seed = 815;
    Communicator all(context);
    Communicator part(all, all.rank() % 2);
    SequentialRandom shared(seed), own(seed + 1 + static_cast<std::uint64_t>(all.rank() % 2));
    SequentialRandom alone(seed + 100 + static_cast<std::uint64_t>(all.rank()));
    std::vector<std::pair<std::uint64_t, Pending>> pending;
    for (std::uint64_t call = 0; call < 150; ++call) {
      bool in_part = shared.below(4) == 0;
      bool blocking = shared.below(8) == 0;
      pending.emplace_back(call, start_one(context, in_part ? part : all, in_part ? own : shared, call, blocking));
      // Members wait for different ones, at different times.
      while (pending.size() > 6 || (!pending.empty() && alone.below(3) == 0)) {
        std::size_t which = alone.below(pending.size());
        auto& [number, one] = pending[which];
        if (alone.below(2) == 0) {
          while (!one.request.test()) context.progress();
        }
        one.request.wait();
        check(one, seed, number);
        if (::testing::Test::HasFatalFailure()) return;
        pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(which));
      }
    }
    for (auto& [number, one] : pending) {
      one.request.wait();
      check(one, seed, number);
    }
  });
}

TEST_P(Sequence, ProgressThreadCarriesThemOut) {
  ATOLL_NOT_SIMULATED();
  run([](runtime::Context& context) {
    Communicator all(context);
    context.start_progress_thread();
    for (int round = 0; round < 30; ++round) {
      const std::size_t count = round % 2 == 0 ? 1 : 50000;
      std::vector<std::int64_t> in(count, all.rank() + round), out(count);
      Request request = all.iallreduce(in.data(), out.data(), count, Reduction(Type::i64, Op::sum));
      // Nothing here calls Atoll until it is over; if progress needed us this would not end.
      Request barrier = all.ibarrier();
      barrier.wait();
      EXPECT_TRUE(request.test());
      std::int64_t wanted = std::int64_t{all.size()} * (all.size() - 1) / 2 + std::int64_t{round} * all.size();
      EXPECT_EQ(out.front(), wanted);
      EXPECT_EQ(out.back(), wanted);
    }
    context.barrier();
    context.stop_progress_thread();
  });
}

// The last member finds all data that it needs; the progress thread still does the copying.
TEST_P(Sequence, ProgressThreadCopiesLongData) {
  ATOLL_NOT_SIMULATED();
  run([](runtime::Context& context) {
    Communicator all(context);
    if (all.size() != 2) return;
    context.start_progress_thread();
    const std::size_t bytes = std::size_t{4} << 20;
    auto* in = static_cast<std::byte*>(context.heap().allocate(bytes));
    auto* out = static_cast<std::byte*>(context.heap().allocate(bytes));
    std::memset(in, all.rank(), bytes);
    bool left_to_it = all.rank() == 0;
    for (int round = 0; round < 20 && !left_to_it; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::uint64_t before = all.moved_bytes();
      Request request = all.iallreduce(in, out, bytes, Reduction(Type::u8, Op::sum));
      left_to_it = all.moved_bytes() - before < bytes;
      request.wait();
      EXPECT_EQ(out[bytes - 1], std::byte{1});
      std::uint8_t again = left_to_it || round == 19 ? 0 : 1;  // rank 0 follows
      all.broadcast(&again, 1, 1);
    }
    for (std::uint8_t again = 1; all.rank() == 0 && again != 0;) {
      all.iallreduce(in, out, bytes, Reduction(Type::u8, Op::sum)).wait();
      all.broadcast(&again, 1, 1);
    }
    EXPECT_TRUE(left_to_it) << "all was moved before iallreduce() returned";
    context.barrier();
    context.stop_progress_thread();
    context.heap().release(in);
    context.heap().release(out);
  });
}

TEST_P(Sequence, EndingACommunicatorWaitsForStartedOperations) {
  run([](runtime::Context& context) {
    std::vector<std::int64_t> in(30000, 1), out(30000, 0);
    Request request;
    Persistent prepared;
    {
      Communicator all(context);
      prepared = all.barrier_init();
      request = all.iallreduce(in.data(), out.data(), in.size(), reduction_of<std::int64_t>(Op::sum));
    }
    EXPECT_EQ(out[29999], static_cast<std::int64_t>(context.npes()));
    EXPECT_TRUE(request.test());
    request.wait();
    EXPECT_THROW((void)prepared.start(), ValueError);
  });
}

ATOLL_ON_PES(Sequence);

}  // namespace
}  // namespace atl::coll
