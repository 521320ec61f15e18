// SPDX-License-Identifier: Apache-2.0
// numpy.histogram: the bin by a multiplication, checked against the edges where rounding could matter.
#include <algorithm>
#include <cmath>
#include <vector>

#include "atoll/array/kernel/histogram.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "kernel/histogram/count.hpp"
#include "kernel/histogram/uniform.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/histogram/histogram.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Bin numbers of n <= 64 values. The position of a value on the scale of bins is off by a few units of its last place;
// only where it is that close to an edge does the edge itself decide.
HWY_ATTR HWY_INLINE void locate_64(const UniformBins& bins, const double* values, std::size_t n,
                                   std::uint32_t* number) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto low = hn::Set(d, bins.low), high = hn::Set(d, bins.high), scale = hn::Set(d, bins.scale);
  const auto near_lower = hn::Set(d, bins.margin), near_upper = hn::Set(d, 1.0 - bins.margin);
  const auto outside = hn::Set(d, static_cast<double>(bins.count));
  const auto last = hn::Set(d, static_cast<double>(bins.count) - 0.5), middle = hn::Set(d, 0.5);
  auto risky = hn::Lt(low, low);  // none
  for (std::size_t i = 0; i + lanes <= n; i += lanes) {
    auto x = hn::LoadU(d, values + i);
    auto in = hn::And(hn::Ge(x, low), hn::Le(x, high));
    auto position = hn::IfThenElse(in, hn::Mul(hn::Sub(x, low), scale), middle);
    auto rest = hn::Sub(position, hn::Floor(position));
    risky = hn::Or(risky, hn::Or(hn::Lt(rest, near_lower), hn::Gt(rest, near_upper)));
    auto bin = hn::IfThenElse(in, hn::Min(position, last), outside);
    hn::StoreU(hn::DemoteTo(d32, bin), d32, reinterpret_cast<std::int32_t*>(number) + i);
  }
  for (std::size_t k = n - n % lanes; k < n; ++k) number[k] = bins.locate(values[k]);
  if (!hn::AllFalse(d, risky)) [[unlikely]] {
    for (std::size_t k = 0; k < n; ++k) number[k] = bins.locate(values[k]);
  }
}

// The same of a few values that all lie in bins and near no edge, with a third less work. False when one does not. So few
// that the processor counts these while it computes the next (10^6 doubles from the cache: 16 at a time 0.54 ms, 32 0.52, 64 0.63).
constexpr std::size_t few = 32;
HWY_ATTR HWY_INLINE bool locate_inside(const UniformBins& bins, const double* values, std::uint32_t* number) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto low = hn::Set(d, bins.low), scale = hn::Set(d, bins.scale), half = hn::Set(d, 0.5);
  const auto count = hn::Set(d, static_cast<double>(bins.count)), inner = hn::Set(d, 0.5 - bins.margin);
  auto inside = hn::Eq(low, low);  // all
  for (std::size_t i = 0; i < few; i += lanes) {
    const auto position = hn::Mul(hn::Sub(hn::LoadU(d, values + i), low), scale);
    const auto bin = hn::DemoteTo(d32, position);  // towards zero: below zero the rest is too
    const auto rest = hn::Sub(hn::Sub(position, hn::PromoteTo(d, bin)), half);
    inside = hn::And(inside, hn::And(hn::Lt(hn::Abs(rest), inner), hn::Lt(position, count)));
    hn::StoreU(bin, d32, reinterpret_cast<std::int32_t*>(number) + i);
  }
  return hn::AllTrue(d, inside);
}

template <class T>
HWY_ATTR void locate_uniform(const UniformBins& bins, const T* values, std::size_t n, std::uint32_t* number) {
  for (std::size_t first = 0; first < n; first += 64) {
    std::size_t count = std::min<std::size_t>(64, n - first);
    if constexpr (std::is_same_v<T, double>) {
      locate_64(bins, values + first, count, number + first);
    } else {
      double wide[64];
      for (std::size_t k = 0; k < count; ++k) wide[k] = static_cast<double>(values[first + k]);
      locate_64(bins, wide, count, number + first);
    }
  }
}

HWY_ATTR void locate_uniform_any(const UniformBins& bins, DType type, const void* values, std::size_t begin,
                                 std::size_t end, std::uint32_t* number) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    locate_uniform(bins, static_cast<const T*>(values) + begin, end - begin, number);
  });
}

HWY_ATTR HWY_NOINLINE void locate_again(const UniformBins& bins, const double* values, std::uint32_t* number) {
  locate_64(bins, values, few, number);
}

template <class T>
HWY_ATTR void count_uniform(const UniformBins& bins, const T* values, std::size_t n, std::int64_t* tables, std::size_t stride) {
  std::uint32_t number[64];
  std::size_t first = 0;
  for (; first + few <= n; first += few) {
    double wide[few];
    const double* some = wide;
    if constexpr (std::is_same_v<T, double>) {
      some = values + first;
    } else {
      for (std::size_t k = 0; k < few; ++k) wide[k] = static_cast<double>(values[first + k]);
    }
    if (!locate_inside(bins, some, number)) [[unlikely]] locate_again(bins, some, number);
    count_numbers(number, few, tables, stride);
  }
  if (first < n) {
    locate_uniform(bins, values + first, n - first, number);
    count_numbers(number, n - first, tables, stride);
  }
}

