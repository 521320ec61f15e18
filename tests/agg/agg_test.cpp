// SPDX-License-Identifier: Apache-2.0
// Aggregators under random and skewed traffic, by the direct path and by messages, against a serial oracle.
#include <gtest/gtest.h>

#include <map>

#include "atoll/agg/function.hpp"
#include "atoll/agg/memory.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::agg {
namespace {

using coll::Communicator;

class Aggregators : public atl::testing::OnPes {
 protected:
  // On every path, by one hop and by two, and with buffers so small that windows close all the time.
  void on_every_path(const std::function<void(Hub&, Communicator&, const Options&)>& body) {
    run([&](runtime::Context& context) {
      Communicator all(context);
      Hub hub(all);
      for (Path path : {Path::automatic, Path::message})
        for (Hops hops : {Hops::one, Hops::two}) {
          if (hops == Hops::two && !all.placement().has_levels()) continue;
          for (std::size_t memory : {std::size_t{1}, std::size_t{4} << 20})
            body(hub, all, {.path = path, .hops = hops, .memory_bytes = memory});
        }
      all.barrier();
    });
  }
};

constexpr std::uint64_t seed = 99;

// Members have arrays of different lengths; one in four accesses goes to member 0 when `skewed`.
std::uint64_t length_of(int member) { return 500 + 37 * static_cast<std::uint64_t>(member); }

struct Access {
  int member;
  std::uint64_t index;
  std::uint64_t value;
};
Access access(int from, std::uint64_t i, int members, bool skewed) {
  std::uint64_t bits = random_bits(seed + static_cast<std::uint64_t>(from), i);
  int member = skewed ? 0 : static_cast<int>(to_bounded(bits, static_cast<std::uint64_t>(members)));
  return {member, random_bits(bits, 1) % length_of(member), random_bits(bits, 2)};
}
constexpr std::uint64_t accesses = 1200;

template <Update update>
void check_update(Hub& hub, Communicator& all, const Options& options, bool skewed) {
  auto& heap = all.context().heap();
  std::uint64_t count = length_of(all.rank());
  auto* own = static_cast<std::uint64_t*>(heap.allocate(count * 8));
  for (std::uint64_t i = 0; i < count; ++i) own[i] = i;
  std::vector<std::uint64_t> wanted(own, own + count);
  for (int round = 0; round < 2; ++round)
    for (int from = 0; from < all.size(); ++from)
      for (std::uint64_t i = 0; i < accesses; ++i) {
        Access one = access(from, i, all.size(), skewed);
        if (one.member == all.rank()) detail::apply<std::uint64_t, update>(wanted[one.index], one.value);
      }
  {
    UpdateAggregator<std::uint64_t, update> updates(hub, own, count, options);
    all.barrier();
    for (int round = 0; round < 2; ++round) {
      for (std::uint64_t i = 0; i < accesses; ++i) {
        Access one = access(all.rank(), i, all.size(), skewed);
        updates.push(one.member, one.index, one.value);
      }
      updates.finish();
    }
    for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(own[i], wanted[i]) << "element " << i;
    bool all_mapped = options.path == Path::automatic && all.context().job().nodes() == 1;
    if (all_mapped || all.size() == 1) { EXPECT_EQ(updates.message_bytes(), 0u); }
    all.barrier();
  }
  heap.release(own);
}

TEST_P(Aggregators, Updates) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    for (bool skewed : {false, true}) {
      check_update<Update::add>(hub, all, options, skewed);
      check_update<Update::bit_or>(hub, all, options, skewed);
      check_update<Update::bit_xor>(hub, all, options, skewed);
      check_update<Update::min>(hub, all, options, skewed);
      check_update<Update::max>(hub, all, options, skewed);
    }
  });
}

