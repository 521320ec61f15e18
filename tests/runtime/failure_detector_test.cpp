// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/failure_detector.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"
#include "atoll/runtime/context.hpp"
#include "atoll/runtime/deaths.hpp"

namespace atl::runtime {
namespace {

struct OnePe {
  std::shared_ptr<fabric::Job> job = fabric::Job::create_loop({.npes = 1, .segment_bytes = 16 << 20});
  Context context{job, PeId(0)};
  FailureDetector& failures = context;
};

TEST(FailureDetector, ThrowsWithoutAHandler) {
  OnePe pe;
  EXPECT_NO_THROW(pe.failures.check());
  EXPECT_FALSE(pe.failures.has_news());
  pe.job->mark_failed(PeId(0), 9, "was killed by signal 9 (Killed)");
  EXPECT_TRUE(pe.failures.has_news());
  EXPECT_THROW(pe.failures.check(), PeFailedError);
}

TEST(FailureDetector, CallsTheHandlerOncePerNews) {
  OnePe pe;
  int calls = 0;
  pe.failures.answer_news([&] { ++calls; });
  pe.failures.check();
  EXPECT_EQ(calls, 0);
  pe.failures.note_news();
  EXPECT_TRUE(pe.failures.has_news());
  pe.failures.check();
  EXPECT_EQ(calls, 1);
  pe.failures.note_news();
  pe.failures.check();
  EXPECT_EQ(calls, 2);
  pe.failures.answer_news(nullptr);
}

TEST(FailureDetector, AHandlerThatThrowsIsCalledAgain) {
  OnePe pe;
  int calls = 0;
  pe.failures.answer_news([&] {
    if (++calls == 1) throw std::runtime_error("first");
  });
  pe.failures.note_news();
  EXPECT_THROW(pe.failures.check(), std::runtime_error);
  pe.failures.check();
  EXPECT_EQ(calls, 2);
  pe.failures.answer_news(nullptr);
}

TEST(FailureDetector, CallsNoHandlerFromWithinIt) {
  OnePe pe;
  int calls = 0;
  pe.failures.answer_news([&] {
    ++calls;
    pe.failures.note_news();
    pe.failures.check();
  });
  pe.failures.note_news();
  pe.failures.check();
  EXPECT_EQ(calls, 1);
  pe.failures.answer_news(nullptr);
}

}  // namespace
}  // namespace atl::runtime
