// SPDX-License-Identifier: Apache-2.0
#include "op/kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "op/number.hpp"

namespace atl::mpi::op {
namespace {

using datatype::named;
using datatype::Number;

template <class T>
T combined(Code code, std::uintptr_t handle, T left, T right) {
  std::vector<T> a(5, left), b(5, right), out(5);
  auto reduce = reduction(code, *named(handle), Spacing::packed).value();
  EXPECT_EQ(reduce.element_bytes(), sizeof(T));
  reduce(out.data(), a.data(), b.data(), 5);
  reduce(b.data(), a.data(), b.data(), 5);
  EXPECT_EQ(std::memcmp(out.data(), b.data(), 5 * sizeof(T)), 0);
  return out[4];
}

TEST(Operations, AreDefinedWhereTheStandardSaysAndForCharacters) {
  using enum Code;
  for (const auto& one : datatype::predefined()) {
    SCOPED_TRACE(one.name);
    // MPI_CHAR, too: see reduction().
    bool integer = one.number == Number::integer || one.number == Number::natural || one.handle == 0x243;
    bool real = one.number == Number::real, complex = one.number == Number::complex;
    bool truth = one.number == Number::logical || one.number == Number::boolean;
    auto has = [&](Code code) { return reduction(code, *named(one.handle), Spacing::packed).has_value(); };
    for (Code code : {sum, prod}) EXPECT_EQ(has(code), integer || real || complex);
    for (Code code : {min, max}) EXPECT_EQ(has(code), integer || real);
    for (Code code : {band, bor, bxor}) EXPECT_EQ(has(code), integer || one.number == Number::bytes);
    for (Code code : {land, lor, lxor}) EXPECT_EQ(has(code), integer || truth);
    for (Code code : {minloc, maxloc}) EXPECT_EQ(has(code), one.number == Number::pair);
  }
}

TEST(Operations, CombineEveryKindOfNumber) {
  EXPECT_EQ(combined(Code::sum, 0x209, 3, 4), 7);
  EXPECT_EQ(combined(Code::land, 0x209, 6, 0), 0);
  EXPECT_EQ(combined(Code::lor, 0x209, 6, 0), 1);
  EXPECT_EQ(combined(Code::lxor, 0x209, 6, 5), 0);
  EXPECT_EQ(combined<signed char>(Code::land, 0x238, 1, 1), 1);
  EXPECT_EQ(combined(Code::max, 0x220, 3.0L, 4.0L), 4.0L);
  using C = std::complex<long double>;
  EXPECT_EQ(combined(Code::prod, 0x224, C(1, 2), C(3, 4)), C(-5, 10));
}

TEST(Operations, OfSixteenBytesAndOfTwo) {
  Integer16 big = static_cast<Integer16>(1) << 100;
  EXPECT_TRUE(combined<Integer16>(Code::sum, 0x2e1, big, 5) == big + 5);
  EXPECT_TRUE(combined<Quad>(Code::prod, 0x2e2, 3, 5) == 15);
  EXPECT_EQ(static_cast<float>(combined(Code::sum, 0x2ca, Half(1.5f), Half(2.25f))), 3.75f);
  // Every half is itself again; sums are rounded to even.
  for (unsigned bits = 0; bits < 65536; ++bits) {
    auto half = std::bit_cast<Half>(static_cast<std::uint16_t>(bits));
    float value = half;
    if (!std::isnan(value)) { ASSERT_EQ(std::bit_cast<std::uint16_t>(Half(value)), bits); }
  }
  EXPECT_EQ(static_cast<float>(Half(2049.0f)), 2048.0f);
  EXPECT_EQ(static_cast<float>(Half(2051.0f)), 2052.0f);
  EXPECT_TRUE(std::isinf(static_cast<float>(Half(65520.0f))));
  EXPECT_EQ(static_cast<float>(Half(65519.0f)), 65504.0f);
}

TEST(Operations, FindWhereTheExtremesAre) {
  struct Pair {
    double value;
    int index;
  };
  std::vector<Pair> a{{1, 7}, {2, 7}, {3, 7}}, b{{1, 4}, {5, 4}, {0, 4}}, out(3);
  auto reduce = reduction(Code::minloc, *named(0x229), Spacing::extent).value();
  EXPECT_EQ(reduce.element_bytes(), 16u);
  reduce(out.data(), a.data(), b.data(), 3);
  EXPECT_EQ(out[0].index, 4);  // of equals the lower index
  EXPECT_EQ(out[1].index, 7);
  EXPECT_EQ(out[2].value, 0);
  char packed[2][12], result[12];
  double values[2] = {2, 9};
  int indices[2] = {1, 2};
  for (int i = 0; i < 2; ++i) std::memcpy(packed[i], &values[i], 8), std::memcpy(packed[i] + 8, &indices[i], 4);
  auto dense = reduction(Code::maxloc, *named(0x229), Spacing::packed).value();
  EXPECT_EQ(dense.element_bytes(), 12u);
  dense(result, packed[0], packed[1], 1);
  EXPECT_EQ(std::memcmp(result, packed[1], 12), 0);
}

}  // namespace
}  // namespace atl::mpi::op
