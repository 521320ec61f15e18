// SPDX-License-Identifier: Apache-2.0
// Every operation and dtype against a scalar oracle: values around the corners, counts around the vector width,
// misaligned memory; and casts between all dtypes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "atoll/array/kernel/plan.hpp"
#include "atoll/base/error.hpp"
#include "elementwise_oracle.hpp"

namespace atl::array {
namespace {

struct Environment {
  ThreadPool threads{1};
  SystemMemory memory;
  Monitor monitor;
  Work work{threads, memory, monitor};
};

template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  if constexpr (std::is_floating_point_v<T>) {
    return {T(0.0),         T(-0.0),       T(1),     T(-1),     T(0.5),      T(-0.5),   T(1.5),          T(-1.5),
            T(2.5),         T(2),          T(-2),    T(3),      T(1e-10),    T(-1e-10), T(7.25),         T(-7.25),
            T(100),         T(-100),       T(300.7), T(-300.7), T(70000.3),  T(3e9),    T(-3e9),         T(1e18),
            T(9.3e18),      T(1.9e19),     T(-1e19), L::max(),  L::lowest(), L::min(),  L::denorm_min(), L::infinity(),
            -L::infinity(), L::quiet_NaN()};
  } else {
    return {T(0),
            T(1),
            T(2),
            T(3),
            T(5),
            T(7),
            T(63),
            T(64),
            T(100),
            L::max(),
            T(L::max() - 1),
            L::min(),
            T(L::min() + 1),
            T(0) == T(L::min()) ? T(9) : T(-1),
            T(0) == T(L::min()) ? T(10) : T(-7),
            T(31),
            T(32),
            T(8)};
  }
}
template <>
std::vector<bool> special_values<bool>() {
  return {false, true};
}

/// Runs one instruction over `count` elements whose memory begins `offset` elements past an aligned address.
template <class R, class... A>
void run_one(Environment& env, Op op, DType loop, std::size_t count, std::size_t offset, R* out, const A*... operands) {
  Program program;
  std::vector<Register> registers{program.add_leaf(dtype_of<A>)...};
  registers.resize(3);
  program.results.push_back(program.add(op, loop, registers[0], registers[1], registers[2]));
  Plan plan(program);
  const Domain domain = Domain::flat(count);
  std::vector<Leaf> leaves{Leaf::dense(operands + offset, domain)...};
  void* outputs[] = {out};
  plan.evaluate(env.work, domain, leaves, outputs);
}

/// The oracle's answer; of an operation that it does not know (its values are compared with NumPy's in Python) that of
/// an array of one element, whose bits may not depend on where it lies and what is beside it.
template <class R, class T>
R expect_one(Environment& env, const OpInfo& op, const T* x, const T* y, std::size_t index) {
  try {
    return oracle::exact<R>(op.op, x[index], y[index]);
  } catch (const oracle::Unknown&) {
    R alone{};
    if (op.arity == 1) run_one(env, op.op, dtype_of<T>, 1, 0, &alone, x + index);
    else run_one(env, op.op, dtype_of<T>, 1, 0, &alone, x + index, y + index);
    return alone;
  }
}

// Distance in units in the last place; 0 for two NaNs.
template <class T>
double ulps(T x, long double exact) {
  if (std::isnan(x) || std::isnan(exact)) return std::isnan(x) && std::isnan(exact) ? 0 : 1e30;
  const T rounded = static_cast<T>(exact);
  if (x == rounded) return 0;
  if (std::isinf(x) || std::isinf(rounded)) return 1e30;
  const long double unit =
      std::max<long double>(std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity()) -
                                static_cast<long double>(std::fabs(rounded)),
                            std::numeric_limits<T>::denorm_min());
  return static_cast<double>(std::fabs(static_cast<long double>(x) - exact) / unit);
}

template <class T>
class Elementwise : public ::testing::Test {};
using AllTypes = ::testing::Types<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                                  std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Elementwise, AllTypes);

/// All pairs of special values and then random ones.
template <class T>
void make_operands(std::unique_ptr<T[]>& x, std::unique_ptr<T[]>& y, std::size_t& count, bool harmless_exponents) {
  const auto special = special_values<T>();
  const std::size_t n = special.size();
  count = n * n + 777;
  x = std::make_unique<T[]>(count + 8);
  y = std::make_unique<T[]>(count + 8);
  std::mt19937_64 random(42);
  for (std::size_t i = 0; i < count + 8; ++i) {
    if (i < n * n) {
      x[i] = special[i / n];
      y[i] = special[i % n];
    } else if constexpr (std::is_floating_point_v<T>) {
      x[i] = static_cast<T>(
          std::ldexp(static_cast<double>(random() >> 11) * 0x1.0p-53 - 0.5, static_cast<int>(random() % 12)));
      y[i] = static_cast<T>(
          std::ldexp(static_cast<double>(random() >> 11) * 0x1.0p-53 - 0.5, static_cast<int>(random() % 12)));
    } else if constexpr (std::is_same_v<T, bool>) {
      x[i] = random() & 1;
      y[i] = random() & 1;
    } else {
      x[i] = static_cast<T>(random());
      y[i] = static_cast<T>(random() % 50);
    }
    if (harmless_exponents && y[i] < T(0)) y[i] = T(3);
  }
}

