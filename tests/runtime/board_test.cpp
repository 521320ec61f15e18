// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "atoll/runtime/context.hpp"
#include "run_pes.hpp"

namespace atl::runtime {
namespace {

class BoardOnPes : public testing::OnPes {};

TEST_P(BoardOnPes, ShowsAValueToEveryPeUntilItIsTakenDown) {
  run([](Context& context) {
    Board& board = context;
    board.show(7, 100 + context.pe().value());
    context.barrier();
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe) {
      EXPECT_EQ(board.shown(PeId(pe), 7), std::optional<std::uint64_t>(100 + pe));
      EXPECT_EQ(board.shown(PeId(pe), 8), std::nullopt);
    }
    context.barrier();
    board.take_down(7);
    context.barrier();
    for (std::uint32_t pe = 0; pe < context.npes(); ++pe) EXPECT_EQ(board.shown(PeId(pe), 7), std::nullopt);
  });
}

TEST_P(BoardOnPes, AFullBoardWaitsForAPlace) {
  ATOLL_NOT_SIMULATED();
  run([](Context& context) {
    Board& board = context;
    for (std::uint64_t key = 1; key <= Board::board_entries; ++key) board.show(key, key);
    std::atomic<bool> shown{false};
    std::thread late([&] {
      board.show(1000, 5);
      shown = true;
    });
    EXPECT_FALSE(shown);
    board.take_down(3);
    context.notify(context.pe());
    late.join();
    EXPECT_EQ(board.shown(context.pe(), 1000), std::optional<std::uint64_t>(5));
    EXPECT_EQ(board.shown(context.pe(), 3), std::nullopt);
    EXPECT_EQ(board.shown(context.pe(), 4), std::optional<std::uint64_t>(4));
  });
}

ATOLL_ON_PES(BoardOnPes);

}  // namespace
}  // namespace atl::runtime
