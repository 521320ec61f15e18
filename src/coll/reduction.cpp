// SPDX-License-Identifier: Apache-2.0
// The loops behind reductions: every type with every operation, as one table of functions.
#include <array>
#include <cstring>
#include <limits>

#include "atoll/coll/collectives.hpp"

namespace atl::coll {
namespace {

template <class T>
constexpr bool is_complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T, Op op>
T combine_one(T left, T right) {
  if constexpr (std::is_same_v<T, bool>) {
    if constexpr (op == Op::sum || op == Op::max || op == Op::bit_or) return left || right;
    else if constexpr (op == Op::bit_xor) return left != right;
    else return left && right;
  } else if constexpr (is_complex<T>) {
    if constexpr (op == Op::sum) return left + right;
    // By the formula: what C's operator adds for infinities takes 20 times as long.
    else return T(left.real() * right.real() - left.imag() * right.imag(),
                  left.real() * right.imag() + left.imag() * right.real());
  } else if constexpr (std::is_floating_point_v<T>) {
    if constexpr (op == Op::sum) return left + right;
    else if constexpr (op == Op::prod) return left * right;
    // NaN wins, from the left first.
    else if constexpr (op == Op::min) return left < right || left != left ? left : right;
    else return left > right || left != left ? left : right;
  } else {
    using U = std::make_unsigned_t<T>;
    // Unsigned and wide enough: wrapping, also for 16-bit products that would be promoted to int.
    using Wide = std::conditional_t<(sizeof(T) < 4), std::uint32_t, U>;
    if constexpr (op == Op::sum) return static_cast<T>(static_cast<Wide>(left) + static_cast<Wide>(right));
    else if constexpr (op == Op::prod) return static_cast<T>(static_cast<Wide>(left) * static_cast<Wide>(right));
    else if constexpr (op == Op::min) return left < right ? left : right;
    else if constexpr (op == Op::max) return left > right ? left : right;
    else if constexpr (op == Op::bit_and) return static_cast<T>(left & right);
    else if constexpr (op == Op::bit_or) return static_cast<T>(left | right);
    else return static_cast<T>(left ^ right);
  }
}

template <class T, Op op>
void combine_all(void* into, const void* left, const void* right, std::size_t count, void*) {
  if constexpr (alignof(T) > 8) {
    // Mailbox cells align what they carry to 8.
    for (std::size_t i = 0; i < count; ++i) {
      T one, other;
      std::memcpy(&one, static_cast<const std::byte*>(left) + i * sizeof(T), sizeof(T));
      std::memcpy(&other, static_cast<const std::byte*>(right) + i * sizeof(T), sizeof(T));
      one = combine_one<T, op>(one, other);
      std::memcpy(static_cast<std::byte*>(into) + i * sizeof(T), &one, sizeof(T));
    }
    return;
  }
  auto* out = static_cast<T*>(into);
  auto* a = static_cast<const T*>(left);
  auto* b = static_cast<const T*>(right);
  // Without the promise that nothing overlaps the compiler would test for it, and give up where into == left.
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) out[i] = combine_one<T, op>(a[i], b[i]);
}

template <class T, Op op>
constexpr bool is_defined =
    op == Op::sum || op == Op::prod ||
    (!is_complex<T> && (op == Op::min || op == Op::max || !std::is_floating_point_v<T>));

template <class T>
constexpr std::array<Functor::Combine, op_count> combine_row() {
  std::array<Functor::Combine, op_count> row{};
  row[0] = combine_all<T, Op::sum>;
  row[1] = combine_all<T, Op::prod>;
  if constexpr (is_defined<T, Op::min>) {
    row[2] = combine_all<T, Op::min>;
    row[3] = combine_all<T, Op::max>;
  }
  if constexpr (is_defined<T, Op::bit_and>) {
    row[4] = combine_all<T, Op::bit_and>;
    row[5] = combine_all<T, Op::bit_or>;
    row[6] = combine_all<T, Op::bit_xor>;
  }
  return row;
}

constexpr std::array<std::array<Functor::Combine, op_count>, type_count> combine_table{
    combine_row<bool>(),          combine_row<std::int8_t>(),   combine_row<std::int16_t>(),
    combine_row<std::int32_t>(),  combine_row<std::int64_t>(),  combine_row<std::uint8_t>(),
    combine_row<std::uint16_t>(), combine_row<std::uint32_t>(), combine_row<std::uint64_t>(),
    combine_row<float>(),         combine_row<double>(),        combine_row<long double>(),
    combine_row<std::complex<float>>(), combine_row<std::complex<double>>()};
constexpr std::array<std::size_t, type_count> sizes{1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, sizeof(long double), 8, 16};

template <class T>
T identity_of(Op op) {
  using limits = std::numeric_limits<T>;
  if (op == Op::sum || op == Op::bit_or || op == Op::bit_xor) return T(0);
  if (op == Op::prod || is_complex<T>) return T(1);
  if constexpr (!is_complex<T>) switch (op) {
    case Op::min: return limits::has_infinity ? limits::infinity() : limits::max();
    case Op::max: return limits::has_infinity ? -limits::infinity() : limits::lowest();
    case Op::bit_and: return std::is_same_v<T, bool> ? T(1) : static_cast<T>(~std::uint64_t{0});
    default: break;
  }
  return T(0);
}

template <class T>
void fill(void* into, std::size_t count, Op op) {
  T value = identity_of<T>(op);
  for (std::size_t i = 0; i < count; ++i) static_cast<T*>(into)[i] = value;
}

}  // namespace