TYPED_TEST(Elementwise, EveryOperationMatchesTheOracle) {
  using T = TypeParam;
  Environment env;
  for (const OpInfo& op : op_table()) {
    if (op.op == Op::cast || op.op == Op::where || op.op == Op::ldexp || !has_loop(op.op, dtype_of<T>)) continue;
    std::unique_ptr<T[]> x, y;
    std::size_t all = 0;
    make_operands(x, y, all, std::is_integral_v<T> && op.op == Op::power);
    for (std::size_t count :
         {all, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{130}}) {
      for (std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
        dispatch(result_type(op.op, dtype_of<T>), [&](auto r) {
          using R = typename decltype(r)::type;
          auto out = std::make_unique<R[]>(count + 1);
          std::memset(static_cast<void*>(out.get()), 1, sizeof(R) * (count + 1));
          R guard = out[count];
          if (op.arity == 1) run_one(env, op.op, dtype_of<T>, count, offset, out.get(), x.get());
          else run_one(env, op.op, dtype_of<T>, count, offset, out.get(), x.get(), y.get());
          for (std::size_t i = 0; i < count; ++i) {
            const T a = x[i + offset], b = y[i + offset];
            const long double tolerance = oracle::tolerance_ulps(op.op, dtype_of<T>);
            if (tolerance > 0) {
              if constexpr (std::is_floating_point_v<T> && std::is_same_v<R, T>) {
                const long double exact = oracle::precise(op.op, a, b);
                // The sum of logarithms cancels where it crosses zero: an error of the greater operand's last place.
                const bool cancels = op.op == Op::logaddexp || op.op == Op::logaddexp2;
                const long double margin =
                    cancels ? std::numeric_limits<T>::epsilon() * std::fmax(std::fabs(a), std::fabs(b)) : 0.0L;
                if (std::fabs(out[i] - exact) <= margin) continue;
                ASSERT_LE(ulps(out[i], exact), tolerance)
                    << op.name << " of " << name_of(dtype_of<T>) << " at " << i << ": " << a << ", " << b << " gives "
                    << out[i] << ", not " << exact;
              }
            } else {
              const R expected = expect_one<R>(env, op, x.get(), y.get(), i + offset);
              const bool both_nan = expected != expected && out[i] != out[i];
              ASSERT_TRUE(both_nan || to_bits(out[i]) == to_bits(expected))
                  << op.name << " of " << name_of(dtype_of<T>) << " at " << i << ": " << +a << ", " << +b << " gives "
                  << +out[i] << ", not " << +expected;
            }
          }
          ASSERT_EQ(to_bits(out[count]), to_bits(guard)) << op.name << " writes past its end";
        });
        if (::testing::Test::HasFatalFailure()) break;
        if (count == all) break;
      }
    }
  }
}

TYPED_TEST(Elementwise, CastsToEveryDtype) {
  using T = TypeParam;
  Environment env;
  std::unique_ptr<T[]> x, y;
  std::size_t count = 0;
  make_operands(x, y, count, false);
  for (std::size_t code = 0; code < dtype_count; ++code) {
    dispatch(static_cast<DType>(code), [&](auto r) {
      using R = typename decltype(r)::type;
      auto out = std::make_unique<R[]>(count);
      run_one(env, Op::cast, dtype_of<R>, count, 0, out.get(), x.get());
      for (std::size_t i = 0; i < count; ++i) {
#if !defined(__x86_64__)
        // A float that the integer type cannot hold becomes what the processor makes of it; the oracle knows x86-64's.
        if constexpr (std::is_floating_point_v<T> && std::is_integral_v<R> && !std::is_same_v<R, bool>) {
          if (!(x[i] >= static_cast<T>(std::numeric_limits<R>::lowest()) &&
                x[i] < static_cast<T>(std::numeric_limits<R>::max())))
            continue;
        }
#endif
        const R expected = oracle::cast<R>(x[i]);
        const bool both_nan = expected != expected && out[i] != out[i];
        ASSERT_TRUE(both_nan || to_bits(out[i]) == to_bits(expected))
            << name_of(dtype_of<T>) << " " << +x[i] << " to " << name_of(dtype_of<R>) << " gives " << +out[i]
            << ", not " << +expected;
      }
    });
  }
}

