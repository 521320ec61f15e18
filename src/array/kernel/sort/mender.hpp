// SPDX-License-Identifier: Apache-2.0
// Puts rows whose words tie in order, by the bits of their keys that did not fit into the words.
#pragma once

#include <mutex>
#include <vector>

#include "atoll/array/kernel/partition.hpp"

namespace atl::array {

class Mender {
 public:
  Mender(Work work, const CompositeKey& key, Packing packing) : work_(work), key_(key), packing_(packing) {}

  /// `words`: one sorted bucket whose keys differ below `shift`, or a part of one that starts and ends between runs.
  /// Safe to call from several threads for different words. Afterwards only the row bits of a word mean something.
  void mend(std::uint64_t* words, std::size_t n, unsigned shift);
  /// Uses all threads for the long runs that mend() left; by then rows have been unpacked with `bias`.
  void finish(std::uint64_t bias);

 private:
  struct Run {  // rows that agree in all chunks before `chunk`, in row order
    std::uint64_t* rows;
    std::size_t n;
    unsigned chunk;
  };
  class Batch;
  void order(Run run, std::uint64_t bias);
  void order_few(Run run, std::uint64_t* values, std::uint64_t bias);
  void order_many(Run run, std::uint64_t bias, bool all_threads);

  Work work_;
  const CompositeKey& key_;
  Packing packing_;
  std::mutex mutex_;  // guards long_runs_
  std::vector<Run> long_runs_;
};

}  // namespace atl::array
