// SPDX-License-Identifier: Apache-2.0
// Numbers of two limbs against the compiler's, of more by the laws that tie operations together.
#include "atoll/table/kernel/limbs.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

__extension__ using Signed = __int128;
__extension__ using Unsigned = unsigned __int128;
using Rows = std::vector<std::vector<std::uint64_t>>;

class LimbRowsTest : public testing::TestWithParam<unsigned> {
 protected:
  ThreadPool pool_{GetParam()};
  SystemMemory memory_;
  array::Monitor monitor_;
  array::Work work_{pool_, memory_, monitor_};
  SequentialRandom random_{7};

  /// Rows of which many limbs are 0, all ones, or close to them.
  Rows make(std::size_t limbs, std::size_t count) {
    Rows rows(limbs, std::vector<std::uint64_t>(count));
    for (auto& limb : rows) {
      for (std::uint64_t& word : limb) {
        const std::uint64_t kind = random_.below(5);
        word = kind == 0   ? 0
               : kind == 1 ? ~std::uint64_t{0}
               : kind == 2 ? random_.below(9)
               : kind == 3 ? ~random_.below(9)
                           : random_.below(~std::uint64_t{0});
      }
    }
    return rows;
  }

  Rows apply(std::string_view name, const Rows& a, const Rows& b, std::size_t limbs) {
    Rows out(limbs, std::vector<std::uint64_t>(a[0].size()));
    std::vector<const std::uint64_t*> left, right;
    std::vector<std::uint64_t*> result;
    for (const auto& limb : a) left.push_back(limb.data());
    for (const auto& limb : b) right.push_back(limb.data());
    for (auto& limb : out) result.push_back(limb.data());
    apply_limbs(work_, to_limb_operation(name), left, right, result, a[0].size());
    return out;
  }

  static Signed value(const Rows& rows, std::size_t i) {
    return static_cast<Signed>((static_cast<Unsigned>(rows[1][i]) << 64) | rows[0][i]);
  }
};

TEST_P(LimbRowsTest, TwoLimbsAreTheCompilers) {
  const std::size_t n = 3000;
  const Rows a = make(2, n), b = make(2, n);
  const Rows sum = apply("add", a, b, 2), difference = apply("sub", a, b, 2), product = apply("mul", a, b, 2);
  const Rows quotient = apply("floordiv", a, b, 2), rest = apply("mod", a, b, 2);
  for (std::size_t i = 0; i < n; ++i) {
    const Signed x = value(a, i), y = value(b, i);
    ASSERT_TRUE(value(sum, i) == static_cast<Signed>(static_cast<Unsigned>(x) + static_cast<Unsigned>(y))) << i;
    ASSERT_TRUE(value(difference, i) == static_cast<Signed>(static_cast<Unsigned>(x) - static_cast<Unsigned>(y))) << i;
    ASSERT_TRUE(value(product, i) == static_cast<Signed>(static_cast<Unsigned>(x) * static_cast<Unsigned>(y))) << i;
    if (y == 0) {
      ASSERT_TRUE(value(quotient, i) == 0 && value(rest, i) == 0) << i;
    } else if (y != -1) {
      const Signed cut = x / y, left = x % y;
      const bool down = left != 0 && (left < 0) != (y < 0);
      ASSERT_TRUE(value(quotient, i) == cut - (down ? 1 : 0)) << i;
      ASSERT_TRUE(value(rest, i) == left + (down ? y : 0)) << i;
    }
  }
}

TEST_P(LimbRowsTest, QuotientsAndRemaindersMakeTheDividend) {
  const std::size_t n = 1500;
  for (std::size_t limbs : {1, 3, 5}) {
    for (std::size_t others : {1, 2, 4}) {
      const Rows a = make(limbs, n), b = make(others, n);
      const Rows quotient = apply("floordiv", a, b, limbs + 1), rest = apply("mod", a, b, others);
      const Rows again = apply("add", apply("mul", quotient, b, limbs), rest, limbs);
      for (std::size_t i = 0; i < n; ++i) {
        bool zero = true;
        for (const auto& limb : b) zero &= limb[i] == 0;
        for (std::size_t j = 0; j < limbs && !zero; ++j)
          ASSERT_EQ(again[j][i], a[j][i]) << limbs << " " << others << " " << i;
      }
    }
  }
}

TEST_P(LimbRowsTest, ShiftsArePowersOfTwo) {
  const std::size_t n = 400;
  const Rows a = make(3, n);
  Rows by(1, std::vector<std::uint64_t>(n)), two(1, std::vector<std::uint64_t>(n, 2));
  for (std::uint64_t& bits : by[0]) bits = random_.below(200);
  const Rows power = apply("pow", two, by, 5);
  EXPECT_EQ(apply("lshift", a, by, 6), apply("mul", a, power, 6));
  EXPECT_EQ(apply("rshift", a, by, 3), apply("floordiv", a, power, 3));
}

TEST_P(LimbRowsTest, OtherOperationsAreRefused) { EXPECT_THROW((void)to_limb_operation("truediv"), ValueError); }

INSTANTIATE_TEST_SUITE_P(Threads, LimbRowsTest, testing::Values(1u, 3u));

}  // namespace
}  // namespace atl::table
