// SPDX-License-Identifier: Apache-2.0
// numpy.histogram: the bin by a multiplication, mended by the edges where rounding could matter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "atoll/array/kernel/histogram.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/histogram/count.hpp"
#include "kernel/histogram/uniform.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/histogram/histogram.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Values at a time. So few that the processor counts these while it computes the next: 10^6 doubles from the cache take
// 0.54 ms with 16, 0.52 with 32, 0.63 with 64.
constexpr std::size_t few = 32;

// Bin numbers of that many values. The position of a value on the scale of bins is off by a few units of its last
// place, so by one bin at most: the edges of the bin found decide, as in UniformBins::locate().
HWY_ATTR HWY_NOINLINE void locate_mending(const UniformBins& bins, const double* values, std::uint32_t* number) {
  const hn::ScalableTag<double> d;
  const hn::RebindToSigned<decltype(d)> d64;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const hn::RebindToUnsigned<decltype(d64)> du64;
  const hn::RebindToUnsigned<decltype(d32)> du32;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto low = hn::Set(d, bins.low), high = hn::Set(d, bins.high), scale = hn::Set(d, bins.scale);
  const auto outside = hn::Set(d64, static_cast<std::int64_t>(bins.count));
  const auto last = hn::Set(d, static_cast<double>(bins.count) - 0.5);
  const double* edges = bins.edges.data();
  if (!bins.one_off) {
    for (std::size_t k = 0; k < few; ++k) number[k] = bins.locate(values[k]);
    return;
  }
  for (std::size_t i = 0; i < few; i += lanes) {
    const auto x = hn::LoadU(d, values + i);
    const auto in = hn::And(hn::Ge(x, low), hn::Le(x, high));
    const auto position = hn::IfThenElseZero(in, hn::Min(hn::Mul(hn::Sub(x, low), scale), last));
    const auto bin = hn::PromoteTo(d64, hn::DemoteTo(d32, position));
    const auto below = hn::VecFromMask(d64, hn::RebindMask(d64, hn::Lt(x, hn::GatherIndex(d, edges, bin))));
    const auto above = hn::VecFromMask(d64, hn::RebindMask(d64, hn::Ge(x, hn::GatherIndex(d, edges + 1, bin))));
    const auto mended = hn::Sub(hn::Add(bin, below), above);  // by -1 where true
    const auto result = hn::IfThenElse(hn::RebindMask(d64, in), mended, outside);
    hn::StoreU(hn::TruncateTo(du32, hn::BitCast(du64, result)), du32, number + i);
  }
}

// A NaN as an integer is the least one on x86-64, which is no bin; on aarch64 it is zero, and least and greatest pass
// it by.
#if HWY_ARCH_ARM
constexpr bool nan_becomes_zero = true;
#else
constexpr bool nan_becomes_zero = false;
#endif

// The same of values that all lie in bins and near no edge, without a look at the edges. False when one does not.
HWY_ATTR HWY_INLINE bool locate_inside(const UniformBins& bins, const double* values, std::uint32_t* number) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<std::int32_t, decltype(d)> d32;
  const hn::RebindToUnsigned<decltype(d32)> du32;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto scale = hn::Set(d, bins.scale), offset = hn::Set(d, -bins.lower * bins.scale);
  // The extremes of all are compared, once.
  auto nearest = hn::Set(d, 0.5), farthest = nearest;  // to the lower edge
  auto greatest = hn::Zero(du32);
  auto sum = hn::Zero(d);
  for (std::size_t i = 0; i < few; i += lanes) {
    const auto position = hn::MulAdd(hn::LoadU(d, values + i), scale, offset);
    const auto bin = hn::DemoteTo(d32, position);  // towards zero: below zero the rest is too
    const auto rest = hn::Sub(position, hn::PromoteTo(d, bin));
    nearest = hn::Min(nearest, rest);
    farthest = hn::Max(farthest, rest);
    greatest = hn::Max(greatest, hn::BitCast(du32, bin));
    if constexpr (nan_becomes_zero) sum = hn::Add(sum, rest);
    hn::StoreU(bin, d32, reinterpret_cast<std::int32_t*>(number) + i);
  }
  const auto inside =
      hn::And(hn::Gt(nearest, hn::Set(d, bins.margin)), hn::Lt(farthest, hn::Set(d, 1.0 - bins.margin)));
  if constexpr (nan_becomes_zero)
    if (!hn::AllTrue(d, hn::Eq(sum, sum))) return false;
  return hn::AllTrue(d, inside) &&
         hn::AllTrue(du32, hn::Lt(greatest, hn::Set(du32, static_cast<std::uint32_t>(bins.count))));
}

