// SPDX-License-Identifier: Apache-2.0
// Scanning one unit with exponents apart, in the order of the plain scan.
#include <algorithm>

#include "kernel/reduce/combine.hpp"
#include "kernel/scan/unit_scan.hpp"

namespace atl::array {
namespace {

template <class T, template <class> class F>
void scan(void* out, const void* in, std::size_t count, const TreeNode* carry_node) {
  constexpr std::size_t lanes = scan_vector_bytes / sizeof(T);
  const T* x = static_cast<const T*>(in);
  T* y = static_cast<T*>(out);
  Scaled<T> carry = carry_node == nullptr ? Scaled<T>{F<T>::identity, 0} : load<T>(*carry_node);
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const std::size_t n = std::min(lanes, count - begin);
    Scaled<T> v[lanes];
    for (std::size_t i = 0; i < n; ++i) v[i] = Scaled<T>::of(x[begin + i]);
    for (std::size_t shift = 1; shift < lanes; shift *= 2)
      for (std::size_t i = n; i-- > shift;) v[i] = F<T>::call(v[i - shift], v[i]);
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
