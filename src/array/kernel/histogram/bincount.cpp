// SPDX-License-Identifier: Apache-2.0
// numpy.bincount: the values are the bin numbers.
#include <algorithm>

#include "atoll/array/kernel/histogram.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/gather/bounds.hpp"
#include "kernel/histogram/count.hpp"

namespace atl::array {
namespace {

template <class T>
bool outside(T value, std::size_t bins) {
  if constexpr (std::is_signed_v<T>) {
    if (value < 0) return true;
  }
  return static_cast<std::uint64_t>(value) >= bins;
}

// The first value that is no bin number.
template <class T>
BadIndex check_values(const Work& work, const T* values, std::size_t n, std::size_t bins) {
  FirstBad bad(work.threads.size());
  Polling polling(work);
  polling.for_ranges(n, bin_grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
    Pace pace(polling, thread);
    for (std::size_t first = begin; first < end; first += bin_block) {
      std::size_t last = std::min(end, first + bin_block), i = first;
      pace.done(last - first);
      bool wrong = false;
      for (; i < last; ++i) wrong |= outside(values[i], bins);
      if (!wrong) continue;
      for (i = first; !outside(values[i], bins);) ++i;
      return bad.note(thread, i, static_cast<std::int64_t>(values[i]));
    }
  });
  return bad.first();
}

template <class Use>
BadIndex with_numbers(const Work& work, DType type, const void* values, std::size_t n, std::size_t bins, Use use) {
  ATOLL_EXPECT(!is_float(type));
  ATOLL_VALIDATE(bins < (std::size_t{1} << 32) - 1, ValueError,
                 "bincount would need {} bins; the largest value must be below 2**32 - 2", bins);
  return dispatch(type, [&]<class T>(Type<T>) -> BadIndex {
    if constexpr (std::is_floating_point_v<T>) {
      return {};
    } else {
      const auto* typed = static_cast<const T*>(values);
      if (BadIndex bad = check_values(work, typed, n, bins)) return bad;
      use([typed](std::size_t begin, std::size_t end, std::uint32_t* number) {
        for (std::size_t i = begin; i < end; ++i) number[i - begin] = static_cast<std::uint32_t>(typed[i]);
      });
      return {};
    }
  });
}

}  // namespace

BadIndex bincount(const Work& work, DType type, const void* values, std::size_t n, std::size_t bins,
                  std::int64_t* counts) {
  return with_numbers(work, type, values, n, bins, [&](auto locate) { count_bins(work, n, bins, counts, locate); });
}

BadIndex bincount(const Work& work, DType type, const void* values, std::size_t n, std::size_t bins,
                  const double* weights, double* sums) {
  return with_numbers(work, type, values, n, bins,
                      [&](auto locate) { add_bins(work, n, bins, weights, sums, locate); });
}

}  // namespace atl::array
