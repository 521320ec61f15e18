// SPDX-License-Identifier: Apache-2.0
// For members that share cores, where each round costs context switches. Short vectors are sent from all to all, and
// each member evaluates the tree. Of longer vectors each member reduces one part and sends the result to all.
#include "algorithms.hpp"

namespace atl::coll::detail {

void allreduce_flat(ScheduleBuilder& steps, const Arguments& arguments) {
  const int n = steps.size(), rank = steps.rank();
  const bool whole = arguments.bytes <= longest_small_message;
  auto begin = [&](int member) {
    return whole ? 0
                 : part_begin(arguments.bytes, arguments.element_bytes, static_cast<std::uint64_t>(n),
                              static_cast<std::uint64_t>(member));
  };
  auto bytes_of = [&](int member) { return whole ? arguments.bytes : begin(member + 1) - begin(member); };
  const std::uint64_t own = bytes_of(rank);
  const Ref all = steps.scratch(own * static_cast<std::uint64_t>(n));
  auto vector_of = [&](int member) { return all + own * static_cast<std::uint64_t>(member); };
  auto each_other = [&](auto&& visit) {
    for (int i = 1; i < n; ++i) visit((rank + i) % n);
  };
  each_other([&](int member) { steps.send(member, in_at(begin(member)), bytes_of(member)); });
  steps.copy(vector_of(rank), in_at(begin(rank)), own);
  each_other([&](int member) { steps.recv(member, vector_of(member), own); });
  steps.join();
  const Ref result = evaluate_tree(steps, all, own);
  if (!whole) each_other([&](int member) { steps.send(member, result, own); });
  steps.copy(out_at(begin(rank)), result, own);
  if (!whole) each_other([&](int member) { steps.recv(member, out_at(begin(member)), bytes_of(member)); });
  steps.join();
}

}  // namespace atl::coll::detail
