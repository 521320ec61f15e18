// SPDX-License-Identifier: Apache-2.0
#include "posted.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "device.hpp"

namespace atl::fabric::ofi {
namespace {

TEST(Posted, SaysHowManyBeforeOneAreStillToBeFilled) {
  std::vector<Operation> receives(3);
  Posted posted;
  for (Operation& one : receives) posted.add(&one);
  EXPECT_EQ(posted.remove(&receives[1]), 1u);
  EXPECT_EQ(posted.remove(&receives[2]), 1u);
  EXPECT_EQ(posted.size(), 1u);
  EXPECT_EQ(posted.remove(&receives[0]), 0u);
  EXPECT_EQ(posted.size(), 0u);
}

// As a list that is searched, over many laps of the ring.
TEST(Posted, KeepsTheOrderWhateverIsFilledFirst) {
  std::vector<Operation> receives(Posted::most);
  std::deque<Operation*> idle, expected;
  for (Operation& one : receives) idle.push_back(&one);
  Posted posted;
  std::mt19937 random(7);
  for (int round = 0; round < 10'000; ++round) {
    for (std::size_t more = random() % 5; more != 0 && !idle.empty(); --more) {
      posted.add(idle.front());
      expected.push_back(idle.front());
      idle.pop_front();
    }
    if (expected.empty()) continue;
    std::size_t place = random() % 3 == 0 ? random() % expected.size() : 0;
    Operation* filled = expected[place];
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(place));
    ASSERT_EQ(posted.remove(filled), place);
    ASSERT_EQ(posted.size(), expected.size());
    idle.push_back(filled);
  }
}

}  // namespace
}  // namespace atl::fabric::ofi
