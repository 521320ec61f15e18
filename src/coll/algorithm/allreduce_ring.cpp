// SPDX-License-Identifier: Apache-2.0
// Ring reduce-scatter, then ring allgather (Patarasuk, Yuan 2009): 2·(n-1)·α + 2.5·bytes·β. Part p starts at member
// p + 1 and ends at p. The operation need not commute: the partial result of the members above p travels beside that of
// the members from 0 on, which takes the additional half of the bytes. The order of evaluation is not the tree of the
// other algorithms, so sums of floats differ in their last bits: this algorithm runs only when it is named.
#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

void reduce_scatter_ring(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), rank = steps.rank();
  const auto parts = static_cast<std::uint64_t>(n);
  auto at = [&](int part) {
    return part_begin(arguments.bytes, arguments.element_bytes, parts, static_cast<std::uint64_t>(part));
  };
  auto length = [&](int part) { return at(part + 1) - at(part); };
  auto both = [&](int part) { return (part == n - 1 ? 1 : 2) * length(part); };  // no part follows the last one
  const std::uint64_t most = 2 * (at(n) / parts + arguments.element_bytes);
  const Ref space[2] = {steps.scratch(most), steps.scratch(most)};  // in turns: one is sent, the other filled
  for (int round = 0; round < n - 1; ++round) {
    const int give = (rank - 1 - round + 2 * n) % n, take = (give - 1 + n) % n;
    const Ref out = space[round % 2], in = space[(round + 1) % 2];
    // Forwards the partial results of the last round: of the members above the part, and of those from 0 on.
    if (round == 0) steps.send((rank + 1) % n, in_at(at(give)), length(give));
    else if (rank > give) steps.send((rank + 1) % n, out_at(at(give)), length(give));
    else steps.send((rank + 1) % n, out, both(give));
    const int before = (rank - 1 + n) % n;
    if (rank > take) {
      steps.recv_fold(before, out_at(at(take)), in_at(at(take)), length(take), Side::left);
      steps.join();
    } else if (rank == 0) {
      steps.recv(before, in + length(take), both(take) - length(take));
      steps.copy(in, in_at(at(take)), length(take));
      steps.join();
    } else {
      steps.recv(before, in, both(take));
      steps.join();
      steps.reduce(in, in, in_at(at(take)), length(take));
    }
    if (rank != take) continue;
    if (take == n - 1) steps.copy(out_at(at(take)), in, length(take));
    else steps.reduce(out_at(at(take)), in, in + length(take), length(take));
  }
}

}  // namespace

void allreduce_ring(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), rank = steps.rank();
  if (n == 1) return steps.copy(out_at(0), in_at(0), arguments.bytes);
  reduce_scatter_ring(steps, arguments);
  const auto parts = static_cast<std::uint64_t>(n);
  auto at = [&](int part) {
    return part_begin(arguments.bytes, arguments.element_bytes, parts, static_cast<std::uint64_t>(part));
  };
  for (int round = 0; round < n - 1; ++round) {
    const int give = (rank - round + n) % n, want = (give - 1 + n) % n;
    steps.send((rank + 1) % n, out_at(at(give)), at(give + 1) - at(give));
    steps.recv((rank - 1 + n) % n, out_at(at(want)), at(want + 1) - at(want));
    steps.join();
  }
}

}  // namespace atl::coll::detail
