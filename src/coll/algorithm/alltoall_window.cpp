// SPDX-License-Identifier: Apache-2.0
// Each member exchanges with `window` partners at a time, as in MPICH's batches: (n-1)·(α + bytes·β), with at most
// `window` messages of a member under way in each direction. A compromise between pairwise (one at a time) and flat
// (all at once, which overruns receivers with few buffers).
#include <algorithm>

#include "algorithms.hpp"

namespace atl::coll::detail {

template <int window>
void alltoall_window(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), rank = steps.rank();
  const std::uint64_t bytes = arguments.bytes;
  auto at = [&](int member) { return bytes * static_cast<std::uint64_t>(member); };
  steps.copy(out_at(at(rank)), in_at(at(rank)), bytes);
  for (int first = 1; first < n; first += window) {
    const int last = std::min(first + window, n);
    for (int i = first; i < last; ++i)
      steps.send_to(out_at(at(rank)), (rank + i) % n, in_at(at((rank + i) % n)), bytes);
    for (int i = first; i < last; ++i) steps.recv_at((rank - i + n) % n, out_at(at((rank - i + n) % n)), bytes);
    steps.join();
  }
}

template <int window>
void alltoallv_window(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), rank = steps.rank();
  auto in = [&](int member) -> const ConstBlock& { return arguments.in_blocks[static_cast<std::size_t>(member)]; };
  auto out = [&](int member) -> const Block& { return arguments.out_blocks[static_cast<std::size_t>(member)]; };
  steps.copy(address_of(out(rank).data), address_of(in(rank).data), in(rank).bytes);
  for (int first = 1; first < n; first += window) {
    const int last = std::min(first + window, n);
    for (int i = first; i < last; ++i) {
      const int to = (rank + i) % n;
      steps.send(to, address_of(in(to).data), in(to).bytes);
    }
    for (int i = first; i < last; ++i) {
      const int from = (rank - i + n) % n;
      steps.recv(from, address_of(out(from).data), out(from).bytes);
    }
    steps.join();
  }
}

template void alltoall_window<2>(ScheduleBuilder&, const Arguments&);
template void alltoall_window<8>(ScheduleBuilder&, const Arguments&);
template void alltoall_window<32>(ScheduleBuilder&, const Arguments&);
template void alltoallv_window<2>(ScheduleBuilder&, const Arguments&);
template void alltoallv_window<8>(ScheduleBuilder&, const Arguments&);
template void alltoallv_window<32>(ScheduleBuilder&, const Arguments&);

}  // namespace atl::coll::detail
