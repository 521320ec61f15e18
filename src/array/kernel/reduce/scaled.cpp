// SPDX-License-Identifier: Apache-2.0
// Units and rows with exponents apart, in the order of the plain kernels.
#include "kernel/reduce/scaled.hpp"

#include <algorithm>

#include "atoll/array/kernel/program.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/reduce/combine.hpp"
#include "kernel/reduce/range_watch.hpp"
#include "kernel/reduce/unit.hpp"

namespace atl::array {
namespace {

template <class T>
Scaled<T> at(const void* x, const std::int64_t* exponents, std::size_t i) {
  return Scaled<T>::of(static_cast<const T*>(x)[i], exponents == nullptr ? 0 : exponents[i]);
}

/// The lanes of a unit without exponents. Not to be seen through, as RangeWatch asks.
template <class T, template <class> class F, std::size_t lanes>
[[gnu::noipa]] void plain_lanes(T* acc, const T* x, std::size_t count) {
  std::fill_n(acc, lanes, F<T>::identity);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) acc[k] = F<T>::call(acc[k], x[i + k]);
  for (std::size_t k = 0; i + k < count; ++k) acc[k] = F<T>::call(acc[k], x[i + k]);
}

template <class T, template <class> class F>
void unit(const void* x, const std::int64_t* exponents, std::size_t count, TreeNode& node) {
  constexpr std::size_t lanes = unit_vector_bytes / sizeof(T);
  Scaled<T> acc[4 * lanes];
  const RangeWatch watch;
  T plain[4 * lanes];
  if (exponents == nullptr) plain_lanes<T, F, 4 * lanes>(plain, static_cast<const T*>(x), count);
  if (exponents == nullptr && !watch.left()) {  // it is their join that leaves the range
    for (std::size_t k = 0; k < 4 * lanes; ++k) acc[k] = Scaled<T>::of(plain[k]);
  } else {
    std::fill_n(acc, 4 * lanes, Scaled<T>{F<T>::identity, 0});
    for (std::size_t i = 0; i < count; ++i) {
      Scaled<T>& lane = acc[i % (4 * lanes)];
      lane = F<T>::call(lane, at<T>(x, exponents, i));
    }
  }
  for (std::size_t i = 0; i < lanes; ++i) {
    acc[i] = F<T>::call(F<T>::call(acc[i], acc[lanes + i]), F<T>::call(acc[2 * lanes + i], acc[3 * lanes + i]));
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) acc[i] = F<T>::call(acc[i], acc[half + i]);
  store(node, acc[0]);
}

template <class T, template <class> class F>
void join(void* acc, std::int64_t* acc_exponents, const void* x, const std::int64_t* exponents, std::size_t n) {
  T* a = static_cast<T*>(acc);
  for (std::size_t i = 0; i < n; ++i) {
    const Scaled<T> sum = F<T>::call(at<T>(a, acc_exponents, i), at<T>(x, exponents, i));
    a[i] = sum.mantissa;
    acc_exponents[i] = sum.exponent;
  }
}

template <class T>
void round(void* out, const void* x, const std::int64_t* exponents, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    static_cast<T*>(out)[i] = Scaled<T>{static_cast<const T*>(x)[i], exponents[i]}.value();
  }
}

template <class T, template <class> class F>
constexpr ScaledKernels kernels{&unit<T, F>, &join<T, F>, &round<T>};

}  // namespace

const ScaledKernels& find_scaled_kernels(Reduction kind, DType type) {
  ATOLL_EXPECT(may_leave_range(kind, type));
  const bool product = kind == Reduction::prod;
  if (type == DType::f32) return product ? kernels<float, Product> : kernels<float, Sum>;
  return product ? kernels<double, Product> : kernels<double, Sum>;
}

}  // namespace atl::array