TYPED_TEST(Elementwise, WhereChooses) {
  using T = TypeParam;
  Environment env;
  std::unique_ptr<T[]> x, y;
  std::size_t count = 0;
  make_operands(x, y, count, false);
  auto condition = std::make_unique<bool[]>(count);
  for (std::size_t i = 0; i < count; ++i) condition[i] = i % 3 == 1;
  auto out = std::make_unique<T[]>(count);
  run_one(env, Op::where, dtype_of<T>, count, 0, out.get(), condition.get(), x.get(), y.get());
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(to_bits(out[i]), to_bits(condition[i] ? x[i] : y[i]));
}

TEST(Elementwise, LdexpTakesInt32) {
  Environment env;
  const std::vector<double> x{1.5, -2.0, 0.0, 1e300, 1e-300};
  const std::vector<std::int32_t> e{3, -1, 5, 2000, -2000};
  std::vector<double> out(x.size());
  run_one(env, Op::ldexp, DType::f64, x.size(), 0, out.data(), x.data(), e.data());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], std::ldexp(x[i], e[i]));
}

TEST(Elementwise, NegativeIntegerPowersAreReported) {
  Environment env;
  Program program;
  const Register a = program.add_leaf(DType::i32), b = program.add_leaf(DType::i32);
  program.results.push_back(program.add(Op::power, DType::i32, a, b));
  Plan plan(program);
  std::int32_t x[3] = {2, 3, 4}, good[3] = {0, 1, 2}, bad[3] = {1, -1, 2}, out[3];
  const Domain domain = Domain::flat(3);
  void* outputs[] = {out};
  const Leaf with_good[] = {Leaf::dense(x, domain), Leaf::dense(good, domain)};
  EXPECT_FALSE(plan.evaluate(env.work, domain, with_good, outputs).negative_power);
  const Leaf with_bad[] = {Leaf::dense(x, domain), Leaf::dense(bad, domain)};
  EXPECT_TRUE(plan.evaluate(env.work, domain, with_bad, outputs).negative_power);
}

TEST(Elementwise, TranscendentalsHaveTheSameBitsAnywhere) {
  Environment env;
  for (const OpInfo& op : op_table()) {
    if (oracle::tolerance_ulps(op.op, DType::f64) <= 0 || !has_loop(op.op, DType::f64) || op.arity != 1) continue;
    std::unique_ptr<double[]> x, y;
    std::size_t count = 0;
    make_operands(x, y, count, false);
    std::vector<double> out(count);
    run_one(env, op.op, DType::f64, count, 0, out.data(), x.get());
    for (std::size_t i = 0; i < count; i += 7) {
      double alone = 0;
      run_one(env, op.op, DType::f64, 1, i, &alone, x.get());
      ASSERT_EQ(to_bits(alone), to_bits(out[i])) << op.name << " of " << x[i];
    }
  }
}

TEST(Ops, NamesAndRules) {
  const std::pair<const char*, Op> firsts_and_lasts[] = {
      {"add", Op::add},
      {"reciprocal", Op::reciprocal},
      {"equal", Op::equal},
      {"signbit", Op::signbit},
      {"where", Op::where},
      {"fmin", Op::fmin},
      {"bitwise_and", Op::bitwise_and},
      {"multiply_high", Op::multiply_high},
      {"rint", Op::rint},
      {"ldexp", Op::ldexp},
      {"floor_divide", Op::floor_divide},
      {"power", Op::power},
      {"cbrt", Op::cbrt},
      {"logaddexp2", Op::logaddexp2},
      {"cast", Op::cast},
  };
  for (const auto& [name, op] : firsts_and_lasts) EXPECT_EQ(find_op(name), op) << name;
  EXPECT_EQ(find_op("nonsense"), std::nullopt);
  EXPECT_EQ(result_type(Op::less, DType::f64), DType::b1);
  EXPECT_EQ(result_type(Op::bitwise_count, DType::i64), DType::u8);
  EXPECT_FALSE(has_loop(Op::subtract, DType::b1));
  EXPECT_FALSE(has_loop(Op::bitwise_and, DType::f32));
  for (const OpInfo& op : op_table()) EXPECT_EQ(info(op.op).name, op.name);
  EXPECT_THROW(info(static_cast<Op>(op_family_size - 1)), ValueError);
}

}  // namespace
}  // namespace atl::array
