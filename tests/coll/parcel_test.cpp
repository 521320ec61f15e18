// SPDX-License-Identifier: Apache-2.0
// What goes between nodes unasked, as long as its receiver has room for it.
#include <gtest/gtest.h>
#include <poll.h>

#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

// Every PE on a node of its own.
void run_apart(std::uint32_t npes, const atl::testing::Body& body) {
  atl::testing::RunOptions options;
  fabric::JobOptions job = atl::testing::detail::job_options(npes, options);
  for (std::uint32_t pe = 0; pe < npes; ++pe) job.node_of_pe.push_back(pe);
  atl::testing::detail::run_threads(atl::testing::link_jobs(job), body, options);
}

std::vector<std::byte> piece(std::size_t size, int from, int to, int round) {
  return testing::random_bytes(testing::stream(size + static_cast<std::size_t>(round), from * 100 + to), size);
}

// More members than one grants rooms to, sizes on both sides of what fits a room.
TEST(Parcels, OfManyMembersArriveWhole) {
  run_apart(20, [](runtime::Context& context) {
    Communicator all(context);
    const int n = all.size(), rank = all.rank();
    for (const char* forced : {"alltoall=pairwise", "alltoall=flat"}) {
      all.force_algorithms(forced);
      for (int round = 0; round < 3; ++round)
        for (std::size_t size : {std::size_t{1009}, std::size_t{65'536}, std::size_t{65'537}}) {
          std::vector<std::byte> in, out(size * static_cast<std::size_t>(n));
          for (int to = 0; to < n; ++to) {
            auto part = piece(size, rank, to, round);
            in.insert(in.end(), part.begin(), part.end());
          }
          all.alltoall(in.data(), size, out.data());
          for (int from = 0; from < n; ++from) {
            auto wanted = piece(size, from, rank, round);
            ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), out.data() + static_cast<std::size_t>(from) * size))
                << forced << ", " << size << " bytes from " << from;
          }
        }
    }
  });
}

// A receiver that comes late finds what its rooms hold, and then the rest.
TEST(Parcels, WaitForRoomsOfALateReceiver) {
  run_apart(3, [](runtime::Context& context) {
    Communicator all(context);
    all.force_algorithms("broadcast=flat");
    for (int turn = 0; turn < 2; ++turn) {
      all.barrier();
      if (all.rank() == 2) ::poll(nullptr, 0, 100);
      for (int round = 0; round < 20; ++round) {
        std::size_t size = round % 3 == 0 ? 40'000 : round % 3 == 1 ? 5'000 : 200'000;
        auto wanted = piece(size, 0, 0, round);
        std::vector<std::byte> block(size);
        if (all.rank() == 0) block = wanted;
        all.broadcast(block.data(), size, 0);
        ASSERT_EQ(block, wanted) << "round " << round;
      }
    }
  });
}

// Who sends more, or less, than another expects hears of it; nobody takes a parcel for what it is not.
TEST(Parcels, OfAnotherSizeAreRefused) {
  run_apart(2, [](runtime::Context& context) {
    Communicator all(context);
    all.set_timeout_seconds(1);
    std::vector<std::byte> block(100'000);
    for (int round = 0; round < 3; ++round) all.broadcast(block.data(), 3000, 0);
    std::string text;
    try {
      all.broadcast(block.data(), all.rank() == 0 ? 4000 : 5000, 0);
      all.barrier();
    } catch (const Error& error) {
      text = error.what();
    }
    if (all.rank() == 1) {
      EXPECT_NE(text.find("disagree about the arguments of broadcast"), std::string::npos) << text;
    }
  });
}

}  // namespace
}  // namespace atl::coll
