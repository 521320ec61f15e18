// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: all types and operations against one PE's evaluation of the documented tree, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <tuple>

#include "atoll/base/error.hpp"
#include "combine.hpp"
#include "oracle.hpp"
#include "run_pes.hpp"

namespace atl::coll {
namespace {

using testing::Bytes;
using testing::evaluate_tree;
using testing::fill_values;
using testing::stream;

class Reductions : public atl::testing::OnPes {};

template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
T combine(Op op, T a, T b) {
  T result;
  Reduction(type_of<T>, op)(&result, &a, &b, 1);
  return result;
}

// Bit for bit; a long double has bytes that mean nothing.
template <class T>
bool same(const T* a, const T* b, std::size_t count) {
  if constexpr (!std::is_same_v<T, long double>) return count == 0 || std::memcmp(a, b, count * sizeof(T)) == 0;
  else return std::equal(a, a + count, b);
}

template <class T>
void check_type(runtime::Context& context, Communicator& all, std::size_t count, std::uint64_t call) {
  auto n = static_cast<std::size_t>(all.size());
  for (std::size_t o = 0; o < op_count; ++o) {
    Op op = static_cast<Op>(o);
    if (std::is_floating_point_v<T> && op >= Op::bit_and) continue;
    if (is_complex<T> && op >= Op::min) continue;
    bool heap = (call + o + static_cast<std::uint64_t>(all.rank())) % 2 == 0;
    std::vector<std::unique_ptr<T[]>> inputs;
    for (std::size_t rank = 0; rank < n; ++rank) {
      inputs.push_back(std::make_unique<T[]>(count + 1));
      fill_values(inputs.back().get(), stream(call * 16 + o, static_cast<int>(rank)), count);
    }
    Bytes in(context, count * sizeof(T), heap), out(context, count * sizeof(T), !heap);
    auto own = [&] { return inputs[static_cast<std::size_t>(all.rank())].get(); };
    auto tree_at = [&](std::size_t i) {
      std::vector<T> column;
      for (std::size_t rank = 0; rank < n; ++rank) column.push_back(inputs[rank][i]);
      if constexpr (std::is_same_v<T, bool>) {
        std::vector<std::uint8_t> bytes(column.begin(), column.end());
        return static_cast<bool>(evaluate_tree(bytes, [&](std::uint8_t a, std::uint8_t b) {
          return static_cast<std::uint8_t>(combine<bool>(op, a != 0, b != 0));
        }));
      } else {
        return evaluate_tree(column, [&](T a, T b) { return combine(op, a, b); });
      }
    };
    Reduction reduction(type_of<T>, op);
    std::memcpy(in.data(), own(), count * sizeof(T));
    all.allreduce(in.data(), out.data(), count, reduction);
    // Long vectors by samples: the oracle is slow.
    const std::size_t step = 1 + count / 300;
    for (std::size_t i = 0; i < count; i += step) {
      T wanted = tree_at(i);
      ASSERT_TRUE(same(&wanted, out.as<T>() + i, 1)) << "allreduce, op " << o << ", element " << i;
    }
    // In place.
    all.allreduce(in.data(), in.data(), count, reduction);
    ASSERT_TRUE(same(in.as<T>(), out.as<T>(), count));
    int root = static_cast<int>(call + o) % all.size();
    std::memcpy(in.data(), own(), count * sizeof(T));
    Bytes result(context, count * sizeof(T), heap);
    all.reduce(in.data(), all.rank() == root ? result.data() : nullptr, count, reduction, root);
    if (all.rank() == root) {
      ASSERT_TRUE(same(result.as<T>(), out.as<T>(), count)) << "reduce, op " << o << ", root " << root;
    }

    // Scans are exact for integers; for floats any order of additions of a few numbers near 1 is near the same.
    all.scan(in.data(), out.data(), count, reduction);
    Bytes before(context, count * sizeof(T), !heap);
    all.exscan(in.data(), before.data(), count, reduction);
    auto near = [](T a, T b) {
      if constexpr (std::is_floating_point_v<T> || is_complex<T>)
        return a == b || std::abs(a - b) <= 1e-5 * std::abs(b);
      else return a == b;
    };
    for (std::size_t i = 0; i < count; i += step) {
      T identity;
      reduction.fill_identity(&identity, 1);
      T sum = identity;
      for (int rank = 0; rank < all.rank(); ++rank) sum = combine(op, sum, inputs[static_cast<std::size_t>(rank)][i]);
      ASSERT_TRUE(near(before.as<T>()[i], sum)) << "exscan, op " << o << ", element " << i;
      sum = combine(op, sum, own()[i]);
      ASSERT_TRUE(near(out.as<T>()[i], sum)) << "scan, op " << o << ", element " << i;
    }
  }
}

TEST_P(Reductions, AllTypesAndOperations) {
  run([](runtime::Context& context) {
    Communicator all(context);
    std::uint64_t call = 0;
    for (std::size_t count : {1, 9, 130}) {
      check_type<bool>(context, all, count, ++call);
      check_type<std::int8_t>(context, all, count, ++call);
      check_type<std::int16_t>(context, all, count, ++call);
      check_type<std::int32_t>(context, all, count, ++call);
      check_type<std::int64_t>(context, all, count, ++call);
      check_type<std::uint8_t>(context, all, count, ++call);
      check_type<std::uint16_t>(context, all, count, ++call);
      check_type<std::uint32_t>(context, all, count, ++call);
      check_type<std::uint64_t>(context, all, count, ++call);
      check_type<float>(context, all, count, ++call);
      check_type<double>(context, all, count, ++call);
      check_type<long double>(context, all, count, ++call);
      check_type<std::complex<float>>(context, all, count, ++call);
      check_type<std::complex<double>>(context, all, count, ++call);
    }
  });
}

TEST_P(Reductions, EveryAlgorithmAndSize) {
  run([](runtime::Context& context) {
    Communicator all(context);
    std::uint64_t call = 100;
    for (const char* how : {"allreduce=auto,reduce=auto", "allreduce=recursive_doubling,reduce=binomial",
                            "allreduce=halving_doubling,reduce=halving", "allreduce=hierarchical,reduce=hierarchical",
                            "allreduce=central,reduce=auto", "allreduce=tree4", "allreduce=tree16", "allreduce=flat"}) {
      all.force_algorithms(how);
      for (std::size_t count : {0, 1, 3, 7, 8, 127, 3001}) {
        check_type<double>(context, all, count, ++call);
        check_type<std::uint16_t>(context, all, count, ++call);
      }
    }
  });
}

TEST_P(Reductions, LongVectors) {
  run([](runtime::Context& context) {
    Communicator all(context);
    check_type<double>(context, all, 70001, 1);
    check_type<std::int16_t>(context, all, 200003, 2);
  });
}

// 2 × 2 matrices: associative, not commutative, of a size that does not divide a cell.
struct Matrix {
  std::uint32_t a, b, c, d, spare[2];
};
void multiply(void* into, const void* left, const void* right, std::size_t count, void*) {
  for (std::size_t i = 0; i < count; ++i) {
    Matrix l, r;
    std::memcpy(&l, static_cast<const char*>(left) + i * sizeof(Matrix), sizeof(Matrix));
    std::memcpy(&r, static_cast<const char*>(right) + i * sizeof(Matrix), sizeof(Matrix));
    Matrix m{l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c, l.c * r.b + l.d * r.d, {0, 0}};
    std::memcpy(static_cast<char*>(into) + i * sizeof(Matrix), &m, sizeof(Matrix));
  }
}

TEST_P(Reductions, FunctorsKeepTheOrderOfRanks) {
  run([](runtime::Context& context) {
    Communicator all(context);
    Reduction reduction(Functor{sizeof(Matrix), multiply, nullptr});
    for (int round = 0; round < 10; ++round) {
      constexpr std::size_t counts[] = {1, 2, 3, 50, 10000};
      const std::size_t count = counts[round / 2];
      all.force_algorithms(round % 2 == 0 ? "allreduce=auto" : "allreduce=ring");
      auto input = [&](int rank, std::size_t i) {
        auto bits = testing::stream(count, rank) + i;
        return Matrix{static_cast<std::uint32_t>(bits), 3, 5, static_cast<std::uint32_t>(bits >> 7), {0, 0}};
      };
      std::vector<Matrix> in(count), out(count), scanned(count), before(count), reduced(count);
      for (std::size_t i = 0; i < count; ++i) in[i] = input(all.rank(), i);
      all.allreduce(in.data(), out.data(), count, reduction);
      all.scan(in.data(), scanned.data(), count, reduction);
      all.exscan(in.data(), before.data(), count, reduction);
      int root = all.size() - 1;
      all.reduce(in.data(), reduced.data(), count, reduction, root);
      for (std::size_t i = 0; i < count; ++i) {
        Matrix product = input(0, i);
        for (int rank = 1; rank < all.size(); ++rank) {
          if (rank == all.rank()) { ASSERT_EQ(std::memcmp(&before[i], &product, sizeof(Matrix)), 0); }
          Matrix next = input(rank, i);
          multiply(&product, &product, &next, 1, nullptr);
          if (rank == all.rank()) { ASSERT_EQ(std::memcmp(&scanned[i], &product, sizeof(Matrix)), 0); }
        }
        ASSERT_EQ(std::memcmp(&out[i], &product, sizeof(Matrix)), 0);
        if (all.rank() == root) { ASSERT_EQ(std::memcmp(&reduced[i], &product, sizeof(Matrix)), 0); }
      }
    }
  });
}

TEST_P(Reductions, FloatsGiveTheSameBitsWhateverTheAlgorithm) {
  run([](runtime::Context& context) {
    Communicator all(context);
    const std::size_t count = 5000;
    std::vector<double> in(count), short_ones(count), long_ones(count);
    // Of very different sizes, so that any other order would show.
    for (std::size_t i = 0; i < count; ++i) {
      auto bits = random_bits(testing::stream(9, all.rank()), i);
      in[i] = std::ldexp(to_unit_interval(bits) - 0.5, static_cast<int>(bits % 80));
    }
    Reduction sum(Type::f64, Op::sum);
    all.force_algorithms("allreduce=recursive_doubling");
    all.allreduce(in.data(), long_ones.data(), count, sum);
    for (std::size_t i = 0; i < count; i += 100) all.allreduce(in.data() + i, short_ones.data() + i, 100, sum);
    EXPECT_EQ(short_ones, long_ones);
    all.force_algorithms("allreduce=halving_doubling");
    all.allreduce(in.data(), long_ones.data(), count, sum);
    EXPECT_EQ(short_ones, long_ones);
    std::vector<double> first = long_ones;
    all.broadcast(first.data(), count * 8, 0);
    EXPECT_EQ(first, long_ones);
  });
}

template <class T>
void check_level(SimdLevel level) {
  constexpr std::size_t most = 67;
  const auto type = static_cast<std::size_t>(type_of<T>);
  auto left = std::make_unique<T[]>(most + 1), right = std::make_unique<T[]>(most + 1),
       found = std::make_unique<T[]>(most + 1);
  fill_values(left.get(), 1, most + 1);
  fill_values(right.get(), 2, most + 1);
  for (std::size_t op = 0; op < op_count; ++op) {
    const Functor::Combine loop = detail::combine_table(level)[type][op];
    const Functor::Combine oracle = detail::combine_table(SimdLevel::baseline)[type][op];
    ASSERT_EQ(loop == nullptr, oracle == nullptr);
    if (loop == nullptr) continue;
    for (std::size_t first : {0, 1})
      for (std::size_t count : {0, 1, 7, 8, 9, 31, 33, 64, 66}) {
        loop(found.get() + first, left.get() + first, right.get() + first, count, nullptr);
        for (std::size_t i = first; i < first + count; ++i) {
          T wanted;
          oracle(&wanted, left.get() + i, right.get() + i, 1, nullptr);
          ASSERT_TRUE(same(&wanted, found.get() + i, 1))
              << name_of(level) << ", type " << type << ", op " << op << ", element " << i;
        }
      }
  }
}

TEST(Reduction, LevelsOfSimdAgree) {
  for (SimdLevel level : {SimdLevel::sse4, SimdLevel::avx2, SimdLevel::avx512}) {
    if (level > processor_simd_level()) continue;
    auto check_all = [&]<class... T>(std::tuple<T...>*) { (check_level<T>(level), ...); };
    check_all(static_cast<std::tuple<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                     std::uint16_t, std::uint32_t, std::uint64_t, float, double, long double,
                                     std::complex<float>, std::complex<double>>*>(nullptr));
  }
}

TEST(Reduction, MinAndMaxHandNanOn) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (Op op : {Op::min, Op::max}) {
    EXPECT_TRUE(std::isnan(combine(op, nan, 1.0)));
    EXPECT_TRUE(std::isnan(combine(op, 1.0, nan)));
  }
  EXPECT_EQ(combine(Op::min, 1.0, 2.0), 1.0);
  EXPECT_EQ(combine(Op::max, 1.0, 2.0), 2.0);
}

TEST(Reduction, BadOnesAreRefused) {
  EXPECT_THROW(Reduction(Type::f32, Op::bit_xor), TypeError);
  EXPECT_THROW(Reduction(Type::long_double, Op::bit_or), TypeError);
  EXPECT_THROW(reduction_of<std::complex<double>>(Op::max), TypeError);
  EXPECT_THROW(Reduction(Functor{}), ValueError);
}

ATOLL_ON_PES(Reductions);

}  // namespace
}  // namespace atl::coll
