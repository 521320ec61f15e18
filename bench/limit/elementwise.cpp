// SPDX-License-Identifier: Apache-2.0
// The hand-written loops: one pass, full vectors, streaming stores, a prefetch where it was measured to help.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "limit/elementwise.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "limit/elementwise.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::limit::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<double>;
using I = hn::ScalableTag<std::int64_t>;

constexpr std::size_t ahead = 512;  // elements: 4 KiB

// Of one stream that is only read, into the second-level cache. Six streams are faster without.
HWY_INLINE HWY_ATTR void fetch(const void* at) { __builtin_prefetch(static_cast<const char*>(at) + 3072, 0, 2); }

}  // namespace

HWY_ATTR void triad_range(const double* a, const double* b, double scale, double* out, std::size_t begin,
                          std::size_t end) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  const auto s = hn::Set(d, scale);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    __builtin_prefetch(a + i + ahead);
    __builtin_prefetch(b + i + ahead);
    hn::Stream(hn::Add(hn::LoadU(d, a + i), hn::Mul(s, hn::LoadU(d, b + i))), d, out + i);
  }
  for (; i < end; ++i) out[i] = a[i] + scale * b[i];
  hwy::FlushStream();
}

HWY_ATTR void expression_range(const double* const* x, double* out, std::size_t begin, std::size_t end) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto ab = hn::Mul(hn::LoadU(d, x[0] + i), hn::LoadU(d, x[1] + i));
    const auto cd = hn::Mul(hn::LoadU(d, x[2] + i), hn::LoadU(d, x[3] + i));
    const auto top = hn::Sub(hn::Add(ab, cd), hn::LoadU(d, x[4] + i));
    hn::Stream(hn::Div(top, hn::LoadU(d, x[5] + i)), d, out + i);
  }
  for (; i < end; ++i) out[i] = (x[0][i] * x[1][i] + x[2][i] * x[3][i] - x[4][i]) / x[5][i];
  hwy::FlushStream();
}

HWY_ATTR double expression_sum_range(const double* const* x, std::size_t begin, std::size_t end) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto ab = hn::Mul(hn::LoadU(d, x[0] + i), hn::LoadU(d, x[1] + i));
    const auto cd = hn::Mul(hn::LoadU(d, x[2] + i), hn::LoadU(d, x[3] + i));
    const auto top = hn::Sub(hn::Add(ab, cd), hn::LoadU(d, x[4] + i));
    sum = hn::Add(sum, hn::Div(top, hn::LoadU(d, x[5] + i)));
  }
  double total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < end; ++i) total += (x[0][i] * x[1][i] + x[2][i] * x[3][i] - x[4][i]) / x[5][i];
  return total;
}

