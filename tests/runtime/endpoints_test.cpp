// SPDX-License-Identifier: Apache-2.0
// Several endpoints of the network in one process: threads that use one each, and transfers divided among interfaces.
// One endpoint keeps all of this by itself; here it must hold between them.
#include <numeric>
#include <thread>

#include "atoll/fabric/network.hpp"
#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

using testing::Fabric;
using testing::run_pes;

constexpr std::size_t threads = 4;

// Sets a variable for the processes that are started while it lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) { ::setenv(name, value.c_str(), 1); }
  ~Setting() { ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

class Endpoints : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string why = testing::why_not(2, Fabric::ofi); !why.empty()) GTEST_SKIP() << why;
  }
};

template <class Work>
void on_threads(Work&& work) {
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i) all.emplace_back([&, i] { work(i); });
  for (auto& one : all) one.join();
}

TEST_F(Endpoints, ThreadsPutGetAndAddAtOnce) {
  Setting three("ATOLL_FABRIC_ENDPOINTS", "3");
  run_pes(2, Fabric::ofi, [](Context& context) {
    constexpr std::size_t rounds = 300, words = 3000;  // longer than a message as well as shorter
    HeapOffset sum = context.allocate_symmetric(8), area = context.allocate_symmetric(threads * words * 8);
    PeId other(1 - context.pe().value());
    context.barrier();
    on_threads([&](std::size_t me) {
      std::vector<std::uint64_t> out(words), in(words);
      HeapOffset mine(area.value() + me * words * 8);
      for (std::size_t i = 0; i < rounds; ++i) {
        std::size_t count = i % 10 == 0 ? words : 1 + i % 7;
        std::iota(out.begin(), out.end(), i * threads + me);
        context.put(other, mine, out.data(), count * 8);
        context.add<std::uint64_t>(other, sum, 1);
        if (i % 3 == 0) (void)context.fetch_add<std::uint64_t>(other, sum, 1);
        context.get(in.data(), other, mine, count * 8);
        EXPECT_TRUE(std::equal(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count), out.begin()))
            << "round " << i;
        if (i % 5 == 0) context.quiet();
      }
    });
    context.quiet();
    context.barrier();
    // Acquire: the sanitizer does not see that the other PE was told of the last of them before it came to the barrier.
    std::atomic_ref total(*context.local_pointer<std::uint64_t>(sum));
    EXPECT_EQ(total.load(std::memory_order_acquire), threads * (rounds + rounds / 3));
    context.barrier();
  });
}

// What all threads have put is in place before what one of them puts after a fence; and after a quiet.
TEST_F(Endpoints, AFenceAndAQuietSpeakForAllThreads) {
  Setting three("ATOLL_FABRIC_ENDPOINTS", "3");
  for (bool fence : {true, false})
    run_pes(2, Fabric::ofi, [fence](Context& context) {
      constexpr std::size_t rounds = 100, words = 40;
      HeapOffset flag = context.allocate_symmetric(8), area = context.allocate_symmetric(threads * words * 8);
      auto* own = context.local_pointer<std::uint64_t>(area);
      PeId other(1 - context.pe().value());
      context.barrier();
      for (std::uint64_t i = 1; i <= rounds; ++i) {
        if (context.pe() == PeId(0)) {
          on_threads([&](std::size_t me) {
            for (std::size_t k = 0; k < words; ++k) {
              HeapOffset at(area.value() + (me * words + k) * 8);
              if (k % 2 == 0) context.put_value(other, at, i);
              else context.set<std::uint64_t>(other, at, i);
            }
          });
          if (fence) context.fence();
          else context.quiet();
          context.put_value(other, flag, i);
        } else {
          context.wait_until<std::uint64_t>(flag, Compare::equal, i);
          for (std::size_t k = 0; k < threads * words; ++k) EXPECT_EQ(std::atomic_ref(own[k]).load(), i) << k;
        }
        context.barrier();
      }
    });
}