std::size_t size_of(Type type) { return sizes[static_cast<std::size_t>(type)]; }

Reduction::Reduction(Type type, Op op) {
  auto row = static_cast<std::size_t>(type), column = static_cast<std::size_t>(op);
  ATOLL_VALIDATE(row < type_count && column < op_count, ValueError, "no such element type or operation: {}, {}", row,
                 column);
  functor_ = {sizes[row], combine_table[row][column], nullptr};
  bool complex = type == Type::c64 || type == Type::c128;
  ATOLL_VALIDATE(functor_.combine != nullptr, TypeError, "{}",
                 complex ? "complex numbers can be summed and multiplied only"
                         : "bitwise reductions need integers or bool, not floating point");
  code_ = 1 + static_cast<std::uint32_t>(row * op_count + column);
}

Reduction::Reduction(const Functor& functor) : functor_(functor) {
  ATOLL_VALIDATE(functor.element_bytes != 0 && functor.combine != nullptr, ValueError,
                 "a reduction functor needs a function and a size of its elements");
}

bool Reduction::fill_identity(void* into, std::size_t count) const {
  if (code_ == 0) return false;
  Op op = static_cast<Op>((code_ - 1) % op_count);
  switch (static_cast<Type>((code_ - 1) / op_count)) {
    case Type::boolean: fill<bool>(into, count, op); break;
    case Type::i8: fill<std::int8_t>(into, count, op); break;
    case Type::i16: fill<std::int16_t>(into, count, op); break;
    case Type::i32: fill<std::int32_t>(into, count, op); break;
    case Type::i64: fill<std::int64_t>(into, count, op); break;
    case Type::u8: fill<std::uint8_t>(into, count, op); break;
    case Type::u16: fill<std::uint16_t>(into, count, op); break;
    case Type::u32: fill<std::uint32_t>(into, count, op); break;
    case Type::u64: fill<std::uint64_t>(into, count, op); break;
    case Type::f32: fill<float>(into, count, op); break;
    case Type::f64: fill<double>(into, count, op); break;
    case Type::long_double: fill<long double>(into, count, op); break;
    case Type::c64: fill<std::complex<float>>(into, count, op); break;
    case Type::c128: fill<std::complex<double>>(into, count, op); break;
  }
  return true;
}

}  // namespace atl::coll
