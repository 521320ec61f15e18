// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/select.hpp"

#include <algorithm>

#include "atoll/array/kernel/fill.hpp"
#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

// Masks of every kind: none, all, alternating, sparse, dense, runs.
std::unique_ptr<bool[]> make_mask(int kind, std::size_t n) {
  auto mask = std::make_unique<bool[]>(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = random_bits(11, i);
    mask[i] = kind == 0   ? false
              : kind == 1 ? true
              : kind == 2 ? i % 2 == 0
              : kind == 3 ? bits % 50 == 0
              : kind == 4 ? bits % 50 != 0
              : kind == 5 ? bits % 2 == 0
                          : i / 100 % 2 == 0;
  }
  return mask;
}
constexpr int mask_kinds = 7;

TEST(Select, CompressAndNonzeroAgreeWithALoop) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t n : element_counts()) {
      for (int kind = 0; kind < mask_kinds; ++kind) {
        auto mask = make_mask(kind, n);
        std::size_t shift = (n + static_cast<std::size_t>(kind)) % 5;
        auto trues = static_cast<std::size_t>(std::count(mask.get(), mask.get() + n, true));
        EXPECT_EQ(count_true(harness.work, mask.get(), n), trues);
        for (std::size_t size : {1, 2, 4, 8}) {
          dispatch_size(size, [&]<class T>(Type<T>) {
            std::vector<T> values(n), expected;
            for (std::size_t i = 0; i < n; ++i) {
              values[i] = static_cast<T>(random_bits(2, i));
              if (mask[i]) expected.push_back(values[i]);
            }
            Guarded<T> to(trues, shift);
            EXPECT_EQ(compress(harness.work, sizeof(T), values.data(), mask.get(), n, to.data()), trues);
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to.begin()));
            EXPECT_TRUE(to.intact());
            // The same in two places.
            const MaskCounts counts(harness.work, mask.get(), n);
            const std::size_t cut = trues * (shift + 1) / 6;
            Guarded<T> low(cut, shift), high(trues - cut, shift);
            compress(harness.work, counts, sizeof(T), values.data(), mask.get(), low.data(), {0, cut});
            compress(harness.work, counts, sizeof(T), values.data(), mask.get(), high.data(), {cut, trues});
            EXPECT_TRUE(std::equal(low.begin(), low.begin() + static_cast<std::ptrdiff_t>(cut), expected.begin()));
            EXPECT_TRUE(std::equal(expected.begin() + static_cast<std::ptrdiff_t>(cut), expected.end(), high.begin()));
            EXPECT_TRUE(low.intact() && high.intact());
          });
        }
        Guarded<std::int64_t> positions(trues, shift);
        EXPECT_EQ(flatnonzero(harness.work, mask.get(), n, 1000, positions.data()), trues);
        std::size_t k = 0;
        for (std::size_t i = 0; i < n; ++i) {
          if (mask[i]) { ASSERT_EQ(positions[k++], static_cast<std::int64_t>(i) + 1000); }
        }
        EXPECT_TRUE(positions.intact());
      }
    }
  }
}

TEST(Select, LargeResultsStream) {
  Harness harness(3);
  std::size_t n = 3000017;
  auto mask = make_mask(5, n);
  for (std::size_t size : {1, 2, 4, 8}) {
    dispatch_size(size, [&]<class T>(Type<T>) {
      std::vector<T> values(n), expected;
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = static_cast<T>(random_bits(2, i));
        if (mask[i]) expected.push_back(values[i]);
      }
      Guarded<T> to(expected.size(), 3);
      compress(harness.work, sizeof(T), values.data(), mask.get(), n, to.data());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to.begin()));
      EXPECT_TRUE(to.intact());
    });
  }
}

TEST(Select, ExpandUndoesCompress) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t n : element_counts()) {
      for (int kind = 0; kind < mask_kinds; ++kind) {
        auto mask = make_mask(kind, n);
        MaskCounts counts(harness.work, mask.get(), n);
        for (std::size_t size : {1, 2, 4, 8}) {
          dispatch_size(size, [&]<class T>(Type<T>) {
            // Exactly as many values as trues, so that a sanitizer sees any read past them.
            std::vector<T> values(counts.total());
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(random_bits(7, i));
            Guarded<T> to(n, 1), filled(n, 2);
            std::fill(to.begin(), to.end(), T(77));
            std::fill(filled.begin(), filled.end(), T(77));
            expand(harness.work, counts, sizeof(T), values.data(), mask.get(), to.data());
            masked_fill(harness.work, sizeof(T), bits_of(T(5)), mask.get(), n, filled.data());
            std::size_t k = 0;
            for (std::size_t i = 0; i < n; ++i) {
              ASSERT_EQ(to[i], mask[i] ? values[k] : T(77)) << n << " " << kind << " " << i;
              ASSERT_EQ(filled[i], mask[i] ? T(5) : T(77));
              k += mask[i];
            }
            EXPECT_TRUE(to.intact() && filled.intact());
          });
        }
      }
    }
  }
}

TEST(Select, RowsOfAnyWidth) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t width : {3, 12, 40}) {
      for (std::size_t n : {0, 1, 100, 20000}) {
        auto mask = make_mask(5, n);
        MaskCounts counts(harness.work, mask.get(), n);
        std::vector<unsigned char> values(n * width), row(width, 9);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<unsigned char>(random_bits(8, i));
        Guarded<unsigned char> packed(counts.total() * width), back(n * width), filled(n * width);
        std::fill(back.begin(), back.end(), 0);
        std::fill(filled.begin(), filled.end(), 0);
        compress(harness.work, counts, width, values.data(), mask.get(), packed.data());
        expand(harness.work, counts, width, packed.data(), mask.get(), back.data());
        masked_fill_rows(harness.work, width, row.data(), mask.get(), n, filled.data());
        for (std::size_t i = 0; i < n * width; ++i) {
          ASSERT_EQ(back[i], mask[i / width] ? values[i] : 0);
          ASSERT_EQ(filled[i], mask[i / width] ? 9 : 0);
        }
        EXPECT_TRUE(packed.intact() && back.intact() && filled.intact());
      }
    }
  }
}

}  // namespace
}  // namespace atl::array