template <class Tag, class T>
HWY_ATTR T sum_loop(Tag d, const T* a, std::size_t begin, std::size_t end) {
  const std::size_t lanes = hn::Lanes(d);
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::size_t i = begin;
  for (; i + 4 * lanes <= end; i += 4 * lanes) {
    for (int k = 0; k < 4; ++k) fetch(a + i + static_cast<std::size_t>(k) * lanes);
    s0 = hn::Add(s0, hn::LoadU(d, a + i));
    s1 = hn::Add(s1, hn::LoadU(d, a + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(d, a + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(d, a + i + 3 * lanes));
  }
  T total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
  for (; i < end; ++i) total += a[i];
  return total;
}
HWY_ATTR double sum_range(const double* a, std::size_t begin, std::size_t end) { return sum_loop(D(), a, begin, end); }
HWY_ATTR std::int64_t sum_integers(const std::int64_t* a, std::size_t begin, std::size_t end) {
  return sum_loop(I(), a, begin, end);
}

HWY_ATTR double min_range(const double* a, std::size_t begin, std::size_t end) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  auto m0 = hn::Set(d, a[begin]), m1 = m0, m2 = m0, m3 = m0;
  std::size_t i = begin;
  for (; i + 4 * lanes <= end; i += 4 * lanes) {
    for (int k = 0; k < 4; ++k) fetch(a + i + static_cast<std::size_t>(k) * lanes);
    m0 = hn::Min(hn::LoadU(d, a + i), m0);
    m1 = hn::Min(hn::LoadU(d, a + i + lanes), m1);
    m2 = hn::Min(hn::LoadU(d, a + i + 2 * lanes), m2);
    m3 = hn::Min(hn::LoadU(d, a + i + 3 * lanes), m3);
  }
  double least = hn::GetLane(hn::MinOfLanes(d, hn::Min(hn::Min(m0, m1), hn::Min(m2, m3))));
  for (; i < end; ++i) least = a[i] < least ? a[i] : least;
  return least;
}

HWY_ATTR std::size_t argmax_range(const double* a, std::size_t begin, std::size_t end) {
  // The maximum of a block; its place only when it beats all blocks before.
  constexpr std::size_t block = 1024;
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  double best = a[begin];
  std::size_t place = begin;
  for (std::size_t start = begin; start < end; start += block) {
    const std::size_t stop = start + block < end ? start + block : end;
    auto m0 = hn::Set(d, best), m1 = m0;
    std::size_t i = start;
    for (; i + 2 * lanes <= stop; i += 2 * lanes) {
      fetch(a + i);
      fetch(a + i + lanes);
      m0 = hn::Max(hn::LoadU(d, a + i), m0);
      m1 = hn::Max(hn::LoadU(d, a + i + lanes), m1);
    }
    double greatest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(m0, m1)));
    for (; i < stop; ++i) greatest = a[i] > greatest ? a[i] : greatest;
    if (greatest > best) {
      best = greatest;
      for (place = start; a[place] != best;) ++place;
    }
  }
  return place;
}

// out = running sums from `carry`; in registers of up to 4, of which each scans itself.
template <class T>
HWY_ATTR void cumsum_loop(const T* a, T* out, T carry_in, std::size_t begin, std::size_t end) {
  const hn::CappedTag<T, 4> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::CappedTag<T, 4>());
  typedef T V __attribute__((vector_size(lanes * sizeof(T))));
  typedef T Unaligned __attribute__((vector_size(lanes * sizeof(T)), aligned(sizeof(T)), may_alias));
  const V zero = {};
  V carry = zero + carry_in;
  std::size_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    __builtin_prefetch(a + i + ahead);
    V v = *reinterpret_cast<const Unaligned*>(a + i);
    V last;
    if constexpr (lanes == 2) {
      v += __builtin_shufflevector(zero, v, 1, 2);
      last = __builtin_shufflevector(v, v, 1, 1);
    } else {
      v += __builtin_shufflevector(zero, v, 3, 4, 5, 6);
      v += __builtin_shufflevector(zero, v, 2, 3, 4, 5);
      last = __builtin_shufflevector(v, v, 3, 3, 3, 3);
    }
    const V result = v + carry;
    carry += last;
    T line[lanes];
    __builtin_memcpy(line, &result, sizeof line);
    hn::Stream(hn::LoadU(d, line), d, out + i);
  }
  T sum = carry[0];
  for (; i < end; ++i) out[i] = sum = sum + a[i];
  hwy::FlushStream();
}
HWY_ATTR void cumsum_range(const double* a, double* out, double carry, std::size_t begin, std::size_t end) {
  cumsum_loop(a, out, carry, begin, end);
}
HWY_ATTR void cumsum_integers(const std::int64_t* a, std::int64_t* out, std::int64_t carry, std::size_t begin,
                              std::size_t end) {
  cumsum_loop(a, out, carry, begin, end);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::limit::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::limit {

HWY_EXPORT(triad_range);
HWY_EXPORT(expression_range);
HWY_EXPORT(expression_sum_range);
HWY_EXPORT(sum_range);
HWY_EXPORT(sum_integers);
HWY_EXPORT(min_range);
HWY_EXPORT(argmax_range);
HWY_EXPORT(cumsum_range);
HWY_EXPORT(cumsum_integers);

void triad(ThreadPool& threads, const double* a, const double* b, double scale, double* out, std::size_t n) {
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    HWY_DYNAMIC_DISPATCH(triad_range)(a, b, scale, out, begin, end);
  });
}

