// SPDX-License-Identifier: Apache-2.0
// Jobs over the network: every way that a transfer can take, and processes that do not fit together.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <numeric>
#include <thread>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "run_nodes.hpp"

namespace atl::runtime {
namespace {

using ::testing::HasSubstr;
using testing::Network;
using testing::run_nodes;
using testing::succeeded;

#ifdef __SANITIZE_THREAD__
// It does not see what PEs of one node tell one another.
const std::vector<std::string> two_nodes = {"reef", "shoal"};
#else
const std::vector<std::string> two_nodes = {"reef", "shoal", "reef"};
#endif

/// One way through the network.
struct Way {
  std::string security = "auth", provider = "", rma = "auto";
  std::string name() const { return fmt::format("{} {} {}", security, provider, rma); }
};

// Atoll's own transport in all its ways, and libfabric's providers over TCP. Calls test() with the environment set for
// each that is there.
template <class Test>
void by_every_way(const std::vector<std::string>& providers, Test&& test) {
  std::vector<Way> ways = {{"auth", "", "auto"},
                           {"auth", "", "off"},
                           {"auth", "", "register"},
                           {"auth", "", "refuse"},
                           {"encrypt", "", "auto"}};
  for (const std::string& provider : providers)
    for (const char* rma : {"auto", "off", "register", "refuse"}) ways.push_back({"none", provider, rma});
  for (const Way& way : ways) {
    ::setenv("ATOLL_NETWORK_SECURITY", way.security.c_str(), 1);
    ::setenv("ATOLL_FABRIC_PROVIDER", way.provider.c_str(), 1);
    ::setenv("ATOLL_FABRIC_RMA", way.rma.c_str(), 1);
    if (!fabric::describe_network().starts_with("none")) test(way);
  }
  for (const char* name : {"ATOLL_NETWORK_SECURITY", "ATOLL_FABRIC_PROVIDER", "ATOLL_FABRIC_RMA"}) ::unsetenv(name);
}

// Sizes about those at which the way changes, at aligned and other places, there and back.
int move_all_sizes(const std::shared_ptr<Bootstrap>& bootstrap) {
  auto seat = join_through(bootstrap);
  Context context(seat.job, seat.pe);
  constexpr std::size_t most = std::size_t{3} << 20;
  HeapOffset block = context.allocate_symmetric(2 * most);
  std::vector<std::byte> out(most), in(most), nbi(most);
  PeId other((context.pe().value() + 1) % context.npes());
  auto* own = context.local_pointer(block);
  std::uint8_t round = 0;
  for (std::size_t bytes : {1ul, 2ul, 3ul, 4ul, 8ul, 9ul, 100ul, 16336ul, 16337ul, 16384ul, 16385ul, 16448ul, 70'000ul,
                            300'001ul, most - 64}) {
    for (std::size_t shift : {0ul, 1ul, 8ul}) {
      ++round;
      for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(i * 7 + round + context.pe().value());
      HeapOffset at(block.value() + shift), second(block.value() + most + shift);
      context.put(other, at, out.data(), bytes);
      context.put_nbi(other, second, out.data(), bytes);
      context.quiet();
      context.get(in.data(), other, at, bytes);
      context.get_nbi(nbi.data(), other, second, bytes);
      context.quiet();
      EXPECT_EQ(std::memcmp(in.data(), out.data(), bytes), 0) << bytes << " bytes at " << shift;
      EXPECT_EQ(std::memcmp(nbi.data(), out.data(), bytes), 0) << bytes << " bytes at " << shift;
      context.barrier();
      for (std::size_t i = 0; i < bytes; ++i)
        if (own[shift + i] !=
            static_cast<std::byte>(i * 7 + round + (context.pe().value() + context.npes() - 1) % context.npes())) {
          ADD_FAILURE() << "byte " << i << " of " << bytes << " at " << shift;
          break;
        }
      context.barrier();
    }
  }
  // A later put of any size stays behind a fence.
  HeapOffset flag(block.value() + most - 8), data = block;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    std::vector<std::uint64_t> values(i % 3 == 0 ? 20'000 : 10, i);
    context.put_value<std::uint64_t>(other, data, 0);
    context.fence();
    context.put(other, data, values.data(), values.size() * 8);
    context.fence();
    context.put_value<std::uint64_t>(other, flag, i);
    context.wait_until<std::uint64_t>(flag, Compare::equal, i);
    EXPECT_EQ(*context.local_pointer<std::uint64_t>(data), i);
    EXPECT_EQ(context.local_pointer<std::uint64_t>(data)[values.size() - 1], i);
    context.barrier();
  }
  // And what a signal tells of is there, of any size, before the sender knows that it is.
  std::uint64_t signals = 200;
  for (std::size_t count : {0, 1, 31, 32, 33, 511, 512, 513, 2041, 2042, 2043, 4096, 4097, 9000, 40'000}) {
    std::vector<std::uint64_t> values(count, ++signals);
    context.put_signal(other, data, values.data(), count * 8, flag, signals);
    std::fill(values.begin(), values.end(), 0);  // it may be reused
    context.wait_until<std::uint64_t>(flag, Compare::equal, signals);
    const auto* got = context.local_pointer<std::uint64_t>(data);
    EXPECT_EQ(std::count(got, got + count, signals), static_cast<std::ptrdiff_t>(count));
    context.barrier();
  }
  // Many, while the other is not looking; every tenth a second time to the same place, behind a fence.
  constexpr std::uint64_t many = 60;
  constexpr std::size_t apart = 49'152;
  auto words = [](std::uint64_t i) { return static_cast<std::size_t>(i % 3 == 2 ? i + 30 : 900 + i * 80); };
  *context.local_pointer<std::uint64_t>(flag) = 0;
  context.barrier();
  if (context.pe() == PeId(1)) ::poll(nullptr, 0, 100);
  for (std::uint64_t i = 0; i < many; ++i) {
    for (std::uint64_t time = i % 10 == 0 ? 0 : 1; time < 2; ++time) {
      std::vector<std::uint64_t> values(words(i), 2 * i + time);
      context.put_signal(other, HeapOffset(data.value() + i * apart), values.data(), values.size() * 8, flag, 1,
                         fabric::AtomicOp::add);
      if (time == 0) context.fence();
    }
  }
  context.wait_until<std::uint64_t>(flag, Compare::equal, many + many / 10);
  for (std::uint64_t i = 0; i < many; ++i) {
    const auto* got = context.local_pointer<std::uint64_t>(HeapOffset(data.value() + i * apart));
    EXPECT_EQ(std::count(got, got + words(i), 2 * i + 1), static_cast<std::ptrdiff_t>(words(i))) << "put " << i;
  }
  context.barrier();
  // Two words signalled in turns, now set and now added to, by little and by much, of which the other looks at fifty at
  // a time.
  HeapOffset words_at[] = {flag, HeapOffset(flag.value() - 8)};
  constexpr std::uint64_t at_a_time = 50;
  auto count_of = [](std::uint64_t i) { return static_cast<std::size_t>(i % 5 == 4 ? 100 : 2'100 + i); };
  std::uint64_t expected[] = {0, 0};
  for (int which : {0, 1}) *context.local_pointer<std::uint64_t>(words_at[which]) = 0;
  context.barrier();
  for (std::uint64_t i = 0; i < 300; ++i) {
    int which = i % 10 < 6 ? 0 : 1;
    bool set = i % 4 == 3;
    std::uint64_t value = i % 7 == 6 ? (std::uint64_t{1} << 28) + i : i;
    std::vector<std::uint64_t> values(count_of(i), i);
    auto how = set ? fabric::AtomicOp::set : fabric::AtomicOp::add;
    HeapOffset place(data.value() + i % at_a_time * apart);
    context.put_signal(other, place, values.data(), values.size() * 8, words_at[which], value, how);
    expected[which] = set ? value : expected[which] + value;
    if ((i + 1) % at_a_time != 0) continue;
    for (int one : {0, 1}) context.wait_until<std::uint64_t>(words_at[one], Compare::equal, expected[one]);
    for (std::uint64_t j = i + 1 - at_a_time; j <= i; ++j) {
      const auto* got = context.local_pointer<std::uint64_t>(HeapOffset(data.value() + j % at_a_time * apart));
      EXPECT_EQ(std::count(got, got + count_of(j), j), static_cast<std::ptrdiff_t>(count_of(j))) << "signal " << j;
    }
    context.barrier();
  }
  return 0;
}

TEST_F(Network, TransfersOfEverySizeArriveWhole) {
  by_every_way({"", "tcp;ofi_rxm"}, [](const Way& way) {
    for (int end : run_nodes(two_nodes, [](auto bootstrap, PeId) { return move_all_sizes(bootstrap); }))
      EXPECT_TRUE(succeeded(end)) << way.name();
  });
}

// Every PE sends to every other, sizes about those at which the way changes, long and short mixed, in one part or two;
// all come back from a handler. PE 1 looks late, so that rings fill up.
int exchange_messages(const std::shared_ptr<Bootstrap>& bootstrap) {
  auto seat = join_through(bootstrap);
  Context context(seat.job, seat.pe);
  constexpr std::size_t sizes[] = {4,     296, 297,     8192, 20,      8193,      16336, 16337,     8,        65535,
                                   65536, 100, 262'144, 4,    262'145, 1'000'003, 64,    1'048'576, 1'048'577};
  constexpr std::uint32_t each = 2 * std::size(sizes);
  auto fill = [&](std::vector<std::byte>& message, std::uint32_t number, PeId from) {
    message.resize(sizes[number % std::size(sizes)]);
    for (std::size_t i = 4; i < message.size(); ++i)
      message[i] = static_cast<std::byte>(i * 13 + number + from.value());
    std::memcpy(message.data(), &number, 4);
  };
  std::vector<std::uint32_t> next(context.npes(), 0), back(context.npes(), 0);
  std::vector<std::byte> expected;
  auto look = [&](std::span<const std::byte> payload, std::uint32_t number, PeId from) {
    fill(expected, number, from);
    EXPECT_TRUE(std::equal(payload.begin(), payload.end(), expected.begin(), expected.end()))
        << "message " << number << " of PE " << from.value() << ", " << payload.size() << " bytes";
  };
  HandlerId answer = context.register_handler([&](Context& here, PeId source, std::span<const std::byte> payload) {
    look(payload, back[source.value()]++, here.pe());
  });
  HandlerId take = context.register_handler([&](Context& here, PeId source, std::span<const std::byte> payload) {
    look(payload, next[source.value()]++, source);
    here.send(source, answer, payload);
  });
  context.barrier();
  if (context.pe() == PeId(1)) ::poll(nullptr, 0, 200);
  std::vector<std::byte> out, room((1 << 20) + 8192);
  std::byte* slow =
      room.data() + (4096 - reinterpret_cast<std::uintptr_t>(room.data()) % 4096) + 64;  // to send from, for tcp
  for (std::uint32_t number = 0; number < each; ++number) {
    fill(out, number, context.pe());
    std::span<const std::byte> all(out);
    if (number / std::size(sizes) == 1)
      all = {slow, static_cast<std::size_t>(std::copy(out.begin(), out.end(), slow) - slow)};
    std::size_t cut = number % 3 == 0 ? 0 : all.size() / (number % 3 + 1);
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
      if (pe != context.pe().value()) context.send(PeId(pe), take, all.first(cut), all.subspan(cut));
  }
  for (std::uint32_t pe = 0; pe < context.npes(); ++pe)
    if (pe != context.pe().value()) context.wait([&] { return next[pe] == each && back[pe] == each; });
  context.barrier();
  context.wait([&] { return context.heap().stats().blocks == 0; });
  context.barrier();
  return 0;
}

TEST_F(Network, MessagesOfEverySizeArriveWholeAndInOrder) {
  ::setenv("ATOLL_HEAP_SIZE", "256M", 1);
  // Of tcp;ofi_rxm where it registers memory, long messages complete behind shorter ones that were sent later.
  by_every_way({"", "tcp;ofi_rxm"}, [](const Way& way) {
    for (int end : run_nodes({"a", "b", "a", "c"}, [](auto bootstrap, PeId) { return exchange_messages(bootstrap); }))
      EXPECT_TRUE(succeeded(end)) << way.name();
  });
  ::unsetenv("ATOLL_HEAP_SIZE");
}

// One at a time, so that each may be handled where it came: by whichever thread of the receiver looks. Some handlers
// throw, which their message and the buffer that it came in survive.
int take_messages_at_once(const std::shared_ptr<Bootstrap>& bootstrap) {
  auto seat = join_through(bootstrap);
  Context context(seat.job, seat.pe);
  constexpr std::uint64_t each = 600;
  PeId other(1 - context.pe().value());
  std::atomic<std::uint64_t> taken{0}, thrown{0};
  HandlerId take = context.register_handler([&](Context& here, PeId, std::span<const std::byte> payload) {
    std::uint64_t number = 0;
    std::memcpy(&number, payload.data(), sizeof(number));
    EXPECT_EQ(number, taken);
    EXPECT_EQ(payload.back(), static_cast<std::byte>(number));
    (void)here.progress();  // runs no other handler meanwhile
    ++taken;
    if (number % 7 == 3) throw ValueError("this one is not wanted");
  });
  context.barrier();
  auto look = [&](auto&& until) {
    while (!until()) {
      try {
        context.wait(until);
      } catch (const ValueError& error) {
        EXPECT_STREQ(error.what(), "this one is not wanted");
        ++thrown;
      }
    }
  };
  std::vector<std::thread> lookers;
  for (int i = 0; i < 2; ++i) lookers.emplace_back([&] { look([&] { return taken == each; }); });
  std::vector<std::byte> message;
  for (std::uint64_t number = 0; number < each; ++number) {
    message.assign(number % 3 == 0 ? 9 : number % 3 == 1 ? 3000 : 20'000, static_cast<std::byte>(number));
    std::memcpy(message.data(), &number, sizeof(number));
    if (context.pe() == PeId(1)) look([&] { return taken > number; });
    for (bool sent = false; !sent;) {
      try {
        context.send(other, take, message);
        sent = true;
      } catch (const ValueError&) {  // of a message that came meanwhile, behind this one
        ++thrown;
        sent = true;
      }
    }
    if (context.pe() == PeId(0)) look([&] { return taken > number; });
  }
  for (std::thread& one : lookers) one.join();
  EXPECT_EQ(taken, each);
  EXPECT_EQ(thrown, (each + 3) / 7);
  context.barrier();
  return 0;
}

TEST_F(Network, MessagesAreHandledOnceByAnyPollingThreadAlsoWhenHandlersThrow) {
  by_every_way({"", "tcp;ofi_rxm"}, [](const Way& way) {
    if (way.rma != "auto") return;
    for (int end : run_nodes({"reef", "shoal"}, [](auto bootstrap, PeId) { return take_messages_at_once(bootstrap); }))
      EXPECT_TRUE(succeeded(end)) << way.name();
  });
}

// A word that one side changes from all zeros to all ones and back is never seen half, whether put or got, and whether
// something else is under way or not.
TEST_F(Network, WordsArriveInOnePiece) {
  auto ends = run_nodes({"reef", "shoal"}, [](auto bootstrap, PeId) {
    auto seat = join_through(bootstrap);
    Context context(seat.job, seat.pe);
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    constexpr std::size_t bulk = 5000;
    HeapOffset word = context.allocate_symmetric(8), changing = context.allocate_symmetric(8);
    HeapOffset done = context.allocate_symmetric(8), other = context.allocate_symmetric(bulk);
    auto* seen = context.template local_pointer<std::uint64_t>(word);
    auto* own = context.template local_pointer<std::uint64_t>(changing);
    std::atomic_ref<std::uint64_t> end(*context.template local_pointer<std::uint64_t>(done));
    context.barrier();
    if (context.pe() == PeId(0)) {
      std::vector<std::byte> filling(bulk);
      for (std::uint64_t i = 0; i < 1500; ++i) {
        if (i % 3 == 1) context.put(PeId(1), other, filling.data(), 1 + i % bulk);
        context.put_value<std::uint64_t>(PeId(1), word, i % 2 == 0 ? ones : 0);
        if (i % 4 < 2) context.quiet();
        auto got = context.template get_value<std::uint64_t>(PeId(1), changing);
        EXPECT_TRUE(got == 0 || got == ones) << got;
      }
      context.template set<std::uint64_t>(PeId(1), done, 1);
    } else {
      std::atomic_ref<std::uint64_t> mine(*own);
      for (std::uint64_t i = 0; end.load(std::memory_order_acquire) == 0; ++i) {
        mine.store(i % 2 == 0 ? ones : 0, std::memory_order_relaxed);
        auto now = std::atomic_ref(*seen).load(std::memory_order_relaxed);
        EXPECT_TRUE(now == 0 || now == ones) << now;
        if (i % 64 == 0) context.progress();
      }
    }
    context.barrier();
    return 0;
  });
  for (int end : ends) EXPECT_TRUE(succeeded(end));
}

// PEs of its node and of another change one word at once: all of it by the processors of one node.
TEST_F(Network, AtomicsOfBothNodesOnOneWordAddUp) {
  constexpr std::uint64_t rounds = 2000;
  auto ends = run_nodes({"a", "a", "b", "b"}, [](auto bootstrap, PeId) {
    auto seat = join_through(bootstrap);
    Context context(seat.job, seat.pe);
    HeapOffset word = context.allocate_symmetric(8);
    *context.template local_pointer<std::uint64_t>(word) = 0;
    context.barrier();
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      if (i % 4 == 0) {
        std::uint64_t old = context.fetch_add<std::uint64_t>(PeId(1), word, 1);
        EXPECT_TRUE(i == 0 || old > last);
        last = old;
      } else {
        context.add<std::uint64_t>(PeId(1), word, 1);
      }
    }
    context.barrier();
    EXPECT_EQ(context.fetch<std::uint64_t>(PeId(1), word), 4 * rounds);
    context.barrier();
    return 0;
  });
  for (int end : ends) EXPECT_TRUE(succeeded(end));
}

TEST_F(Network, AsManyEndpointsAreUsedAsAllProcessesHave) {
  constexpr std::size_t threads = 4;
  auto ends = run_nodes(two_nodes, [](auto bootstrap, PeId pe) {
    ::setenv("ATOLL_FABRIC_ENDPOINTS", std::to_string(pe.value() + 2).c_str(), 1);
    auto seat = join_through(bootstrap);
    Context context(seat.job, seat.pe);
    HeapOffset word = context.allocate_symmetric(8);
    context.barrier();
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads; ++i)
      all.emplace_back([&] {
        for (std::uint32_t to = 0; to < context.npes(); ++to) context.add<std::uint64_t>(PeId(to), word, 1);
      });
    for (auto& one : all) one.join();
    context.quiet();
    context.barrier();
    EXPECT_EQ(*context.template local_pointer<std::uint64_t>(word), context.npes() * threads);
    context.barrier();
    return 0;
  });
  for (int end : ends) EXPECT_TRUE(succeeded(end));
}

TEST_F(Network, RefusesIncompatibleProcesses) {
  struct Difference {
    const char* variable;
    const char* values[2];
    const char* said;
  };
  for (const Difference& one : {Difference{"ATOLL_HEAP_SIZE", {"64M", "128M"}, "ATOLL_HEAP_SIZE"},
                                Difference{"ATOLL_NETWORK_SECURITY", {"auth", "none"}, "ATOLL_NETWORK_SECURITY"},
                                Difference{"ATOLL_NETWORK_SECURITY", {"auth", "encrypt"}, "ATOLL_NETWORK_SECURITY"},
                                Difference{"ATOLL_FABRIC_PROVIDER", {"tcp;ofi_rxm", "nonesuch"}, "nonesuch"}}) {
    auto ends = run_nodes({"reef", "shoal"}, [&](auto bootstrap, PeId pe) {
      ::setenv(one.variable, one.values[pe.value()], 1);
      try {
        (void)join_through(bootstrap);
      } catch (const SetupError& error) {
        EXPECT_THAT(error.what(), HasSubstr(one.said));
        if (std::string(one.said) == one.variable) {
          EXPECT_THAT(error.what(), ::testing::AllOf(HasSubstr("reef"), HasSubstr("shoal")));
        }
        return 0;
      }
      return 1;
    });
    for (int end : ends) EXPECT_TRUE(succeeded(end)) << one.variable;
  }
}

TEST_F(Network, AnIdleProcessUsesNoProcessor) {
  auto ends = run_nodes({"reef", "shoal"}, [](auto bootstrap, PeId) {
    auto seat = join_through(bootstrap);
    Context context(seat.job, seat.pe);
    context.barrier();
    auto spent = [] {
      rusage used{};
      ::getrusage(RUSAGE_SELF, &used);
      return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
             static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
    };
    ::poll(nullptr, 0, 200);  // until the last acknowledgement is through
    double before = spent();
    EXPECT_EQ(context.wait([] { return false; }, Deadline::after_seconds(1)), Status::timed_out);
    EXPECT_LT(spent() - before, 0.05);
    context.barrier();
    return 0;
  });
  for (int end : ends) EXPECT_TRUE(succeeded(end));
}

TEST_F(Network, NodesAreDescribed) {
  auto ends = run_nodes({"b", "a", "b"}, [](auto bootstrap, PeId pe) {
    auto seat = join_through(bootstrap);
    Context context(seat.job, seat.pe);
    EXPECT_EQ(seat.job->nodes(), 2u);
    EXPECT_EQ(seat.job->node(), pe == PeId(1) ? 1u : 0u);
    EXPECT_EQ(context.node().pes, pe == PeId(1) ? 1u : 2u);
    EXPECT_EQ(context.node().rank, pe == PeId(2) ? 1u : 0u);
    EXPECT_EQ(context.peer_pointer(PeId(1), HeapOffset(0)) == nullptr, pe != PeId(1));
    EXPECT_EQ(context.peer_pointer(PeId(2), HeapOffset(0)) == nullptr, pe == PeId(1));
    auto all = context.exchange(pe.value() * 10);
    EXPECT_THAT(all, ::testing::ElementsAre(0, 10, 20));
    context.barrier();
    return 0;
  });
  for (int end : ends) EXPECT_TRUE(succeeded(end));
}

}  // namespace
}  // namespace atl::runtime
