// SPDX-License-Identifier: Apache-2.0
// Two endpoints that connect to each other at the same time.
#ifdef ATOLL_HAS_LIBFABRIC
#include "members.hpp"

namespace atl::fabric::ofi {
namespace {

// Two members that both connect; what PE 1 connects to passes through `between`, so that each step can be held up.
struct Crossing {
  Member zero{0}, one{1};
  Interceptor between{address_of(zero), unchanged};
  fi_addr_t to_one = introduce(zero, address_of(one)), to_zero = introduce(one, between.address());
  bool zero_sent = false, one_sent = false;

  // Enough for the kernel's events that are there.
  static constexpr int looks = 20;
  void step_zero(bool sends = true) {
    for (int i = 0; i < looks; ++i) {
      if (sends && !zero_sent) zero_sent = zero.send("from 0", to_one) == 0;
      zero.look();
    }
  }
  void step_one() {
    for (int i = 0; i < looks; ++i) {
      if (!one_sent) one_sent = one.send("from 1", to_zero) == 0;
      one.look();
    }
  }
  void step_between() {
    for (int i = 0; i < looks; ++i) between.look();
  }
  bool all_arrive() {
    for (Deadline deadline = test_deadline(); !deadline.passed();) {
      step_zero(), step_one(), step_between();
      if (!zero.messages.empty() && !one.messages.empty()) break;
    }
    return zero.messages == std::vector<std::string>{"from 1"} && one.messages == std::vector<std::string>{"from 0"};
  }
};

TEST_F(Members, CrossedConnectionsThatBothAnswerLoseNothing) {
  Crossing both;
  both.step_one();  // says hello
  both.step_between();
  both.step_zero(false);  // answers
  both.step_zero();  // says hello itself
  both.step_one();  // answers
  both.step_between();
  both.step_one();  // proves itself
  both.step_zero();  // proves itself, and sees the other's proof only now
  EXPECT_TRUE(both.all_arrive());
}

TEST_F(Members, CrossedConnectionsLoseNothingInAnyOrder) {
  constexpr std::uint64_t seed = 20261128;
  for (std::uint64_t round = 0; round < 60; ++round) {
    SequentialRandom random(seed + round);
    Crossing both;
    std::string order;
    for (int step = 0; step < 12; ++step) {
      std::uint64_t next = random.below(4);
      order += std::to_string(next);
      if (next == 0) both.step_zero();
      else if (next == 1) both.step_one();
      else if (next == 2) both.step_between();
      else both.step_zero(false);
    }
    EXPECT_TRUE(both.all_arrive()) << "order " << order;
  }
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
