// SPDX-License-Identifier: Apache-2.0
// What happens when PEs disagree, stay away or die, and when input is wrong.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atoll/base/error.hpp"
#include "atoll/runtime/context.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using atl::testing::Fabric;
using atl::testing::run_pes;
using testing::message_of;

class Failure : public ::testing::TestWithParam<Fabric> {
 protected:
  void SetUp() override {
    if (std::string why = atl::testing::why_not(3, GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(Failure, DifferentCollectivesAreNamed) {
  run_pes(2, GetParam(), [](runtime::Context& context) {
    Communicator all(context);
    all.set_timeout_seconds(5);
    all.barrier();
    std::string text = message_of([&] {
      double value = 1;
      if (all.rank() == 0) all.barrier();
      else all.allreduce_sum(value);
    });
    EXPECT_NE(text.find(all.rank() == 0 ? "PE 1 called allreduce where PE 0 called barrier"
                                        : "PE 0 called barrier where PE 1 called allreduce"),
              std::string::npos)
        << text;
    // Stays so: nothing is right any more.
    EXPECT_THROW(all.barrier(), Error);
  });
}

TEST_P(Failure, DifferentArgumentsAreNamed) {
  run_pes(2, GetParam(), [](runtime::Context& context) {
    for (int what = 0; what < 4; ++what) {
      Communicator all(context);
      all.set_timeout_seconds(5);
      std::vector<std::int32_t> in(5000), out(5000);
      bool odd = all.rank() == 1;
      std::string text = message_of([&] {
        if (what == 0) all.allreduce(in.data(), out.data(), odd ? 4 : 5, Reduction(Type::i32, Op::sum));
        if (what == 1) all.allreduce(in.data(), out.data(), 4, Reduction(Type::i32, odd ? Op::sum : Op::max));
        if (what == 2) all.allreduce(in.data(), out.data(), odd ? 4000 : 5000, Reduction(Type::i32, Op::sum));
        if (what == 3) all.allgather(in.data(), odd ? 8 : 16, out.data());
      });
      EXPECT_NE(text.find("disagree about the arguments of"), std::string::npos) << what << ": " << text;
      context.barrier();
    }
  });
}

// PE 0 is the root. The protocol depends on the size, and between nodes on rooms granted before. A PE that detects the
// mismatch by an arriving message waits without a limit; a PE that only lacks a message detects it after its timeout; a
// root that has sent all its data completes.
TEST_P(Failure, DifferentSizesOfABroadcastAreNamed) {
  run_pes(2, GetParam(), [fabric = GetParam()](runtime::Context& context) {
    constexpr std::size_t cells = 100, parcel = 40'000, longer_parcel = 50'000, written = 100'000, read = 1 << 20;
    enum Told { root, other, none };
    struct Case {
      std::size_t by_root, by_other;
      Told at_first, granted;  // between nodes; inside one the other always is
    };
    std::vector<std::byte> data(read + 8);
    for (bool granted : {false, true})
      for (const Case& one :
           {Case{cells, parcel, other, other}, Case{parcel, longer_parcel, root, other},
            Case{longer_parcel, parcel, root, other}, Case{parcel, cells, none, other},
            Case{written, parcel, root, none}, Case{parcel, written, root, other},
            Case{written, written + 8, root, root}, Case{read, read + 8, root, root}, Case{read, cells, none, none}}) {
        bool near = fabric == Fabric::loop || fabric == Fabric::shm;
        Told told = near ? other : granted ? one.granted : one.at_first;
        Communicator all(context);
        if (granted) all.broadcast(data.data(), parcel, 0);
        bool am_told = told == (all.rank() == 0 ? root : other);
        all.set_timeout_seconds(am_told ? 0 : 0.05);
        std::string text = message_of([&] {
          Request request = all.ibroadcast(data.data(), all.rank() == 0 ? one.by_root : one.by_other, 0);
          context.barrier();  // both have called it
          request.wait();
        });
        bool named = text.find("disagree about the arguments of broadcast") != std::string::npos;
        bool done = all.rank() == 0 && told == other && text.empty();
        EXPECT_TRUE(named || done) << one.by_root << " and " << one.by_other << " bytes, granted " << granted << ": "
                                   << text;
        context.barrier();
      }
  });
}

TEST_P(Failure, NamesAnAbsentMember) {
  run_pes(3, GetParam(), [fabric = GetParam()](runtime::Context& context) {
    Communicator all(context);
    all.set_timeout_seconds(0.2);
    all.barrier();
    if (all.rank() != 1) {
      std::string text = message_of([&] { all.barrier(); });
      const char* absent =
          fabric == Fabric::ofi ? "PE 1 on node1 did not arrive within 0.2 s" : "PE 1 did not arrive within 0.2 s";
      EXPECT_NE(text.find(absent), std::string::npos) << text;
      EXPECT_EQ(text.find("PE 0"), std::string::npos) << text;
      EXPECT_EQ(text.find("PE 2"), std::string::npos) << text;
      EXPECT_THROW(all.barrier(), TimeoutError);  // once more, and as the same
    }
    context.barrier();
  });
}

TEST_P(Failure, WrongArgumentsAreRefused) {
  run_pes(2, GetParam(), [](runtime::Context& context) {
    Communicator all(context);
    int value = 0;
    EXPECT_THROW(all.broadcast(&value, 4, 2), ValueError);
    EXPECT_THROW(all.broadcast(&value, 4, -1), ValueError);
    EXPECT_THROW(all.alltoallv({}, {}), ValueError);
    EXPECT_THROW(all.alltoall(std::vector<int>{1}), ValueError);
    EXPECT_THROW(all.pe(2), IndexError);
    EXPECT_THROW(all.set_timeout_seconds(-1), ValueError);
    EXPECT_NE(message_of([&] { all.force_algorithms("allreduce=magic"); }).find("allreduce=recursive_doubling"),
              std::string::npos);
    EXPECT_EQ(all.allreduce_sum(1), 2);
  });
}

// What is read of a dead member fails in the middle of an operation, wherever that is advanced.
TEST_P(Failure, ADeadMemberIsTheReasonOfLaterCallsToo) {
  run_pes(2, GetParam(), [](runtime::Context& context) {
    for (bool blocking : {false, true}) {
      Communicator all(context);
      all.barrier();
      context.job().survive(fabric::Survival::goes_on);
      auto fail = [](void*, const void*, const void*, std::size_t, void*) { throw PeFailedError("PE 1 has died"); };
      const Reduction reduction(Functor{.element_bytes = sizeof(int), .combine = fail});
      const int in = 1;
      int out = 0;
      if (all.rank() == 1) {
        Request request = all.ireduce(&in, &out, 1, reduction, 0);
        context.barrier();
        all.fail(std::make_exception_ptr(Error("over")));
      } else {
        if (blocking) EXPECT_THROW(all.reduce(&in, &out, 1, reduction, 0), PeFailedError);
        else EXPECT_THROW(all.ireduce(&in, &out, 1, reduction, 0).wait(), PeFailedError);
        EXPECT_THROW(all.barrier(), PeFailedError);
        context.barrier();
      }
      context.barrier();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Fabrics, Failure, ::testing::Values(Fabric::loop, Fabric::shm, Fabric::nodes, Fabric::ofi),
                         [](auto& info) { return atl::testing::name_of(info.param); });

enum class Death { between_calls, having_offered };

// Every survivor runs collectives until it is notified of the death. True: by the right exception.
bool survive(runtime::Context& context, Death death) {
  Communicator all(context);
  std::vector<double> in(20000, 1), out(20000);
  try {
    for (int round = 0; round < 20; ++round) all.barrier();
    if (context.pe() == PeId(1)) {
      // What it has said where its private memory lies, others shall find gone.
      Request offered;
      if (death == Death::having_offered) offered = all.ibroadcast(in.data(), in.size() * sizeof(double), 1);
      ::kill(::getpid(), SIGKILL);
    }
    if (death == Death::having_offered) {
      ::usleep(50'000);
      all.broadcast(in.data(), in.size() * sizeof(double), 1);
      return false;
    }
    for (;;) {
      all.barrier();
      all.allreduce(in.data(), out.data(), in.size(), Reduction(Type::f64, Op::sum));
    }
  } catch (const PeFailedError& error) {
    return std::string(error.what()).find("PE 1") != std::string::npos;
  } catch (const Error&) { return false; }
}

void end_one(Death death) {
  for (std::uint32_t npes : {2u, 3u, 5u}) {
    auto job = fabric::Job::create_shm({.npes = npes, .segment_bytes = 64 << 20, .threads_per_pe = 1});
    std::vector<pid_t> pids;
    for (std::uint32_t pe = 0; pe < npes; ++pe) {
      pid_t pid = ::fork();
      ASSERT_GE(pid, 0);
      if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        bool told = false;
        try {
          runtime::Context context(job, PeId(pe), {.threads = 1});
          told = survive(context, death);
        } catch (const std::exception& error) { std::fprintf(stderr, "PE %u: %s\n", pe, error.what()); }
        std::_Exit(told ? 0 : 1);
      }
      pids.push_back(pid);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pids[1], &status, 0), pids[1]);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    job->mark_failed(PeId(1), status, "was killed by signal 9 (Killed)");
    for (std::uint32_t pe = 0; pe < npes; ++pe) {
      if (pe == 1) continue;
      ASSERT_EQ(::waitpid(pids[pe], &status, 0), pids[pe]);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "PE " << pe << " was not told";
    }
  }
}

TEST(PeDeath, EndsCollectivesOfTheOthers) { end_one(Death::between_calls); }

TEST(PeDeath, EndsCollectivesThatWouldReadItsMemory) { end_one(Death::having_offered); }

}  // namespace
}  // namespace atl::coll
