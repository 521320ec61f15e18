// SPDX-License-Identifier: Apache-2.0
#include "spares.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace atl::fabric::ofi {
namespace {

struct alignas(64) Buffer {
  std::byte bytes[64];
};

TEST(Spares, TheLastGivenBackIsTakenFirst) {
  std::vector<Buffer> buffers(3);
  Spares spares;
  EXPECT_EQ(spares.take(), nullptr);
  for (Buffer& one : buffers) spares.give_back(one.bytes);
  EXPECT_EQ(spares.take(), buffers[2].bytes);
  EXPECT_EQ(spares.take(), buffers[1].bytes);
  spares.give_back(buffers[2].bytes);
  EXPECT_EQ(spares.take(), buffers[2].bytes);
  EXPECT_EQ(spares.take(), buffers[0].bytes);
  EXPECT_EQ(spares.take(), nullptr);
}

// One takes and hands out, others give back: none is lost, none is with two.
TEST(Spares, ManyThreadsGiveBack) {
  constexpr std::size_t count = 16, threads = 3, rounds = 20'000;
  std::vector<Buffer> buffers(count);
  Spares spares;
  for (Buffer& one : buffers) spares.give_back(one.bytes);
  std::vector<std::mutex> mutexes(threads);
  std::vector<std::vector<std::byte*>> handed(threads);
  std::atomic<bool> stop{false};
  std::vector<std::thread> givers;
  for (std::size_t i = 0; i < threads; ++i)
    givers.emplace_back([&, i] {
      for (bool last = false; !last;) {
        last = stop;
        std::unique_lock lock(mutexes[i]);
        if (handed[i].empty()) {  // the one that hands out may want this core
          lock.unlock();
          std::this_thread::yield();
          continue;
        }
        for (std::byte* one : handed[i]) {
          EXPECT_EQ(one[32], std::byte{1});
          one[32] = std::byte{0};
          spares.give_back(one);
        }
        handed[i].clear();
      }
    });
  for (std::size_t i = 0; i < rounds; ++i) {
    std::byte* one = spares.take();
    if (one == nullptr) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(one[32], std::byte{0});
    one[32] = std::byte{1};
    std::lock_guard lock(mutexes[i % threads]);
    handed[i % threads].push_back(one);
  }
  stop = true;
  for (std::thread& one : givers) one.join();
  std::size_t left = 0;
  while (spares.take() != nullptr) ++left;
  EXPECT_EQ(left, count);
}

}  // namespace
}  // namespace atl::fabric::ofi
