// SPDX-License-Identifier: Apache-2.0
// Kernels obey the level, and what is reduced, scanned, chosen, counted and looked up is the same on each.
#include "atoll/array/kernel/simd_level.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include <hwy/targets.h>
#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/histogram.hpp"
#include "atoll/array/kernel/lookup.hpp"
#include "atoll/array/kernel/scan.hpp"
#include "atoll/array/kernel/select.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

#if HWY_ARCH_X86
constexpr SimdLevel levels[] = {SimdLevel::sse4, SimdLevel::avx2, SimdLevel::avx512};

class SimdLevels : public ::testing::Test {
 protected:
  void TearDown() override { limit_kernels(SimdLevel::avx512); }
};

TEST_F(SimdLevels, KernelsUseNoBetterOne) {
  limit_kernels(SimdLevel::sse4);
  EXPECT_EQ(hwy::SupportedTargets() & (HWY_SSE4 - 1), 0);
  limit_kernels(SimdLevel::avx2);
  EXPECT_EQ(hwy::SupportedTargets() & (HWY_AVX2 - 1), 0);
  if (processor_simd_level() >= SimdLevel::avx2) { EXPECT_NE(hwy::SupportedTargets() & HWY_AVX2, 0); }
  limit_kernels(SimdLevel::avx512);
  if (processor_simd_level() == SimdLevel::avx512) { EXPECT_NE(hwy::SupportedTargets() & HWY_AVX3, 0); }
}

template <class T>
std::vector<T> values(std::size_t count, bool special) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = (i + 1) * 0x9E3779B97F4A7C15ull;
    if constexpr (std::is_floating_point_v<T>) {
      x[i] = static_cast<T>(static_cast<double>(bits >> 11) * 0x1.0p-53 + (i % 3 == 0 ? -0.7 : 0.9));
      if (special && i % 5 == 0) x[i] = bits >> 63 ? T(0.0) : T(-0.0);
      if (special && i % 977 == 500)
        x[i] = bits >> 63 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
      if (special && i == 4500) x[i] = std::numeric_limits<T>::quiet_NaN();
    } else if constexpr (std::is_same_v<T, bool>) {
      x[i] = bits >> 63;
    } else {
      x[i] = static_cast<T>(bits >> (64 - 8 * sizeof(T)));
      if (special && i % 5 == 0) x[i] = 0;
    }
  }
  return x;
}

// All reductions and scans of x, as bytes.
template <class T>
std::vector<std::uint64_t> answers(const std::vector<T>& x) {
  Harness harness(1);
  std::vector<std::uint64_t> found;
  Program program;
  program.results.push_back(program.add_leaf(dtype_of<T>));
  const Plan plan(program);
  const Domain domain = Domain::flat(x.size());
  const Leaf leaf = Leaf::dense(x.data(), domain);
  const UnitGrid grid;
  for (int code = 0; code <= static_cast<int>(Reduction::count_nonzero); ++code) {
    const auto kind = static_cast<Reduction>(code);
    TreeFold fold(kind, dtype_of<T>);
    plan.reduce(harness.work, domain, {&leaf, 1}, {}, kind, grid, x.size(), fold);
    const ReductionValue value = fold.finish();
    found.push_back(value.bits);
    if (kind == Reduction::argmin || kind == Reduction::argmax) found.push_back(value.position);
  }
  for (Scan kind : {Scan::cumsum, Scan::cumprod, Scan::cummax, Scan::cummin}) {
    std::vector<T> out(x.size());
    scan(harness.work, kind, dtype_of<T>, x.data(), out.data(), x.size(), 0, x.size(), grid, {});
    for (T y : out) found.push_back(y != y ? ~std::uint64_t{0} : to_bits(y));
  }
  return found;
}

template <class T>
class SimdLevelsOf : public SimdLevels {};
using Types = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                               std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(SimdLevelsOf, Types);

TYPED_TEST(SimdLevelsOf, ReductionsAndScansHaveTheSameBits) {
  for (std::size_t count : {1, 3, 8, 31, 33, 100, 1024, 1500, 4000, 9000}) {
    for (bool special : {false, true}) {
      const std::vector<TypeParam> x = values<TypeParam>(count, special);
      limit_kernels(SimdLevel::avx512);
      const std::vector<std::uint64_t> best = answers(x);
      for (SimdLevel level : levels) {
        limit_kernels(level);
        ASSERT_EQ(answers(x), best) << name_of(level) << ' ' << count << ' ' << special;
      }
    }
  }
}

// Rows chosen by a mask and by indices on two threads, each of which owns half of them; counts in few and in many bins.
template <class T>
std::vector<std::uint64_t> chosen(const std::vector<T>& x) {
  Harness harness(2);
  const std::size_t n = x.size();
  std::vector<std::uint64_t> found;
  auto note = [&](const auto& values) {
    for (auto v : values) found.push_back(to_bits(v));
  };
  std::vector<std::int64_t> index(n), places(n), counts(300'000), sums(100);
  std::unique_ptr<bool[]> mask(new bool[n]);
  for (std::size_t i = 0; i < n; ++i) {
    mask[i] = (i * 0x9E3779B97F4A7C15ull) >> 63;
    index[i] = static_cast<std::int64_t>(i * 7919 % n) - (i % 4 == 3 ? static_cast<std::int64_t>(n) : 0);
  }
  std::vector<T> kept(n), moved(n), put(n);
  compress(harness.work, sizeof(T), x.data(), mask.get(), n, kept.data());
  note(kept);
  flatnonzero(harness.work, mask.get(), n, 5, places.data());
  note(places);
  const PeerBlocks from(const_cast<T*>(x.data()), static_cast<std::int64_t>(n), sizeof(T));
  gather(harness.work, from, index.data(), n, moved.data());
  note(moved);
  const PeerBlocks to(put.data(), static_cast<std::int64_t>(n), sizeof(T));
  scatter(harness.work, to, index.data(), n, x.data(), sizeof(T), {0, static_cast<std::int64_t>(n)}, Bounds::check);
  note(put);
  histogram_uniform(harness.work, dtype_of<T>, x.data(), n, 0.0, 1.0, sums.size(), sums.data());
  note(sums);
  histogram_uniform(harness.work, dtype_of<T>, x.data(), n, -0.5, 1.5, counts.size(), counts.data());
  note(counts);
  std::unique_ptr<bool[]> flags(new bool[n]);
  isin(harness.work, dtype_of<T>, x.data(), n, x.data() + n / 2, n / 7, flags.get());
  for (std::size_t i = 0; i < n; ++i) found.push_back(flags[i]);
  return found;
}

TYPED_TEST(SimdLevelsOf, WhatIsChosenAndCountedIsTheSame) {
  for (std::size_t count : {1, 63, 64, 700, 40'000}) {
    for (bool special : {false, true}) {
      std::vector<TypeParam> x = values<TypeParam>(count, special);
      // Values on edges of bins, and next to them.
      if constexpr (std::is_floating_point_v<TypeParam>) {
        for (std::size_t i = 0; i + 1 < count; i += 90) {
          x[i] = static_cast<TypeParam>(static_cast<double>(i % 101) / 100);
          x[i + 1] = std::nextafter(x[i], TypeParam(0));
        }
      }
      limit_kernels(SimdLevel::avx512);
      const std::vector<std::uint64_t> best = chosen(x);
      for (SimdLevel level : levels) {
        limit_kernels(level);
        ASSERT_TRUE(chosen(x) == best) << name_of(level) << ' ' << count << ' ' << special;
      }
    }
  }
}
#endif

}  // namespace
}  // namespace atl::array
