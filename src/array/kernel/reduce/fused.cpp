// SPDX-License-Identifier: Apache-2.0
#include "kernel/reduce/fused.hpp"

#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/reduce/fused.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>
#include <utility>

#include "kernel/reduce/unit-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Part = hn::CappedTag<T, vector_bytes / sizeof(T)>;

// Elements of each form, of the accumulator's type T: vectors of them from element i on, and single ones.
template <class T>
struct Product {
  using Out = T;
  using In = T;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> vector(D d, const In* x, const T* y, std::size_t i) {
    return hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i));
  }
  static HWY_INLINE HWY_ATTR T number(const In* x, const T* y, std::size_t i) { return x[i] * y[i]; }
};
template <class From, class D>
HWY_INLINE HWY_ATTR hn::Vec<D> widen(D d, const From* x) {
  if constexpr (std::is_same_v<From, hn::TFromD<D>>) return hn::LoadU(d, x);
  else return hn::PromoteTo(d, hn::LoadU(hn::Rebind<From, D>(), x));
}
template <class From>
struct Widened {
  using Out = double;
  using In = From;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> vector(D d, const In* x, const double*, std::size_t i) {
    return widen(d, x + i);
  }
  static HWY_INLINE HWY_ATTR double number(const In* x, const double*, std::size_t i) {
    return static_cast<double>(x[i]);
  }
};
/// From one number for all, or from one for each element.
template <class From, bool one>
struct Distance {
  using Out = double;
  using In = From;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> vector(D d, const In* x, const double* y, std::size_t i) {
    const auto far = hn::Sub(widen(d, x + i), one ? hn::Set(d, *y) : hn::LoadU(d, y + i));
    return hn::Mul(far, far);
  }
  static HWY_INLINE HWY_ATTR double number(const In* x, const double* y, std::size_t i) {
    const double far = static_cast<double>(x[i]) - y[one ? 0 : i];
    return far * far;
  }
};