TEST_P(Aggregators, PutsOfOneMemberKeepTheirOrder) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    auto& heap = all.context().heap();
    auto n = static_cast<std::uint64_t>(all.size());
    // Element m·10 + k of everybody's array belongs to member m.
    auto* own = static_cast<std::uint64_t*>(heap.allocate(n * 80));
    {
      PutAggregator<std::uint64_t> puts(hub, own, n * 10, options);
      for (std::uint64_t i = 0; i < 2000; ++i)
        for (int member = 0; member < all.size(); ++member)
          puts.push(member, static_cast<std::uint64_t>(all.rank()) * 10 + i % 10, i);
      puts.finish();
      for (std::uint64_t i = 0; i < n * 10; ++i) ASSERT_EQ(own[i], 1990 + i % 10);
      all.barrier();
    }
    heap.release(own);
  });
}

TEST_P(Aggregators, Gets) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    auto& heap = all.context().heap();
    std::uint64_t count = length_of(all.rank());
    auto* own = static_cast<std::uint32_t*>(heap.allocate(count * 4));
    auto content = [](int member, std::uint64_t index) {
      return static_cast<std::uint32_t>(member * 100000 + static_cast<int>(index));
    };
    for (std::uint64_t i = 0; i < count; ++i) own[i] = content(all.rank(), i);
    {
      GetAggregator<std::uint32_t> gets(hub, own, count, options);
      all.barrier();
      for (bool skewed : {false, true, false}) {
        std::vector<std::uint32_t> got(accesses);
        for (std::uint64_t i = 0; i < accesses; ++i) {
          Access one = access(all.rank(), i, all.size(), skewed);
          gets.push(one.member, one.index, &got[i]);
        }
        gets.finish();
        for (std::uint64_t i = 0; i < accesses; ++i) {
          Access one = access(all.rank(), i, all.size(), skewed);
          ASSERT_EQ(got[i], content(one.member, one.index));
        }
      }
      all.barrier();
    }
    heap.release(own);
  });
}

TEST_P(Aggregators, Functions) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    struct Payload {
      std::uint64_t key;
      std::uint32_t origin, spare;
    };
    std::map<std::uint64_t, std::uint64_t> seen;
    FunctionAggregator<Payload> calls(
        hub,
        [&](const Payload& payload, int origin) {
          EXPECT_EQ(payload.origin, static_cast<std::uint32_t>(origin));
          ++seen[payload.key];
        },
        options);
    auto key = [](int from, std::uint64_t i) { return random_bits(static_cast<std::uint64_t>(from), i) % 1000; };
    auto owner = [&](std::uint64_t k) { return static_cast<int>(k % static_cast<std::uint64_t>(all.size())); };
    for (std::uint64_t i = 0; i < accesses; ++i)
      calls.push(owner(key(all.rank(), i)), {key(all.rank(), i), static_cast<std::uint32_t>(all.rank()), 0});
    calls.finish();
    std::map<std::uint64_t, std::uint64_t> wanted;
    for (int from = 0; from < all.size(); ++from)
      for (std::uint64_t i = 0; i < accesses; ++i)
        if (owner(key(from, i)) == all.rank()) ++wanted[key(from, i)];
    EXPECT_EQ(seen, wanted);
    all.barrier();
  });
}

// Every call makes two more, some levels deep, anywhere: finish() must see the end.
TEST_P(Aggregators, FunctionsThatPushEndTogether) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    struct Payload {
      std::uint64_t depth, bits;
    };
    std::uint64_t calls = 0;
    FunctionAggregator<Payload>* self = nullptr;
    FunctionAggregator<Payload> tree(
        hub,
        [&](const Payload& payload, int) {
          ++calls;
          for (std::uint64_t child = 0; child < 2 && payload.depth > 0; ++child) {
            std::uint64_t bits = random_bits(payload.bits, child);
            self->push_from_function(static_cast<int>(to_bounded(bits, static_cast<std::uint64_t>(all.size()))),
                                     {payload.depth - 1, bits});
          }
        },
        options);
    self = &tree;
    all.barrier();
    tree.push(all.size() - 1, {8, static_cast<std::uint64_t>(all.rank())});
    tree.finish();
    EXPECT_EQ(all.allreduce_sum(calls), static_cast<std::uint64_t>(all.size()) * 511);
  });
}

