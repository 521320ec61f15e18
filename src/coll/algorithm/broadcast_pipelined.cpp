// SPDX-License-Identifier: Apache-2.0
// A chain: each member forwards a piece while it receives the next one. Cost: (n - 2 + m / s) (L + o + G s) with pieces
// of s bytes, for vectors that are long beside n pieces.
#include <algorithm>

#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 10;

}  // namespace

void broadcast_pipelined(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), shifted = (steps.rank() - arguments.root + n) % n;
  const int before = (steps.rank() - 1 + n) % n, after = (steps.rank() + 1) % n;
  const std::uint64_t pieces = (arguments.bytes + piece_bytes - 1) / piece_bytes;
  auto length = [&](std::uint64_t piece) { return std::min(piece_bytes, arguments.bytes - piece * piece_bytes); };
  for (std::uint64_t turn = 0; turn <= pieces; ++turn) {
    const bool passes = turn > 0 && shifted + 1 < n;
    if (passes) steps.send(after, out_at((turn - 1) * piece_bytes), length(turn - 1));
    if (turn < pieces && shifted != 0) steps.recv(before, out_at(turn * piece_bytes), length(turn));
    steps.join();
  }
}

}  // namespace atl::coll::detail
