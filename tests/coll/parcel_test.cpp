// SPDX-License-Identifier: Apache-2.0
// What goes between nodes unasked, as long as its receiver has room for it.
#include <gtest/gtest.h>
#include <poll.h>

#include <numeric>

#include "atoll/base/error.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/pe_memory.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

// PE by PE the node it is on.
void run_on(const std::vector<std::uint32_t>& nodes, const atl::testing::Body& body) {
  atl::testing::RunOptions options;
  fabric::JobOptions job = atl::testing::job_options(static_cast<std::uint32_t>(nodes.size()), options);
  job.node_of_pe = nodes;
  atl::testing::run_threads(atl::testing::link_jobs(job), body, options);
}

// Every PE on a node of its own.
void run_apart(std::uint32_t npes, const atl::testing::Body& body) {
  std::vector<std::uint32_t> nodes(npes);
  std::iota(nodes.begin(), nodes.end(), 0u);
  run_on(nodes, body);
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

// A member that sends more or less than another expects gets an error; no member misinterprets a parcel.
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
    } catch (const Error& error) { text = error.what(); }
    if (all.rank() == 1) {
      EXPECT_NE(text.find("disagree about the arguments of broadcast"), std::string::npos) << text;
    }
  });
}

// A symmetric output is written to at once: also that of a PE which has not called yet, and whatever the length.
void exchange_placed(runtime::Context& context) {
  constexpr std::size_t sizes[] = {8, 1009, 65'537, 262'144, 300'000};
  // First of all, so that it lies at the same offset everywhere. Two, of which one is in use while the other is
  // written.
  std::byte* outs[2];
  for (std::byte*& out : outs)
    out = static_cast<std::byte*>(runtime::Parts(context).memory.heap().allocate(3 * 300'000));
  Communicator all(context);
  const int n = all.size(), rank = all.rank();
  for (const char* forced : {"alltoall=pairwise", "alltoall=flat"}) {
    all.force_algorithms(forced);
    int round = 0;
    for (std::size_t size : sizes)
      for (bool blocking : {true, false}) {
        ++round;
        if (round % 5 == 0 && rank == round % 3) ::poll(nullptr, 0, 20);
        std::vector<std::byte> in;
        for (int to = 0; to < n; ++to) {
          auto part = piece(size, rank, to, round);
          in.insert(in.end(), part.begin(), part.end());
        }
        std::byte* out = outs[round % 2];
        std::vector<std::byte> own;  // once in a while
        if (round % 4 == 0) own.resize(size * static_cast<std::size_t>(n)), out = own.data();
        if (blocking) all.alltoall(in.data(), size, out, Destination::symmetric);
        else all.ialltoall(in.data(), size, out, Destination::symmetric).wait();
        for (int from = 0; from < n; ++from) {
          auto wanted = piece(size, from, rank, round);
          ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), out + static_cast<std::size_t>(from) * size))
              << forced << ", " << size << " bytes from " << from;
        }
        all.barrier();  // the other is ready
      }
  }
}

TEST(Placed, BlocksOfAlltoallArriveWhole) {
  for (const std::vector<std::uint32_t>& nodes : {std::vector<std::uint32_t>{0, 1, 2}, {0, 0, 1}, {0, 0, 0}})
    run_on(nodes, exchange_placed);
}

// One whose output is private, or its blocks longer, where the others' are not.
void disagree(runtime::Context& context, bool about_size) {
  auto* out = static_cast<std::byte*>(runtime::Parts(context).memory.heap().allocate(2 * 6000));
  Communicator all(context);
  all.set_timeout_seconds(1);
  std::vector<std::byte> in(2 * 6000), own(2 * 6000);
  bool odd = all.rank() == 1;
  std::string text;
  try {
    all.alltoall(in.data(), about_size && odd ? 6000 : 5000, odd && !about_size ? own.data() : out,
                 Destination::symmetric);
  } catch (const Error& error) { text = error.what(); }
  EXPECT_NE(text.find("disagree about the arguments of alltoall"), std::string::npos) << text;
}

TEST(Placed, DisagreementIsNamed) {
  for (bool about_size : {true, false})
    for (std::uint32_t node : {0u, 1u})
      run_on({0, node}, [about_size](runtime::Context& context) { disagree(context, about_size); });
}

}  // namespace
}  // namespace atl::coll
