// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/gather.hpp"
#include "atoll/base/error.hpp"

#include <algorithm>
#include <cmath>

#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

// Rows spread over separate blocks, as PEs hold them.
struct Spread {
  Spread(std::vector<std::int64_t> begins, std::size_t row_bytes) : begins(std::move(begins)), row_bytes(row_bytes) {
    for (std::size_t b = 0; b + 1 < this->begins.size(); ++b) {
      blocks.emplace_back(static_cast<std::size_t>(this->begins[b + 1] - this->begins[b]) * row_bytes);
      bases.push_back(blocks.back().data());
    }
  }
  PeerBlocks view() const { return PeerBlocks(bases, begins, row_bytes); }
  void load(const unsigned char* rows) {
    for (std::size_t b = 0; b < blocks.size(); ++b)
      std::copy_n(rows + static_cast<std::size_t>(begins[b]) * row_bytes, blocks[b].size(), blocks[b].begin());
  }
  std::vector<unsigned char> store() const {
    std::vector<unsigned char> rows;
    for (const auto& block : blocks) rows.insert(rows.end(), block.begin(), block.end());
    return rows;
  }
  std::vector<std::int64_t> begins;
  std::size_t row_bytes;
  std::vector<std::vector<unsigned char>> blocks;
  std::vector<void*> bases;
};

std::vector<std::vector<std::int64_t>> splits(std::int64_t rows) {
  std::int64_t third = (rows + 2) / 3;
  return {{0, rows},
          {0, third, std::min(2 * third, rows), rows},                          // even, the last shorter
          {0, rows / 7, rows / 7, rows / 2, rows},                              // uneven, one empty
          {0, 0, 0, rows, rows},                                                // most are empty
          {0, std::min<std::int64_t>(rows, 1), rows, rows, rows, rows, rows}};  // more blocks than rows for small ones
}

std::vector<std::int64_t> make_indices(int kind, std::size_t n, std::int64_t rows) {
  std::vector<std::int64_t> indices(n);
  for (std::size_t i = 0; i < n; ++i) {
    auto any = static_cast<std::int64_t>(to_bounded(random_bits(21, i), static_cast<std::uint64_t>(rows)));
    indices[i] = kind == 0   ? any
                 : kind == 1 ? any - (random_bits(22, i) & 1 ? rows : 0)
                 : kind == 2 ? rows - 1
                 : kind == 3 ? static_cast<std::int64_t>(i) % rows
                             : -rows + static_cast<std::int64_t>(i) % rows;
  }
  return indices;
}
constexpr int index_kinds = 5;

std::int64_t wrapped(std::int64_t index, std::int64_t rows) { return index < 0 ? index + rows : index; }

std::vector<unsigned char> noise(std::size_t count, std::uint64_t key) {
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(random_bits(key, i));
  return bytes;
}

TEST(PeerBlocks, FindsEveryRow) {
  for (std::int64_t rows : {1, 2, 3, 10, 1000}) {
    for (auto& begins : splits(rows)) {
      Spread spread(begins, 8);
      PeerBlocks view = spread.view();
      EXPECT_EQ(view.rows(), rows);
      for (std::int64_t row = 0; row < rows; ++row) {
        std::size_t block = 0;
        while (begins[block + 1] <= row) ++block;
        EXPECT_EQ(view.find(row), spread.blocks[block].data() + (row - begins[block]) * 8);
      }
    }
  }
}

TEST(PeerBlocks, DivisionIsExactForHugeArrays) {
  for (std::int64_t size : {3ll, 1024ll, 999999937ll, (1ll << 40) + 7, (1ll << 50) - 1}) {
    std::int64_t blocks = std::min<std::int64_t>(64, (1ll << 61) / size);
    std::vector<std::int64_t> begins;
    for (std::int64_t b = 0; b <= blocks; ++b) begins.push_back(b * size);
    std::vector<void*> bases(static_cast<std::size_t>(blocks), nullptr);
    PeerBlocks view(bases, begins, 1);
    ASSERT_TRUE(view.uniform());
    for (std::int64_t b = 0; b < blocks; ++b) {
      EXPECT_EQ(view.divide(static_cast<std::uint64_t>(b * size)), static_cast<std::size_t>(b));
      EXPECT_EQ(view.divide(static_cast<std::uint64_t>((b + 1) * size - 1)), static_cast<std::size_t>(b));
    }
  }
}