// Lane i with lane i + half, until one is left.
template <class D>
HWY_INLINE HWY_ATTR hn::TFromD<D> join_lanes(D d, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(v);
  } else {
    const hn::Half<D> half;
    return join_lanes(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}

/// The order of reduce_parts in unit.cpp.
template <class F, std::size_t... k>
HWY_INLINE HWY_ATTR typename F::Out sum_unit(const typename F::In* x, const typename F::Out* y, std::size_t count,
                                             std::index_sequence<k...>) {
  using T = typename F::Out;
  const Part<T> d;
  using V = hn::Vec<Part<T>>;
  constexpr std::size_t lanes = vector_bytes / sizeof(T), part = hn::MaxLanes(Part<T>());
  const V none = hn::Set(d, T(-0.0));  // x + -0.0 is x, also for x = -0.0
  V a0[] = {(static_cast<void>(k), none)...};
  V a1[] = {(static_cast<void>(k), none)...};
  V a2[] = {(static_cast<void>(k), none)...};
  V a3[] = {(static_cast<void>(k), none)...};
  std::size_t i = 0;
  for (; i + block<T> <= count; i += block<T>) {
    const char* ahead = reinterpret_cast<const char*>(x + i) + ahead_bytes;
    for (std::size_t line = 0; line < block<T> * sizeof(typename F::In); line += 64)
      __builtin_prefetch(ahead + line, 0, 2);
    ((a0[k] = hn::Add(a0[k], F::vector(d, x, y, i + k * part))), ...);
    ((a1[k] = hn::Add(a1[k], F::vector(d, x, y, i + lanes + k * part))), ...);
    ((a2[k] = hn::Add(a2[k], F::vector(d, x, y, i + 2 * lanes + k * part))), ...);
    ((a3[k] = hn::Add(a3[k], F::vector(d, x, y, i + 3 * lanes + k * part))), ...);
  }
  if (i < count) {
    alignas(vector_bytes) T tail[block<T>];
    for (std::size_t j = 0; j < block<T>; ++j) tail[j] = i + j < count ? F::number(x, y, i + j) : T(-0.0);
    ((a0[k] = hn::Add(a0[k], hn::LoadU(d, tail + k * part))), ...);
    ((a1[k] = hn::Add(a1[k], hn::LoadU(d, tail + lanes + k * part))), ...);
    ((a2[k] = hn::Add(a2[k], hn::LoadU(d, tail + 2 * lanes + k * part))), ...);
    ((a3[k] = hn::Add(a3[k], hn::LoadU(d, tail + 3 * lanes + k * part))), ...);
  }
  ((a0[k] = hn::Add(hn::Add(a0[k], a1[k]), hn::Add(a2[k], a3[k]))), ...);
  constexpr std::size_t parts = sizeof...(k);
  if constexpr (parts == 4) {
    a0[0] = hn::Add(a0[0], a0[2]);
    a0[1] = hn::Add(a0[1], a0[3]);
  }
  if constexpr (parts >= 2) a0[0] = hn::Add(a0[0], a0[1]);
  return join_lanes(d, a0[0]);
}

template <class F>
HWY_ATTR std::uint64_t unit(const void* x, const void* y, std::size_t count) {
  using T = typename F::Out;
  constexpr std::size_t parts = vector_bytes / sizeof(T) / hn::MaxLanes(Part<T>());
  return bits_of(sum_unit<F>(static_cast<const typename F::In*>(x), static_cast<const T*>(y), count,
                             std::make_index_sequence<parts>{}));
}

template <class F>
HWY_ATTR void tree(void* acc, const void* const* x, const void* const* y, std::size_t count) {
  using T = typename F::Out;
  const hn::ScalableTag<T> d;
  T* a = static_cast<T*>(acc);
  const typename F::In* from[FusedSum::tree_rows];
  const T* other[FusedSum::tree_rows];
  for (std::size_t r = 0; r < FusedSum::tree_rows; ++r) {
    from[r] = static_cast<const typename F::In*>(x[r]);
    other[r] = static_cast<const T*>(y[r]);
  }
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    auto pair = [&](std::size_t r) HWY_ATTR __attribute__((always_inline)) {
      return hn::Add(F::vector(d, from[r], other[r], i), F::vector(d, from[r + 1], other[r + 1], i));
    };
    hn::StoreU(hn::Add(hn::Add(pair(0), pair(2)), hn::Add(pair(4), pair(6))), d, a + i);
  }
  for (; i < count; ++i) {
    auto pair = [&](std::size_t r) {
      return F::number(from[r], other[r], i) + F::number(from[r + 1], other[r + 1], i);
    };
    a[i] = (pair(0) + pair(2)) + (pair(4) + pair(6));
  }
}

}  // namespace

template <class In>
FusedKernels kernels_of(FusedForm form) {
  if (form == FusedForm::widened) return {&unit<Widened<In>>, &tree<Widened<In>>};
  return {&unit<Distance<In, true>>, &tree<Distance<In, false>>};
}