TEST_P(Aggregators, AThrowingFunctionIsReportedToAll) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    FunctionAggregator<int> calls(
        hub,
        [&](const int& payload, int) {
          if (payload == 7) throw ValueError("seven");
        },
        options);
    calls.push(all.size() - 1, all.rank() == 0 ? 7 : 1);
    try {
      calls.finish();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) { EXPECT_EQ(std::string(error.what()) == "seven", all.rank() == all.size() - 1); }
    calls.push(0, 1);
    calls.finish();
  });
}

// What two hops are for. A message has 16 bytes of its own, an item here 12, and two more where a relay reads it.
TEST_P(Aggregators, TwoHopsSendOneMessagePerNode) {
  run([](runtime::Context& context) {
    Communicator all(context);
    Hub hub(all);
    const coll::Placement& placement = all.placement();
    auto members = static_cast<std::uint64_t>(all.size());
    auto nodes = static_cast<std::uint64_t>(placement.nodes());
    auto here = placement.members(placement.node_of(all.rank())).size();
    auto* own = static_cast<std::uint64_t*>(context.heap().allocate(8));
    *own = 0;
    for (Hops hops : {Hops::one, Hops::two, Hops::automatic}) {
      AddAggregator<std::uint64_t> adds(hub, own, 1, {.hops = hops});
      all.barrier();
      for (int member = 0; member < all.size(); ++member) adds.push(member, 0, 1);
      adds.finish();
      bool two = hops != Hops::one && placement.has_levels();
      EXPECT_EQ(adds.message_bytes(), two ? (nodes - 1) * 16 + (members - here) * 14 : (members - here) * (16 + 12));
      all.barrier();
    }
    EXPECT_EQ(*own, 3 * members);
    context.heap().release(own);
    all.barrier();
  });
}

TEST_P(Aggregators, HopsAreForcedByTheEnvironment) {
  for (std::uint64_t hops : {1, 2}) {
    ::setenv("ATOLL_AGGREGATION_HOPS", std::to_string(hops).c_str(), 1);
    run([&](runtime::Context& context) {
      Communicator all(context);
      Hub hub(all);
      const coll::Placement& placement = all.placement();
      FunctionAggregator<std::uint64_t> calls(hub, [](const std::uint64_t&, int) {});
      int other_node = (placement.node_of(all.rank()) + 1) % placement.nodes();
      for (int member : placement.members(other_node)) calls.push(member, 1);
      calls.finish();
      std::uint64_t there = placement.members(other_node).size();
      bool two = hops == 2 && placement.has_levels();
      EXPECT_EQ(calls.message_bytes(), two ? 16 + there * 10 : there * (16 + 8));
      all.barrier();
    });
    ::unsetenv("ATOLL_AGGREGATION_HOPS");
  }
}

// An array that only its own PE can reach is left to that PE.
TEST_P(Aggregators, PrivateArrays) {
  on_every_path([](Hub& hub, Communicator& all, const Options& options) {
    std::vector<std::uint64_t> own(100, 0);
    {
      AddAggregator<std::uint64_t> adds(hub, own.data(), own.size(), options);
      all.barrier();
      for (int member = 0; member < all.size(); ++member)
        for (std::uint64_t i = 0; i < own.size(); ++i) adds.push(member, i, i);
      adds.finish();
      all.barrier();
    }
    for (std::uint64_t i = 0; i < own.size(); ++i) ASSERT_EQ(own[i], i * static_cast<std::uint64_t>(all.size()));
  });
}

ATOLL_ON_PES(Aggregators);

}  // namespace
}  // namespace atl::agg