HWY_ATTR void count_uniform_any(const UniformBins& bins, DType type, const void* values, std::size_t begin, std::size_t end,
                                std::int64_t* tables, std::size_t stride) {
  dispatch(type, [&]<class T>(Type<T>) HWY_ATTR {
    count_uniform(bins, static_cast<const T*>(values) + begin, end - begin, tables, stride);
  });
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(locate_uniform_any);
HWY_EXPORT(count_uniform_any);

void check_bins(std::size_t bins) {
  ATOLL_VALIDATE(bins >= 1 && bins < (std::size_t{1} << 31), ValueError,
                 "{} bins: a histogram has between 1 and {}", bins, (std::size_t{1} << 31) - 1);
}

// A branch-free binary search for the last edge at or below x: bins are few enough for the edges to lie in a cache.
template <class T>
struct EdgeBins {
  const double* edges;
  std::size_t count;

  void locate(const T* values, std::size_t n, std::uint32_t* number) const {
    for (std::size_t i = 0; i < n; ++i) {
      auto x = static_cast<double>(values[i]);
      std::size_t base = 0;
      for (std::size_t length = count + 1; length > 1;) {
        std::size_t half = length / 2;
        base += edges[base + half] <= x ? half : 0;
        length -= half;
      }
      if (base == count) {  // at or past the last edge: the last bin is closed, and may have empty ones before it
        base = x == edges[count] ? count - 1 : count;
      }
      bool in = x >= edges[0] && x <= edges[count];
      number[i] = static_cast<std::uint32_t>(in ? base : count);
    }
  }
};

UniformBins uniform_bins(DType type, double low, double high, std::size_t bins) {
  check_bins(bins);
  return UniformBins(low, high, bins, type == DType::f32);
}

auto locate_in(const UniformBins& bins, DType type, const void* values) {
  return [&bins, type, values](std::size_t begin, std::size_t end, std::uint32_t* number) {
    HWY_DYNAMIC_DISPATCH(locate_uniform_any)(bins, type, values, begin, end, number);
  };
}

template <class Use>
void with_edges(DType type, const void* values, const double* edges, std::size_t bins, Use use) {
  check_bins(bins);
  use([&](std::size_t begin, std::size_t end, std::uint32_t* number) {
    dispatch(type, [&]<class T>(Type<T>) {
      EdgeBins<T>{edges, bins}.locate(static_cast<const T*>(values) + begin, end - begin, number);
    });
  });
}

}  // namespace

void uniform_edges(double low, double high, std::size_t bins, double* edges) {
  double step = (high - low) / static_cast<double>(bins);
  // numpy.linspace: a step that underflows to 0 is applied after the division instead.
  for (std::size_t i = 0; i <= bins; ++i) {
    auto index = static_cast<double>(i);
    edges[i] = (step != 0 ? index * step : index / static_cast<double>(bins) * (high - low)) + low;
  }
  edges[bins] = high;
}

UniformBins::UniformBins(double low_edge, double high_edge, std::size_t bins, bool single_precision)
    : count(bins), edges(bins + 1) {
  uniform_edges(low_edge, high_edge, bins, edges.data());
  if (single_precision)
    for (double& edge : edges) edge = static_cast<float>(edge);
  low = edges.front();
  high = edges.back();
  auto width = (high - low) / static_cast<double>(bins);
  scale = static_cast<double>(bins) / (high - low);
  // Both the position and the edges are off by some units in the last place of their largest terms.
  double unit = single_precision ? 0x1.0p-23 : 0x1.0p-52;
  margin = 8 * (0x1.0p-52 * static_cast<double>(bins) + unit * std::max(std::abs(low), std::abs(high)) / width);
  if (!(margin < 0.5) || !std::isfinite(scale)) margin = 1.0;  // then every value is compared with edges
}

std::uint32_t UniformBins::locate(double x) const {
  if (!(x >= low && x <= high)) return static_cast<std::uint32_t>(count);
  double position = (x - low) / (high - low) * static_cast<double>(count);
  auto bin = static_cast<std::size_t>(position);
  if (bin >= count) bin = count - 1;
  if (bin > 0 && x < edges[bin]) --bin;
  else if (bin != count - 1 && x >= edges[bin + 1]) ++bin;
  return static_cast<std::uint32_t>(bin);
}

void histogram_uniform(const Work& work, DType type, const void* values, std::size_t n, double low, double high,
                       std::size_t bins, std::int64_t* counts) {
  const UniformBins table = uniform_bins(type, low, high, bins);
  count_bins(work, n, bins, counts, locate_in(table, type, values),
             [&](std::size_t begin, std::size_t end, std::int64_t* tables, std::size_t stride) {
               HWY_DYNAMIC_DISPATCH(count_uniform_any)(table, type, values, begin, end, tables, stride);
             });
}

void histogram_uniform(const Work& work, DType type, const void* values, std::size_t n, double low, double high,
                       std::size_t bins, const double* weights, double* sums) {
  const UniformBins table = uniform_bins(type, low, high, bins);
  add_bins(work, n, bins, weights, sums, locate_in(table, type, values));
}

void histogram_edges(const Work& work, DType type, const void* values, std::size_t n, const double* edges,
                     std::size_t bins, std::int64_t* counts) {
  with_edges(type, values, edges, bins, [&](auto locate) { count_bins(work, n, bins, counts, locate); });
}

void histogram_edges(const Work& work, DType type, const void* values, std::size_t n, const double* edges,
                     std::size_t bins, const double* weights, double* sums) {
  with_edges(type, values, edges, bins, [&](auto locate) { add_bins(work, n, bins, weights, sums, locate); });
}

}  // namespace atl::array
#endif  // HWY_ONCE
