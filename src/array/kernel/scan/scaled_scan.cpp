// SPDX-License-Identifier: Apache-2.0
// Scanning one unit with exponents apart, in the order of the plain scan.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/reduce/combine.hpp"
#include "kernel/scan/unit_scan.hpp"

namespace atl::array {
namespace {

/// log2(lanes) shifted steps, from the last lane on: those before are read as they were.
template <class Add, class V, std::size_t lanes>
void scan_lanes(V (&v)[lanes], std::size_t n) {
  for (std::size_t shift = 1; shift < lanes; shift *= 2)
    for (std::size_t i = n; i-- > shift;) v[i] = Add::call(v[i - shift], v[i]);
}

template <class T, template <class> class F>
void scan(void* out, const void* in, std::size_t count, const TreeNode* carry_node) {
  constexpr std::size_t lanes = scan_vector_bytes / sizeof(T);
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  Scaled<T> carry = carry_node == nullptr ? Scaled<T>{F<T>::identity, 0} : load<T>(*carry_node);
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const std::size_t n = std::min(lanes, count - begin);
    Scaled<T> v[lanes];
    // A vector's own scan stays in range where all elements are near 1.
    constexpr std::size_t reach = std::numeric_limits<T>::max_exponent / lanes - 1;
    constexpr T most = static_cast<T>(std::uint64_t{1} << (reach < 63 ? reach : 63));
    bool near = true;
    for (std::size_t i = 0; i < n; ++i)
      near &= std::fabs(x[begin + i]) <= most && std::fabs(x[begin + i]) >= T(1) / most;
    if (near) {
      T plain[lanes];
      std::copy_n(x + begin, n, plain);
      scan_lanes<F<T>>(plain, n);
      for (std::size_t i = 0; i < n; ++i) v[i] = Scaled<T>::of(plain[i]);
    } else {
      for (std::size_t i = 0; i < n; ++i) v[i] = Scaled<T>::of(x[begin + i]);
      scan_lanes<F<T>>(v, n);
    }
    for (std::size_t i = 0; i < n; ++i) y[begin + i] = F<T>::call(carry, v[i]).value();
    carry = F<T>::call(carry, v[n - 1]);
  }
}

}  // namespace

ScaledScan find_scaled_scan(Scan kind, DType type) {
  if (!may_leave_range(reduction_of(kind), type)) return nullptr;
  if (type == DType::f32) return kind == Scan::cumprod ? &scan<float, Product> : &scan<float, Sum>;
  return kind == Scan::cumprod ? &scan<double, Product> : &scan<double, Sum>;
}

}  // namespace atl::array