// Operations that other threads continue to start do not delay a quiet or a fence.
TEST_F(Endpoints, QuietCompletesWhileOtherThreadsKeepSending) {
  Setting one("ATOLL_FABRIC_ENDPOINTS", "1");
  run_pes(2, Fabric::ofi, [](Context& context) {
    constexpr std::size_t rounds = 3, bytes = 100'000, others = 8;
    HeapOffset words = context.allocate_symmetric(rounds * 8), area = context.allocate_symmetric(others * bytes);
    PeId other(1 - context.pe().value());
    context.barrier();
    if (context.pe() == PeId(0)) {
      std::atomic<bool> stop{false};
      std::vector<std::thread> restless;
      for (std::size_t i = 0; i < others; ++i)
        restless.emplace_back([&, i] {
          std::vector<std::byte> block(bytes);
          HeapOffset mine(area.value() + i * bytes);
          while (!stop.load(std::memory_order_relaxed)) {
            if (i == 0) context.put_value<std::uint64_t>(other, mine, i);
            else if (i == 1) context.get_nbi(block.data(), other, mine, 64);
            else if (i % 2 == 0) context.put_nbi(other, mine, block.data(), bytes);
            else context.get_nbi(block.data(), other, mine, bytes);
          }
          context.quiet();
        });
      for (std::uint64_t i = 0; i < rounds; ++i) {
        HeapOffset at(words.value() + i * 8);
        if (i % 3 == 2) {
          std::vector<std::byte> block(bytes);
          context.put_nbi(other, HeapOffset(area.value() + bytes), block.data(), bytes);
          context.fence();
        }
        context.put_value<std::uint64_t>(other, at, i + 1);
        context.quiet();
        EXPECT_EQ(context.get_value<std::uint64_t>(other, at), i + 1);
      }
      stop.store(true);
      for (auto& thread : restless) thread.join();
    }
    context.barrier();
  });
}

// A message never comes before what its thread has put.
TEST_F(Endpoints, AThreadsMessagesComeBehindItsPuts) {
  Setting three("ATOLL_FABRIC_ENDPOINTS", "3");
  run_pes(2, Fabric::ofi, [](Context& context) {
    constexpr std::uint64_t rounds = 50;
    HeapOffset area = context.allocate_symmetric(rounds * threads * 8);
    auto* own = context.local_pointer<std::uint64_t>(area);
    std::atomic<std::uint64_t> came{0};
    HandlerId handler = context.register_handler([&](Context&, PeId, std::span<const std::byte> payload) {
      std::uint64_t said[2];
      ASSERT_EQ(payload.size(), sizeof(said));
      std::memcpy(said, payload.data(), sizeof(said));
      EXPECT_EQ(std::atomic_ref(own[said[0]]).load(std::memory_order_acquire), said[1]);
      ++came;
    });
    context.barrier();
    if (context.pe() == PeId(0)) {
      for (std::uint64_t i = 0; i < rounds; ++i)
        on_threads([&](std::size_t me) {  // new threads each time: they begin on an endpoint of their own
          std::uint64_t place = i * threads + me, say[2] = {place, place + 1};
          context.put_value<std::uint64_t>(PeId(1), HeapOffset(area.value() + place * 8), place + 1);
          context.send(PeId(1), handler, std::as_bytes(std::span(say)));
        });
    } else {
      context.wait([&] { return came == threads * rounds; });
    }
    context.barrier();
  });
}

TEST_F(Endpoints, LongTransfersAreDividedAmongInterfacesAndStayInOrder) {
  std::string name = fabric::network_interfaces().back();
  for (const std::string& names : {name + "," + name, name + "," + name + "," + name}) {
    Setting several("ATOLL_FABRIC_INTERFACES", names);
    run_pes(2, Fabric::ofi, [](Context& context) {
      constexpr std::size_t most = std::size_t{3} << 20;
      HeapOffset area = context.allocate_symmetric(most), round = context.allocate_symmetric(8);
      auto* own = context.local_pointer<std::uint64_t>(area);
      std::vector<std::uint64_t> out(most / 8), in(most / 8);
      PeId other(1 - context.pe().value());
      context.barrier();
      std::uint64_t i = 0;
      for (std::size_t bytes :
           {std::size_t{600'000}, std::size_t{1} << 20, most - 8, std::size_t{524'288}, std::size_t{8}})
        for (bool waits : {true, false}) {
          ++i;
          std::size_t words = bytes / 8;
          std::iota(out.begin(), out.end(), i << 32 | context.pe().value());
          if (waits) context.put(other, area, out.data(), words * 8);
          else context.put_nbi(other, area, out.data(), words * 8);
          // An update comes behind them. So does a get of this thread.
          context.set<std::uint64_t>(other, round, i);
          context.wait_until<std::uint64_t>(round, Compare::equal, i);
          EXPECT_EQ(std::atomic_ref(own[words - 1]).load(), (i << 32 | other.value()) + words - 1) << bytes;
          EXPECT_EQ(std::atomic_ref(own[words / 2]).load(), (i << 32 | other.value()) + words / 2) << bytes;
          if (waits) context.get(in.data(), other, area, words * 8);
          else context.get_nbi(in.data(), other, area, words * 8), context.quiet();
          EXPECT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(words), in.begin())) << bytes;
          context.barrier();
        }
    });
  }
}

}  // namespace
}  // namespace atl::runtime
