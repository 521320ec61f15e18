// SPDX-License-Identifier: Apache-2.0
// Memory of guests, PEs that join a running job: it is given to others when all that use it have ended.
#include <gtest/gtest.h>

#include "atoll/fabric/job.hpp"

namespace atl::fabric {
namespace {

constexpr std::uint64_t MiB_ = std::uint64_t{1} << 20;

class Guests : public testing::TestWithParam<Kind> {
 protected:
  std::shared_ptr<Job> make() const {
    const JobOptions options{.npes = 2, .segment_bytes = 4 * MiB_, .guests = 3};
    return GetParam() == Kind::shm ? Job::create_shm(options) : Job::create_loop(options);
  }
};
INSTANTIATE_TEST_SUITE_P(, Guests, testing::Values(Kind::loop, Kind::shm),
                         [](const auto& info) { return info.param == Kind::shm ? "shm" : "loop"; });

TEST_P(Guests, MemoryOfACohortThatHasEndedIsZeroedAndGivenToOthers) {
  auto job = make();
  for (std::uint32_t turn = 0; turn < 10; ++turn) {
    const auto first = job->take_guests(2);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->value(), 2 + 2 * turn);
    EXPECT_EQ(job->guests_here(), 2u);
    EXPECT_FALSE(job->take_guests(2).has_value());
    for (const PeId pe : {*first, PeId(first->value() + 1)}) {
      EXPECT_EQ(*job->segment(pe), std::byte{0});
      EXPECT_EQ(job->ring(pe).tail.load(), 0u);
      *job->segment(pe) = std::byte{1};
      job->ring(pe).tail.store(7);
    }
    job->note_end(*first);
    EXPECT_EQ(job->guests_here(), 2u) << "the other one of the cohort may use its memory";
    job->note_end(PeId(first->value() + 1));
    EXPECT_EQ(job->guests_here(), 0u);
  }
}

TEST_P(Guests, MemoryIsKeptWhileItIsHeld) {
  auto job = make();
  const PeId first = job->take_guests(3).value();
  job->hold(first);
  for (std::uint32_t i = 0; i < 3; ++i) job->note_end(PeId(first.value() + i));
  EXPECT_FALSE(job->take_guests(3).has_value());
  EXPECT_TRUE(job->take_guests(2).has_value());
  job->let_go(first);
  EXPECT_TRUE(job->take_guests(1).has_value());
  EXPECT_FALSE(job->take_guests(1).has_value());
}

TEST(GuestMemory, IsFoundWhileTheGuestHasIt) {
  auto made = Job::create_shm({.npes = 1, .segment_bytes = 4 * MiB_, .guests = 1});
  auto other = Job::join_shm(made->join_name()), late = Job::join_shm(made->join_name());
  EXPECT_FALSE(other->find_guest(PeId(1))) << "no such guest yet";
  const PeId first = made->take_guests(1).value();
  EXPECT_EQ(other->segment(first), nullptr);
  ASSERT_TRUE(other->find_guest(first));
  *other->segment(first) = std::byte{5};
  EXPECT_EQ(*made->segment(first), std::byte{5});
  made->note_end(first);
  const PeId second = made->take_guests(1).value();
  EXPECT_FALSE(late->find_guest(first));
  EXPECT_EQ(late->segment(first), nullptr);
  EXPECT_TRUE(late->find_guest(second));
}

}  // namespace
}  // namespace atl::fabric