template <class T>
HWY_ATTR HWY_INLINE const double* as_doubles(const T* values, double* room) {
  if constexpr (std::is_same_v<T, double>) {
    return values;
  } else {
    for (std::size_t k = 0; k < few; ++k) room[k] = static_cast<double>(values[k]);
    return room;
  }
}

template <class T>
HWY_ATTR void locate_uniform(const UniformBins& bins, const T* values, std::size_t n, std::uint32_t* number) {
  double room[few];
  std::size_t first = 0;
  for (; first + few <= n; first += few) {
    const double* some = as_doubles(values + first, room);
    if (!locate_inside(bins, some, number + first)) locate_mending(bins, some, number + first);
  }
  for (; first < n; ++first) number[first] = bins.locate(static_cast<double>(values[first]));
}

// The next bins are found before the current ones are counted: neither waits for the other.
template <class T>
HWY_ATTR void count_uniform(const UniformBins& bins, const T* values, std::size_t n, std::int64_t* tables,
                            std::size_t stride) {
  double room[few];
  std::uint32_t numbers[2][few];
  auto locate = [&](std::size_t first, std::uint32_t* number) HWY_ATTR {
    const double* some = as_doubles(values + first, room);
    if (!locate_inside(bins, some, number)) [[unlikely]]
      locate_mending(bins, some, number);
  };
  const std::size_t whole = n / few;
  if (whole > 0) locate(0, numbers[0]);
  for (std::size_t k = 1; k < whole; ++k) {
    locate(k * few, numbers[k % 2]);
    count_numbers(numbers[(k - 1) % 2], few, tables, stride);
  }
  if (whole > 0) count_numbers(numbers[(whole - 1) % 2], few, tables, stride);
  for (std::size_t k = whole * few; k < n; ++k) ++tables[bins.locate(static_cast<double>(values[k]))];
}

HWY_ATTR void locate_uniform_any(const UniformBins& bins, DType type, const void* values, std::size_t begin,
                                 std::size_t end, std::uint32_t* number) {
  dispatch(type, [&]<class T>(Type<T>)
                     HWY_ATTR { locate_uniform(bins, static_cast<const T*>(values) + begin, end - begin, number); });
}

HWY_ATTR void count_uniform_any(const UniformBins& bins, DType type, const void* values, std::size_t begin,
                                std::size_t end, std::int64_t* tables, std::size_t stride) {
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
  ATOLL_VALIDATE(bins >= 1 && bins < (std::size_t{1} << 31), ValueError, "{} bins: a histogram has between 1 and {}",
                 bins, (std::size_t{1} << 31) - 1);
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
  return UniformBins(type, low, high, bins);
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

UniformBins::UniformBins(DType type, double low_edge, double high_edge, std::size_t bins)
    : count(bins), edges(bins + 1) {
  const bool single_precision = type == DType::f32;
  uniform_edges(low_edge, high_edge, bins, edges.data());
  if (single_precision)
    for (double& edge : edges) edge = static_cast<float>(edge);
  low = edges.front();
  high = edges.back();
  auto width = (high - low) / static_cast<double>(bins);
  scale = static_cast<double>(bins) / (high - low);
  // Integers often lie on edges. Edges a little lower, with no integer on the way, have the same ones on either side.
  double room = is_float(type) ? 0 : 1;
  if (room != 0)
    for (double edge : edges) room = std::min(room, edge - (std::ceil(edge) - 1));
  lower = low - room / 2;
  // Both the position and the edges are off by some units in the last place of their largest terms.
  double unit = single_precision ? 0x1.0p-23 : 0x1.0p-52;
  margin = 8 * (0x1.0p-52 * static_cast<double>(bins) + unit * std::max(std::abs(low), std::abs(high)) / width);
  one_off = margin < 0.5 && std::isfinite(scale);
  if (!one_off) margin = 1.0;  // then every value is compared with edges
  edges.back() = std::numeric_limits<double>::infinity();  // the last bin is closed
}

std::uint32_t UniformBins::locate(double x) const {
  if (!(x >= low && x <= high)) return static_cast<std::uint32_t>(count);
  double position = (x - low) / (high - low) * static_cast<double>(count);
  auto bin = static_cast<std::size_t>(position);
  if (bin >= count) bin = count - 1;
  if (bin > 0 && x < edges[bin]) --bin;
  else if (x >= edges[bin + 1]) ++bin;
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