TEST(Gather, AgreesWithALoop) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t row_bytes : {1, 2, 4, 8, 3, 24, 200}) {
      for (std::int64_t rows : {1, 2, 5, 1000}) {
        auto table = noise(static_cast<std::size_t>(rows) * row_bytes, 31);
        for (auto& begins : splits(rows)) {
          Spread spread(begins, row_bytes);
          spread.load(table.data());
          for (std::size_t n : {0, 1, 7, 8, 65, 128, 129, 1000, 20001}) {
            auto indices = make_indices(static_cast<int>(n % index_kinds), n, rows);
            Guarded<unsigned char> to(n * row_bytes, n % 3 * row_bytes);
            EXPECT_FALSE(gather(harness.work, spread.view(), indices.data(), n, to.data()));
            for (std::size_t i = 0; i < n; ++i) {
              ASSERT_EQ(std::memcmp(to.data() + i * row_bytes,
                                    table.data() + static_cast<std::size_t>(wrapped(indices[i], rows)) * row_bytes,
                                    row_bytes),
                        0);
            }
            EXPECT_TRUE(to.intact());
          }
        }
      }
    }
  }
}

TEST(Gather, LargeResultsStream) {
  Harness harness(2);
  std::int64_t rows = 1000003;
  std::size_t n = 2000001;
  auto indices = make_indices(1, n, rows);
  for (std::size_t size : {1, 2, 4, 8}) {
    dispatch_size(size, [&]<class T>(Type<T>) {
      std::vector<T> table(static_cast<std::size_t>(rows));
      for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(random_bits(4, i));
      Guarded<T> to(n, 1);
      PeerBlocks view(table.data(), rows, sizeof(T));
      EXPECT_FALSE(gather(harness.work, view, indices.data(), n, to.data()));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(to[i], table[static_cast<std::size_t>(wrapped(indices[i], rows))]);
      EXPECT_TRUE(to.intact());
    });
  }
}

TEST(BadIndices, TheFirstIsNamedAndNothingIsWritten) {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min(), highest = std::numeric_limits<std::int64_t>::max();
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::int64_t rows : {0, 1, 100}) {
      std::vector<std::int64_t> table(static_cast<std::size_t>(rows), 1);
      PeerBlocks view(table.data(), rows, 8);
      for (std::size_t n : {1, 100, 30000}) {
        for (std::int64_t bad : {rows, -rows - 1, lowest, highest}) {
          for (std::size_t position : {std::size_t{0}, n / 2, n - 1}) {
            std::vector<std::int64_t> indices(n, 0), to(n);
            indices[position] = bad;
            indices[n - 1] = bad;
            if (rows == 0) indices.assign(n, bad), position = 0;
            auto expect = [&](BadIndex found) {
              EXPECT_EQ(found.position, static_cast<std::int64_t>(position));
              EXPECT_EQ(found.value, bad);
            };
            expect(check_indices(harness.work, indices.data(), n, rows));
            expect(gather(harness.work, view, indices.data(), n, to.data()));
            expect(scatter(harness.work, view, indices.data(), n, indices.data(), 8));
            expect(scatter_add(harness.work, DType::i64, 1, view, indices.data(), n, indices.data(), 8));
            EXPECT_EQ(std::count(table.begin(), table.end(), 1), rows);
          }
        }
      }
    }
  }
}

TEST(Scatter, TheLastOfRepeatedIndicesWins) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for (std::size_t row_bytes : {1, 2, 4, 8, 3, 24, 200}) {
      for (std::int64_t rows : {1, 2, 5, 1000, 20000}) {
        auto before = noise(static_cast<std::size_t>(rows) * row_bytes, 31);
        for (auto& begins : splits(rows)) {
          for (std::size_t n : {0, 1, 7, 129, 20001}) {
            Spread spread(begins, row_bytes);
            spread.load(before.data());
            auto indices = make_indices(static_cast<int>(n % index_kinds), n, rows);
            auto values = noise(n * row_bytes + 1, 32);
            std::size_t stride = n == 7 ? 0 : row_bytes;
            RowRange only = n == 129 ? RowRange{rows / 3, rows - 1} : RowRange{};
            EXPECT_FALSE(scatter(harness.work, spread.view(), indices.data(), n, values.data(), stride, only));
            auto expected = before;
            for (std::size_t i = 0; i < n; ++i) {
              std::int64_t row = wrapped(indices[i], rows);
              if (row < only.begin || row >= only.end) continue;
              std::copy_n(values.data() + i * stride, row_bytes,
                          expected.data() + static_cast<std::size_t>(row) * row_bytes);
            }
            ASSERT_EQ(spread.store(), expected) << row_bytes << " " << rows << " " << n;
          }
        }
      }
    }
  }
}

