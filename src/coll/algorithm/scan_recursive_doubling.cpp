// SPDX-License-Identifier: Apache-2.0
// Inclusive and exclusive scan by recursive doubling (Hillis, Steele 1986): round k combines with the partial result of
// rank - 2^k.
#include "algorithms.hpp"

namespace atl::coll::detail {
namespace {

// Inclusive scan over ranks first … n-1 of what lies at `current`; the result goes to `out`.
void scan_from(ScheduleBuilder& steps, int first, Ref current, std::uint64_t bytes) {
  int n = steps.size() - first, rank = steps.rank() - first;
  bool in_place = steps.reads_in_place(bytes);
  Ref spare[2] = {out_at(0), out_at(0)};
  if (in_place) spare[0] = steps.scratch(bytes), spare[1] = steps.scratch(bytes);
  int turn = 0;
  for (int distance = 1; distance < n; distance *= 2) {
    if (rank + distance < n) steps.send(first + rank + distance, current, bytes);
    if (rank >= distance) {
      Ref into = spare[turn];
      turn ^= 1;
      steps.recv_fold(first + rank - distance, into, current, bytes, Side::left);
      steps.join();
      current = into;
    }
    steps.join();
  }
  steps.copy(out_at(0), current, bytes);
}

}  // namespace

void scan_recursive_doubling(ScheduleBuilder& steps, const Arguments& arguments) {
  scan_from(steps, 0, in_at(0), arguments.bytes);
}

// Shifts the vectors by one rank, then runs an inclusive scan over the other members.
void exscan_recursive_doubling(ScheduleBuilder& steps, const Arguments& arguments) {
  std::uint64_t bytes = arguments.bytes;
  int n = steps.size(), rank = steps.rank();
  Ref own = in_at(0);
  // `out` may be `in`, which the next rank may be reading.
  Ref shifted = steps.reads_in_place(bytes) && rank > 0 ? steps.scratch(bytes) : out_at(0);
  if (rank + 1 < n) steps.send(rank + 1, own, bytes);
  if (rank > 0) steps.recv(rank - 1, shifted, bytes);
  steps.join();
  if (rank == 0) steps.identity(out_at(0), bytes);
  else scan_from(steps, 1, shifted, bytes);
}

}  // namespace atl::coll::detail
