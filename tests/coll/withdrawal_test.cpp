// SPDX-License-Identifier: Apache-2.0
// Long data in memory that a member has offered, or has asked others to write to: the caller owns it again when the
// member gives up. Also members without a chunk for them, or that arrive before the others.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "atoll/base/clock.hpp"
#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using atl::testing::Fabric;
using atl::testing::run_pes;
using testing::message_of;

class Withdrawal : public ::testing::TestWithParam<Fabric> {
 protected:
  void SetUp() override {
    if (std::string why = atl::testing::why_not(2, GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  ~Withdrawal() override { ::unsetenv("ATOLL_KERNEL_COPY"); }
};

constexpr std::size_t long_bytes = 300'000;
constexpr useconds_t long_time_us = 800'000;
constexpr double short_seconds = 0.1;

// The root gives up before the other has come; what is in its memory then is not taken for what it had offered.
TEST_P(Withdrawal, OfferedMemoryIsNotReadAfterwards) {
  for (bool in_heap : {false, true})
    run_pes(2, GetParam(), [in_heap](runtime::Context& context) {
      Communicator all(context);
      all.barrier();
      const testing::Bytes data(context, long_bytes, in_heap);
      if (all.rank() == 0) {
        all.set_timeout_seconds(short_seconds);
        EXPECT_THROW(all.broadcast(data.data(), long_bytes, 0), TimeoutError);
        std::fill_n(data.data(), long_bytes, std::byte{99});
      } else {
        ::usleep(long_time_us);
        const std::string text = message_of([&] { all.broadcast(data.data(), long_bytes, 0); });
        EXPECT_NE(text.find("PE 0 has given up this collective"), std::string::npos) << in_heap << ": " << text;
      }
      context.barrier();
    });
}

// A member that tests and never waits is notified, too.
TEST_P(Withdrawal, NotifiesAMemberThatOnlyTests) {
  run_pes(2, GetParam(), [](runtime::Context& context) {
    Communicator all(context);
    all.barrier();
    const testing::Bytes data(context, long_bytes, false);
    if (all.rank() == 0) {
      all.set_timeout_seconds(short_seconds);
      EXPECT_THROW(all.broadcast(data.data(), long_bytes, 0), TimeoutError);
    } else {
      ::usleep(long_time_us);
      Request request = all.ibroadcast(data.data(), long_bytes, 0);
      const std::string text = message_of([&] {
        while (!request.test()) ::sched_yield();
      });
      EXPECT_NE(text.find("PE 0 has given up this collective"), std::string::npos) << text;
    }
    context.barrier();
  });
}

// The receiver has said where it wants them, and gives up before the root has looked again.
TEST_P(Withdrawal, MemoryOfTheCallerIsNotWrittenAfterwards) {
  ::setenv("ATOLL_KERNEL_COPY", "off", 1);
  run_pes(2, GetParam(), [](runtime::Context& context) {
    Communicator all(context);
    all.barrier();
    const testing::Bytes data(context, long_bytes, all.rank() == 1);
    std::fill_n(data.data(), long_bytes, std::byte{7});
    if (all.rank() == 0) {
      Request request = all.ibroadcast(data.data(), long_bytes, 0);
      ::usleep(long_time_us);
      const std::string text = message_of([&] { request.wait(); });
      EXPECT_NE(text.find("PE 1 has given up this collective"), std::string::npos) << text;
      context.barrier();
    } else {
      all.set_timeout_seconds(short_seconds);
      EXPECT_THROW(all.broadcast(data.data(), long_bytes, 0), TimeoutError);
      std::fill_n(data.data(), long_bytes, std::byte{55});
      context.barrier();
      EXPECT_EQ(std::count(data.data(), data.data() + long_bytes, std::byte{55}),
                static_cast<std::ptrdiff_t>(long_bytes));
    }
  });
}

// Processes need no chunks, as the kernel reads; of one process the root fails, of which the other hears.
TEST_P(Withdrawal, AFullHeapCausesNoHang) {
  run_pes(2, GetParam(), [fabric = GetParam()](runtime::Context& context) {
    constexpr std::size_t bytes = 20'000;
    Communicator all(context);
    all.barrier();
    std::vector<void*> taken;
    for (std::size_t size = std::size_t{16} << 20; size >= 65'536;) {
      try {
        taken.push_back(context.heap().allocate(size));
      } catch (const MemoryError&) { size /= 2; }
    }
    std::vector<std::byte> data(bytes);
    int calls = 0;
    const std::string text = message_of([&] {
      for (; calls < 40; ++calls) {
        std::fill(data.begin(), data.end(), std::byte(all.rank() == 0 ? calls : 99));
        all.broadcast(data.data(), bytes, 0);
        ASSERT_EQ(std::count(data.begin(), data.end(), std::byte(calls)), static_cast<std::ptrdiff_t>(bytes)) << calls;
      }
    });
    if (fabric == Fabric::shm) {
      EXPECT_EQ(calls, 40) << text;
    } else
      EXPECT_NE(text.find(all.rank() == 0 ? "cannot allocate" : "PE 0 has given up this collective"), std::string::npos)
          << text;
    context.barrier();
    for (void* memory : taken) context.heap().release(memory);
  });
}

// The root of a broadcast has sent what it had.
TEST_P(Withdrawal, TheFirstMemberDoesNotWait) {
  run_pes(2, GetParam(), [](runtime::Context& context) {
    constexpr std::size_t bytes = 16'384;
    Communicator all(context);
    all.barrier();
    std::vector<std::byte> data(bytes, std::byte{7});
    if (all.rank() == 1) ::usleep(long_time_us);
    const std::int64_t begun_ns = now_ns();
    all.broadcast(data.data(), bytes, 0);
    EXPECT_LT(now_ns() - begun_ns, std::int64_t{long_time_us} * 1000 / 2);
    EXPECT_EQ(data.back(), std::byte{7});
    context.barrier();
  });
}

// Of another node, which cannot be asked whether it has given up before each put.
TEST(FarWithdrawal, MemoryOfAnEndedCollectiveIsNotWrittenTo) {
  run_pes(2, Fabric::nodes, [](runtime::Context& context) {
    constexpr std::size_t bytes = 200'000;
    constexpr int looks = 100;
    Communicator all(context);
    all.barrier();
    context.job().survive(fabric::Survival::goes_on);
    const testing::Bytes data(context, bytes, all.rank() == 1);
    std::fill_n(data.data(), bytes, std::byte{7});
    auto begin_and_end = [&] {
      Request request = all.ibroadcast(data.data(), bytes, 0);
      for (int look = 0; look < looks; ++look) EXPECT_FALSE(request.test());
      all.fail(std::make_exception_ptr(Error("revoked")));
      EXPECT_EQ(message_of([&] { request.wait(); }), "revoked");
      std::fill_n(data.data(), bytes, std::byte{55});
    };
    if (all.rank() == 1) begin_and_end();
    context.barrier();
    if (all.rank() == 0) begin_and_end();
    context.barrier();
    EXPECT_EQ(std::count(data.data(), data.data() + bytes, std::byte{55}), static_cast<std::ptrdiff_t>(bytes));
  });
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Withdrawal, ::testing::Values(Fabric::loop, Fabric::shm),
                         [](auto& info) { return atl::testing::name_of(info.param); });

}  // namespace
}  // namespace atl::coll