TEST(Scatter, LargeOnesAgreeForAnyThreads) {
  std::int64_t rows = 700001;
  for (std::size_t size : {1, 2, 4, 8}) {
    dispatch_size(size, [&]<class T>(Type<T>) {
      for (int kind : {0, 1, 2}) {
        std::size_t n = 900001;
        auto indices = make_indices(kind, n, rows);
        std::vector<T> values(n), expected(static_cast<std::size_t>(rows), T(1));
        for (std::size_t i = 0; i < n; ++i) {
          values[i] = static_cast<T>(random_bits(6, i));
          expected[static_cast<std::size_t>(wrapped(indices[i], rows))] = values[i];
        }
        for (unsigned threads : thread_counts()) {
          Harness harness(threads);
          std::vector<T> table(static_cast<std::size_t>(rows), T(1));
          PeerBlocks view(table.data(), rows, sizeof(T));
          EXPECT_FALSE(scatter(harness.work, view, indices.data(), n, values.data(), sizeof(T)));
          EXPECT_TRUE(table == expected);
        }
      }
    });
  }
}

/// Memory for nothing.
class NoMemory final : public Memory {
 public:
  void* allocate(std::size_t bytes) override {
    throw MemoryError(fmt::format("cannot allocate {}", format_bytes(bytes)));
  }
  void release(void*) noexcept override {}
};

// Targets larger than the caches are written part by part (buckets.hpp), where there is memory for that.
TEST(Scatter, TargetsBeyondTheCaches) {
  constexpr std::size_t most_dealt = std::size_t{1} << 24;  // at once
  NoMemory nothing;
  auto check = [&]<class T>(T, std::int64_t rows, std::size_t n, int kind) {
    auto indices = make_indices(kind, n, rows);
    std::vector<T> values(n), expected(static_cast<std::size_t>(rows), T(1)), sums = expected;
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<T>(random_bits(6, i) % 1000) / T(3);
      const auto row = static_cast<std::size_t>(wrapped(indices[i], rows));
      expected[row] = values[i];
      sums[row] += values[i];
    }
    for (unsigned threads : {1u, 3u}) {
      Harness harness(threads);
      const Work without{harness.pool, nothing, harness.monitor};
      for (const Work& work : {harness.work, without}) {
        if (&work.memory == &nothing ? threads == 1 || kind != 1 : threads == 1 && kind != 0) continue;
        std::vector<T> table(static_cast<std::size_t>(rows), T(1)), added = table;
        EXPECT_FALSE(
            scatter(work, PeerBlocks(table.data(), rows, sizeof(T)), indices.data(), n, values.data(), sizeof(T)));
        EXPECT_TRUE(table == expected) << kind << ' ' << threads;
        EXPECT_FALSE(scatter_add(work, dtype_of<T>, 1, PeerBlocks(added.data(), rows, sizeof(T)), indices.data(), n,
                                 values.data(), sizeof(T)));
        EXPECT_TRUE(added == sums) << kind << ' ' << threads;
      }
    }
  };
  for (int kind = 0; kind < index_kinds; ++kind) check(double(), 3'200'001, 2'700'003, kind);
  check(float(), 6'400'001, 2'800'003, 1);
  check(std::int64_t(), 3'200'001, 2'700'003, 1);
  check(std::int32_t(), 6'400'001, most_dealt + 4099, 3);
}

TEST(ScatterAdd, AddsInOrder) {
  for (unsigned threads : thread_counts()) {
    Harness harness(threads);
    for_all_dtypes([&]<class T>(Type<T>) {
      for (std::int64_t rows : {1, 3, 1000}) {
        for (std::size_t width : {1, 3}) {
          for (auto& begins : splits(rows)) {
            for (std::size_t n : {0, 1, 100, 20001}) {
              Spread spread(begins, width * sizeof(T));
              auto indices = make_indices(static_cast<int>(n % index_kinds), n, rows);
              std::vector<T> expected(static_cast<std::size_t>(rows) * width);
              std::unique_ptr<T[]> values(new T[n * width + 1]);
              SequentialRandom random(5);
              for (std::size_t i = 0; i < n * width; ++i) values[i] = static_cast<T>(random() % 256) / T(1);
              if constexpr (std::is_floating_point_v<T>)
                for (std::size_t i = 0; i < n * width; ++i) values[i] = static_cast<T>(random()) * T(1e-10);
              EXPECT_FALSE(scatter_add(harness.work, dtype_of<T>, width, spread.view(), indices.data(), n, values.get(),
                                       width * sizeof(T)));
              for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < width; ++k) {
                  std::size_t at = static_cast<std::size_t>(wrapped(indices[i], rows)) * width + k;
                  expected[at] = static_cast<T>(expected[at] + values[i * width + k]);
                }
              auto result = spread.store();
              for (std::size_t i = 0; i < expected.size(); ++i) {
                T got;
                std::memcpy(&got, result.data() + i * sizeof(T), sizeof(T));
                ASSERT_EQ(got, expected[i]) << rows << " " << n << " " << i;
              }
            }
          }
        }
      }
    });
  }
}

}  // namespace
}  // namespace atl::array
