// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/window/places.hpp"
#include "atoll/array/kernel/polling.hpp"

namespace atl::table {

GroupPlaces::GroupPlaces(array::Work work, const std::int64_t* of, std::size_t rows, std::size_t groups)
    : of_(of), rows_(rows), groups_(groups), counts_(work.threads.size()) {
  array::Polling polling(work);
  polling.for_ranges(rows_, piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::vector<std::int64_t> counts(groups_);
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 65536 == 0) polling.poll(thread);
      ++counts[static_cast<std::size_t>(of_[i])];
    }
    counts_[thread] = std::move(counts);
  });
}

std::vector<std::int64_t> GroupPlaces::counts() const {
  std::vector<std::int64_t> all(groups_);
  for (const auto& counts : counts_)
    for (std::size_t group = 0; group < counts.size(); ++group) all[group] += counts[group];
  return all;
}

void GroupPlaces::write(array::Work work, std::vector<std::int64_t> first, std::int64_t* places) {
  // Threads take the same rows as before: each table becomes where its thread's next row goes.
  for (auto& counts : counts_)
    for (std::size_t group = 0; group < counts.size(); ++group) {
      const std::int64_t count = counts[group];
      counts[group] = first[group];
      first[group] += count;
    }
  array::Polling(work).for_pieces(rows_, piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    std::int64_t* next = counts_[thread].data();
    for (std::size_t i = begin; i < end; ++i) places[i] = next[of_[i]]++;
  });
}

}  // namespace atl::table
