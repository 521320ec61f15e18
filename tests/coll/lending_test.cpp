// SPDX-License-Identifier: Apache-2.0
// Lent copies: the sender continues and reuses its memory long before the other members have read.
#include <gtest/gtest.h>

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/parts.hpp"
#include "atoll/runtime/progress.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

class Lending : public atl::testing::OnPes {};

TEST_P(Lending, TheRootIsAheadOfAll) {
  run([](runtime::Context& context) {
    Communicator all(context);
    const bool root = all.rank() == 0;
    // In the heap and not; of one piece, and in pieces, for which it waits when all chunks are lent.
    for (std::size_t count : {128u, 1000u, 8192u, 20000u}) {
      std::vector<std::uint64_t> data(count);
      testing::Bytes in_heap(context, count * 8, true);
      for (std::uint64_t call = 0; call < 24; ++call) {
        std::uint64_t* at = call % 3 == 0 ? in_heap.as<std::uint64_t>() : data.data();
        if (root) std::fill_n(at, count, call + count);
        // Others come when the root has gone on.
        if (!root && call % 12 == 0 && runtime::Parts(context).one_sided.npes() <= 3)
          (void)runtime::Parts(context).progress.wait([] { return false; }, Deadline::after_seconds(2e-3));
        all.broadcast(at, count * 8, 0);
        ASSERT_EQ(at[0], call + count);
        ASSERT_EQ(at[count - 1], call + count);
      }
      // Something else follows what was lent.
      ASSERT_EQ(all.allreduce_sum<std::uint64_t>(count), count * static_cast<std::uint64_t>(all.size()));
    }
  });
}

TEST_P(Lending, ManyGroupsShareTheChunks) {
  run([](runtime::Context& context) {
    Communicator all(context);
    const auto n = static_cast<std::size_t>(all.size());
    for (std::size_t bytes : {2000u, 40000u, 100000u}) {
      std::vector<std::byte> out(bytes * n), in(bytes * n);
      for (int round = 0; round < 4; ++round) {
        for (std::size_t to = 0; to < n; ++to)
          std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(to * bytes), bytes,
                      static_cast<std::byte>(16 * all.rank() + static_cast<int>(to) + round));
        all.alltoall(out.data(), bytes, in.data());
        std::fill(out.begin(), out.end(), std::byte{0xFF});
        for (std::size_t from = 0; from < n; ++from) {
          const auto wanted = static_cast<std::byte>(16 * static_cast<int>(from) + all.rank() + round);
          ASSERT_EQ(in[from * bytes], wanted);
          ASSERT_EQ(in[from * bytes + bytes - 1], wanted);
        }
      }
    }
  });
}

ATOLL_ON_PES(Lending);

}  // namespace
}  // namespace atl::coll