FusedKernels find_fused(FusedForm form, DType type) {
  if (form == FusedForm::product && type == DType::f32) return {&unit<Product<float>>, &tree<Product<float>>};
  if (form == FusedForm::product) return {&unit<Product<double>>, &tree<Product<double>>};
  if (type == DType::f32) return kernels_of<float>(form);
  if (type == DType::i32) return kernels_of<std::int32_t>(form);
  return kernels_of<double>(form);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(find_fused);

struct Recognised {
  FusedForm form = FusedForm::none;
  Register x, y;
};

/// What the program's only result is, a leaf being `x`.
Recognised recognise(const Program& program) {
  if (program.results.size() != 1 || program.results[0].kind() != Register::Kind::value) return {};
  auto is_leaf = [](Register r) { return r.kind() == Register::Kind::leaf; };
  auto step_of = [&](Register r) { return r.kind() == Register::Kind::value ? &program.code[r.index()] : nullptr; };
  auto widened = [&](Register r) -> Register {  // the leaf that r is, or is converted from
    if (const Instruction* step = step_of(r)) return step->op == Op::cast && is_leaf(step->a) ? step->a : Register{};
    return is_leaf(r) ? r : Register{};
  };
  auto readable = [&](Register r) {
    if (!is_leaf(r)) return false;
    const DType type = program.type_of(r);
    return type == DType::f64 || type == DType::f32 || type == DType::i32;
  };
  const Instruction& last = *step_of(program.results[0]);
  if (last.op == Op::cast && last.type == DType::f64 && readable(last.a)) return {FusedForm::widened, last.a, {}};
  if (!is_float(last.type) || (last.op != Op::multiply && last.op != Op::square)) return {};
  const Register a = last.a, b = last.op == Op::square ? last.a : last.b;
  if (is_leaf(a) && is_leaf(b)) return {FusedForm::product, a, b};
  const Instruction* far = step_of(a);
  if (far == nullptr || !(a == b) || last.type != DType::f64 || far->op != Op::subtract) return {};
  const Register x = widened(far->a);
  if (!readable(x) || (!is_leaf(far->b) && far->b.kind() != Register::Kind::constant)) return {};
  return {FusedForm::distance, x, far->b};
}

/// Whether a leaf's axes in [from, to) are dense and the others repeat it.
bool lies_along(const Domain& domain, const Leaf& leaf, int from, int to) {
  if (leaf.kind != Leaf::Kind::view) return false;
  std::int64_t stride = 1;
  for (int axis = domain.dims - 1; axis >= 0; --axis) {
    const auto place = static_cast<std::size_t>(axis);
    const bool inside = from <= axis && axis < to;
    if (domain.shape[place] != 1 && leaf.strides[place] != (inside ? stride : 0)) return false;
    if (inside) stride *= domain.shape[place];
  }
  return true;
}

}  // namespace

FusedSum::FusedSum(const Program& program, Reduction kind, const Domain& domain, std::span<const Leaf> leaves,
                   Along along) {
  if (kind != Reduction::sum || domain.dims == 0) return;
  const Recognised found = recognise(program);
  if (found.form == FusedForm::none) return;
  auto is_dense = [&](Register r) { return lies_along(domain, leaves[r.index()], 0, domain.dims); };
  auto data = [&](Register r) { return static_cast<const std::byte*>(leaves[r.index()].data); };
  if (!is_dense(found.x)) return;
  if (found.form == FusedForm::product) {
    if (!is_dense(found.y)) return;
    y_ = data(found.y);
  } else if (found.form == FusedForm::distance && found.y.kind() == Register::Kind::constant) {
    if (along == Along::rows) return;
    bits_ = program.constants[found.y.index()].bits;
  } else if (found.form == FusedForm::distance) {
    int lines_end = domain.dims;  // axes of one distance each
    if (along == Along::lines)
      while (lines_end > 0 && leaves[found.y.index()].strides[static_cast<std::size_t>(lines_end - 1)] == 0)
        --lines_end;
    const int from = along == Along::rows ? 1 : 0, to = along == Along::everything ? 0 : lines_end;
    if (!lies_along(domain, leaves[found.y.index()], from, to)) return;
    y_ = data(found.y);
    y_moves_ = along != Along::everything;
  }
  form_ = found.form;
  const DType type = program.type_of(found.x);
  x_ = data(found.x);
  x_size_ = size_of(type);
  y_size_ = size_of(form_ == FusedForm::product ? type : DType::f64);
  kernels_ = HWY_DYNAMIC_DISPATCH(find_fused)(form_, type);
}

void FusedSum::tree(void* acc, std::uint64_t row, std::uint64_t row_elements, std::uint64_t column,
                    std::size_t count) const {
  const void *x[FusedSum::tree_rows], *y[FusedSum::tree_rows];
  for (std::size_t r = 0; r < FusedSum::tree_rows; ++r) {
    const std::uint64_t begin = (row + r) * row_elements + column;
    x[r] = x_ + begin * x_size_;
    y[r] = y_ == nullptr ? nullptr : y_ + (form_ == FusedForm::product ? begin : column) * y_size_;
  }
  kernels_.tree(acc, x, y, count);
}

}  // namespace atl::array
#endif
