// SPDX-License-Identifier: Apache-2.0
// Communicators that their members make among themselves, without a parent.
#include <gtest/gtest.h>

#include <thread>

#include "atoll/base/error.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/team.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Teams : public atl::testing::OnPes {};

void check(Communicator& team, const runtime::Team& members) {
  ASSERT_EQ(team.size(), static_cast<int>(members.size()));
  ASSERT_EQ(team.rank(), static_cast<int>(members.rank()));
  auto pes = team.allgather<std::uint32_t>(team.context().pe().value());
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) EXPECT_EQ(pes[rank], members.pe_of(rank).value());
  EXPECT_EQ(team.allreduce_sum<std::uint64_t>(1), members.size());
}

// Every first PE, stride and size: each is made by its members alone, while others make theirs or do nothing.
TEST_P(Teams, AreMadeByTheirMembersAlone) {
  run([](runtime::Context& context) {
    std::uint32_t n = context.npes();
    for (std::uint32_t stride = 1; stride <= n; ++stride)
      for (std::uint32_t first = 0; first < n; ++first)
        for (std::uint32_t size = 1; first + (size - 1) * stride < n; ++size) {
          auto members = runtime::Team::strided(first, stride, size, context.pe());
          if (!members.is_member()) continue;
          Communicator team(context, members);
          check(team, members);
        }
  });
}

TEST_P(Teams, OfTheSameMembersFollowOneAnother) {
  run([](runtime::Context& context) {
    auto members = runtime::Team::world(context.npes(), context.pe());
    std::vector<Communicator> kept;
    for (int round = 0; round < 30; ++round) {
      kept.emplace_back(context, members);
      check(kept[static_cast<std::size_t>(round) / 2], members);
    }
    while (!kept.empty()) kept.pop_back();
  });
}

TEST_P(Teams, KeepTheOrderTheyWereGiven) {
  run([](runtime::Context& context) {
    std::vector<PeId> backwards;
    for (std::uint32_t pe = context.npes(); pe-- > 0;) backwards.emplace_back(pe);
    auto members = runtime::Team::listed(backwards, context.pe());
    Communicator team(context, members);
    check(team, members);
    auto world = runtime::Team::world(context.npes(), context.pe());
    Communicator other(context, world);
    check(other, world);
  });
}

// Two teams at a time on every PE, made by two of its threads.
TEST_P(Teams, OfDifferentThreadsDoNotMix) {
  ATOLL_NOT_SIMULATED();
  run([](runtime::Context& context) {
    std::vector<PeId> backwards;
    for (std::uint32_t pe = context.npes(); pe-- > 0;) backwards.emplace_back(pe);
    auto one = runtime::Team::listed(backwards, context.pe());
    auto two = runtime::Team::world(context.npes(), context.pe());
    auto repeat = [&](const runtime::Team& members) {
      for (int round = 0; round < 10; ++round) {
        Communicator team(context, members);
        check(team, members);
      }
    };
    if (context.npes() == 1) return repeat(one);  // the two would have the same members
    std::thread other([&] { repeat(one); });
    repeat(two);
    other.join();
  });
}

TEST_P(Teams, NameAnAbsentMember) {
  if (npes() == 1) return;
  run([](runtime::Context& context) {
    auto world = runtime::Team::world(context.npes(), context.pe());
    if (context.pe().value() != 1) {
      try {
        Communicator team(context, world, ATOLL_TEST_SECONDS / 1000.0);  // the others come sooner
        FAIL() << "no member was reported as missing";
      } catch (const TimeoutError& error) {
        EXPECT_NE(std::string(error.what()).find("PE 1 did not take part"), std::string::npos) << error.what();
      }
    }
    context.barrier();
  });
}

TEST_P(Teams, AreSplitOffByThoseWithAColour) {
  run([](runtime::Context& context) {
    Communicator all(context);
    int me = all.rank();
    // The lower half backwards; the others take part and get nothing.
    int half = (all.size() + 1) / 2;
    auto team = Communicator::split(all, me < half ? std::optional(3) : std::nullopt, -me);
    ASSERT_EQ(team.has_value(), me < half);
    if (team) {
      EXPECT_EQ(team->size(), half);
      EXPECT_EQ(team->rank(), half - 1 - me);
      EXPECT_EQ(team->allreduce_sum<int>(me), half * (half - 1) / 2);
    }
  });
}

TEST_P(Teams, WithoutMemoryAreRefusedOnEveryPe) {
  run(
      [](runtime::Context& context) {
        Communicator all(context);
        bool last = all.rank() + 1 == all.size();
        std::vector<void*> hoard;
        for (std::size_t bytes = std::size_t{1} << 20; last && bytes >= 64; bytes = bytes * 9 / 10) try {
            for (;;) hoard.push_back(context.heap().allocate(bytes));
          } catch (const MemoryError&) {}
        EXPECT_THROW((void)Communicator::split(all, all.rank() % 2), MemoryError);
        for (void* block : hoard) context.heap().release(block);
        auto team = Communicator::split(all, 0);
        EXPECT_EQ(team->allreduce_sum<int>(1), all.size());
      },
      {.segment_bytes = std::uint64_t{16} << 20});
}

TEST_P(Teams, AreForMembers) {
  run([](runtime::Context& context) {
    std::uint32_t other = (context.pe().value() + 1) % context.npes();
    if (other == context.pe().value()) return;
    auto members = runtime::Team::strided(other, 1, 1, context.pe());
    EXPECT_THROW(Communicator(context, members), ValueError);
  });
}

ATOLL_ON_PES(Teams);

}  // namespace
}  // namespace atl::coll