void expression(ThreadPool& threads, const double* a, const double* b, const double* c, const double* d,
                const double* e, const double* f, double* out, std::size_t n) {
  const double* x[6] = {a, b, c, d, e, f};
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned) {
    HWY_DYNAMIC_DISPATCH(expression_range)(x, out, begin, end);
  });
}

double expression_sum(ThreadPool& threads, const double* a, const double* b, const double* c, const double* d,
                      const double* e, const double* f, std::size_t n) {
  const double* x[6] = {a, b, c, d, e, f};
  std::vector<double> sums(threads.size(), 0.0);
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
    sums[thread] = HWY_DYNAMIC_DISPATCH(expression_sum_range)(x, begin, end);
  });
  double sum = 0;
  for (double part : sums) sum += part;
  return sum;
}

double sum(ThreadPool& threads, const double* a, std::size_t n) {
  std::vector<double> sums(threads.size(), 0.0);
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
    sums[thread] = HWY_DYNAMIC_DISPATCH(sum_range)(a, begin, end);
  });
  double sum = 0;
  for (double part : sums) sum += part;
  return sum;
}

std::int64_t sum(ThreadPool& threads, const std::int64_t* a, std::size_t n) {
  std::vector<std::int64_t> sums(threads.size(), 0);
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
    sums[thread] = HWY_DYNAMIC_DISPATCH(sum_integers)(a, begin, end);
  });
  std::int64_t sum = 0;
  for (std::int64_t part : sums) sum += part;
  return sum;
}

double min(ThreadPool& threads, const double* a, std::size_t n) {
  std::vector<double> least(threads.size(), a[0]);
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
    least[thread] = HWY_DYNAMIC_DISPATCH(min_range)(a, begin, end);
  });
  return *std::min_element(least.begin(), least.end());
}

std::size_t argmax(ThreadPool& threads, const double* a, std::size_t n) {
  std::vector<std::size_t> places(threads.size(), 0);
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
    places[thread] = HWY_DYNAMIC_DISPATCH(argmax_range)(a, begin, end);
  });
  std::size_t best = places[0];
  for (std::size_t place : places) {
    if (a[place] > a[best] || (a[place] == a[best] && place < best)) best = place;
  }
  return best;
}

namespace {

// One thread: one pass. More: each thread's sum first, so memory is read twice.
template <class T, class Sum, class Cumsum>
void cumsum_threads(ThreadPool& threads, const T* a, T* out, std::size_t n, Sum sum_of, Cumsum cumsum_of) {
  std::vector<T> sums(threads.size() + 1, T(0));
  if (threads.size() > 1) {
    threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
      if (end < n) sums[thread + 1] = sum_of(a, begin, end);
    });
    for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  }
  threads.for_ranges(n, 1024, [&](std::size_t begin, std::size_t end, unsigned thread) {
    cumsum_of(a, out, sums[thread], begin, end);
  });
}

}  // namespace

void cumsum(ThreadPool& threads, const double* a, double* out, std::size_t n) {
  cumsum_threads(threads, a, out, n, HWY_DYNAMIC_DISPATCH(sum_range), HWY_DYNAMIC_DISPATCH(cumsum_range));
}
void cumsum(ThreadPool& threads, const std::int64_t* a, std::int64_t* out, std::size_t n) {
  cumsum_threads(threads, a, out, n, HWY_DYNAMIC_DISPATCH(sum_integers), HWY_DYNAMIC_DISPATCH(cumsum_integers));
}

}  // namespace atl::limit
#endif
