// SPDX-License-Identifier: Apache-2.0
// Types and operations of reductions, and their identities.
#include <array>
#include <limits>

#include "atoll/base/validate.hpp"
#include "combine.hpp"

namespace atl::coll {
namespace {

constexpr std::array<std::size_t, type_count> sizes{1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, sizeof(long double), 8, 16};

template <class T>
constexpr bool has_order = !std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>;

template <class T>
T identity_of(Op op) {
  using limits = std::numeric_limits<T>;
  if (op == Op::sum || op == Op::bit_or || op == Op::bit_xor) return T(0);
  if (op == Op::prod || !has_order<T>) return T(1);
  if constexpr (has_order<T>) switch (op) {
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
  functor_ = {sizes[row], detail::combine_table()[row][column], nullptr};
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
