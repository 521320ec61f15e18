// SPDX-License-Identifier: Apache-2.0
#include "op/kernel.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>

#include "op/number.hpp"

namespace atl::mpi::op {
namespace {

using datatype::Number;
using datatype::Predefined;
using Combine = coll::Functor::Combine;

template <class T>
T load(const void* array, std::size_t i) {
  T value;  // copied, because message data is aligned to at most 8 bytes
  std::memcpy(&value, static_cast<const std::byte*>(array) + i * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void store(void* array, std::size_t i, const T& value) {
  std::memcpy(static_cast<std::byte*>(array) + i * sizeof(T), &value, sizeof(T));
}

/// The loop of one operation.
template <class T, auto combine>
void each(void* into, const void* left, const void* right, std::size_t count, void*) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) store<T>(into, i, combine(load<T>(left, i), load<T>(right, i)));
}

template <class T>
Combine arithmetic(Code code) {
  switch (code) {
    case Code::sum: return each<T, [](T a, T b) { return T(a + b); }>;
    case Code::prod: return each<T, [](T a, T b) { return T(a * b); }>;
    case Code::min: return each<T, [](T a, T b) { return (b < a) ? b : a; }>;
    case Code::max: return each<T, [](T a, T b) { return (a < b) ? b : a; }>;
    default: return nullptr;
  }
}

template <class T>
Combine complex(Code code) {
  using C = ComplexOf<T>;
  if (code == Code::sum) return each<C, [](C a, C b) { return C{T(a.real + b.real), T(a.imag + b.imag)}; }>;
  if (code == Code::prod)
    return each<C,
                [](C a, C b) { return C{T(a.real * b.real - a.imag * b.imag), T(a.real * b.imag + a.imag * b.real)}; }>;
  return nullptr;
}

template <class T>
Combine bitwise(Code code) {
  switch (code) {
    case Code::band: return each<T, [](T a, T b) { return T(a & b); }>;
    case Code::bor: return each<T, [](T a, T b) { return T(a | b); }>;
    case Code::bxor: return each<T, [](T a, T b) { return T(a ^ b); }>;
    default: return nullptr;
  }
}

template <class T>
Combine logical(Code code) {
  switch (code) {
    case Code::land: return each<T, [](T a, T b) { return T(a != 0 && b != 0); }>;
    case Code::lor: return each<T, [](T a, T b) { return T(a != 0 || b != 0); }>;
    case Code::lxor: return each<T, [](T a, T b) { return T((a != 0) != (b != 0)); }>;
    default: return nullptr;
  }
}

Combine logical_of(Code code, std::size_t size) {
  switch (size) {
    case 1: return logical<std::int8_t>(code);
    case 2: return logical<std::int16_t>(code);
    case 4: return logical<std::int32_t>(code);
    case 8: return logical<std::int64_t>(code);
    default: return logical<Integer16>(code);
  }
}

/// Layout of a value-index pair.
struct Pair {
  using IsLower = bool (*)(const std::byte* a, const std::byte* b);
  std::size_t index_at, extent;
  IsLower index_is_lower;
  bool operator==(const Pair&) const = default;
};

template <class T>
bool is_lower(const std::byte* a, const std::byte* b) {
  return load<T>(a, 0) < load<T>(b, 0);
}

/// Calls `call` with a value of the C++ type of a predefined integer, natural or real type.
template <class Call>
auto with_number(const Predefined& one, Call&& call) {
  if (one.number == Number::real) {
    if (one.size == 2) return call(Half{});
    if (one.size == 4) return call(float{});
    if (one.size == 8) return call(double{});
    return one.handle == 0x220 ? call(static_cast<long double>(0)) : call(Quad{});
  }
  const bool natural = one.number == Number::natural;
  switch (one.size) {
    case 1: return natural ? call(std::uint8_t{}) : call(std::int8_t{});
    case 2: return natural ? call(std::uint16_t{}) : call(std::int16_t{});
    case 4: return natural ? call(std::uint32_t{}) : call(std::int32_t{});
    case 8: return natural ? call(std::uint64_t{}) : call(std::int64_t{});
    default: return call(Integer16{});
  }
}

// Fortran's pair types have real indices.
Pair::IsLower lower_of(const Predefined& index) {
  return with_number(index, []<class T>(T) -> Pair::IsLower { return is_lower<T>; });
}

template <class V, bool largest>
void located(void* into, const void* left, const void* right, std::size_t count, void* state) {
  const Pair& pair = *static_cast<const Pair*>(state);
  auto* out = static_cast<std::byte*>(into);
  auto *a = static_cast<const std::byte*>(left), *b = static_cast<const std::byte*>(right);
  for (std::size_t i = 0; i < count; ++i, out += pair.extent, a += pair.extent, b += pair.extent) {
    V one = load<V>(a, 0), other = load<V>(b, 0);
    bool better = largest ? other > one : other < one;
    bool take_right = better || (one == other && pair.index_is_lower(b + pair.index_at, a + pair.index_at));
    std::memmove(out, take_right ? b : a, pair.extent);
  }
}

template <bool largest>
Combine located_of(const Predefined& value) {
  return with_number(value, []<class T>(T) -> Combine { return located<T, largest>; });
}

/// Interns a pair layout. There are few, and they live as long as the process.
const Pair* pair_of(const Pair& wanted) {
  static std::mutex mutex;
  static auto& known = *new std::deque<Pair>;
  std::lock_guard lock(mutex);
  auto found = std::ranges::find(known, wanted);
  return found != known.end() ? &*found : &known.emplace_back(wanted);
}

std::optional<coll::Reduction> pair_reduction(Code code, const datatype::Type& type, Spacing spacing) {
  const datatype::Node& node = *type.description();  // value, then index
  if (code != Code::minloc && code != Code::maxloc) return std::nullopt;
  const Predefined &value = *node.entries.at(0).child->element, &index = *node.entries.at(1).child->element;
  Combine combine = code == Code::minloc ? located_of<false>(value) : located_of<true>(value);
  bool packed = spacing == Spacing::packed;
  Pair pair{packed ? value.size : static_cast<std::size_t>(node.entries[1].offset),
            static_cast<std::size_t>(packed ? type.size() : type.extent()), lower_of(index)};
  return coll::Reduction(coll::Functor{pair.extent, combine, const_cast<Pair*>(pair_of(pair))});
}

// Whether it is a type of MPI_Type_get_value_index without a constant, or a duplicate of one.
bool is_value_index(const datatype::Type& type) {
  const datatype::Type* one = &type;
  while (one->combiner() == datatype::Combiner::dup) one = one->contents().types.front().get();
  return one->combiner() == datatype::Combiner::value_index;
}

// The equivalent type of coll, if it has one.
std::optional<coll::Type> type_in_coll(const Predefined& one) {
  using coll::Type;
  int log2 = one.size == 1 ? 0 : one.size == 2 ? 1 : one.size == 4 ? 2 : 3;
  if (one.size == 16 && one.handle == 0x220) return Type::long_double;
  switch (one.number) {
    case Number::boolean: return Type::boolean;
    case Number::bytes: return Type::u8;
    case Number::integer:
      if (one.size > 8) return std::nullopt;
      return static_cast<Type>(static_cast<int>(Type::i8) + log2);
    case Number::natural: return static_cast<Type>(static_cast<int>(Type::u8) + log2);
    case Number::real:
      if (one.size != 4 && one.size != 8) return std::nullopt;
      return one.size == 4 ? Type::f32 : Type::f64;
    case Number::complex:
      if (one.size != 8 && one.size != 16) return std::nullopt;
      return one.size == 8 ? Type::c64 : Type::c128;
    default: return std::nullopt;
  }
}

std::optional<coll::Op> op_in_coll(Code code) {
  using coll::Op;
  switch (code) {
    case Code::sum: return Op::sum;
    case Code::prod: return Op::prod;
    case Code::min: return Op::min;
    case Code::max: return Op::max;
    case Code::band: return Op::bit_and;
    case Code::bor: return Op::bit_or;
    case Code::bxor: return Op::bit_xor;
    default: return std::nullopt;
  }
}

/// Whether the standard's table allows this operation on this kind of number.
bool is_allowed(Code code, Number number) {
  bool integer = number == Number::integer || number == Number::natural;
  switch (code) {
    case Code::sum:
    case Code::prod: return integer || number == Number::real || number == Number::complex;
    case Code::min:
    case Code::max: return integer || number == Number::real;
    case Code::band:
    case Code::bor:
    case Code::bxor: return integer || number == Number::bytes;
    case Code::land:
    case Code::lor:
    case Code::lxor: return integer || number == Number::logical || number == Number::boolean;
    default: return false;
  }
}

Combine own_kernel(Code code, const Predefined& one) {
  if (code == Code::land || code == Code::lor || code == Code::lxor) return logical_of(code, one.size);
  if (one.number == Number::integer) {
    Combine combine = arithmetic<Integer16>(code);
    return combine != nullptr ? combine : bitwise<Integer16>(code);
  }
  if (one.number == Number::real) return one.size == 2 ? arithmetic<Half>(code) : arithmetic<Quad>(code);
  if (one.size == 4) return complex<Half>(code);
  return one.handle == 0x2eb ? complex<Quad>(code) : complex<long double>(code);
}

void take_right(void* into, const void*, const void* right, std::size_t count, void* bytes) {
  if (into != right) std::memmove(into, right, count * reinterpret_cast<std::uintptr_t>(bytes));
}
void keep_left(void* into, const void* left, const void*, std::size_t count, void* bytes) {
  if (into != left) std::memmove(into, left, count * reinterpret_cast<std::uintptr_t>(bytes));
}

}  // namespace

const char* name_of(Code code) {
  switch (code) {
    case Code::sum: return "MPI_SUM";
    case Code::min: return "MPI_MIN";
    case Code::max: return "MPI_MAX";
    case Code::prod: return "MPI_PROD";
    case Code::band: return "MPI_BAND";
    case Code::bor: return "MPI_BOR";
    case Code::bxor: return "MPI_BXOR";
    case Code::land: return "MPI_LAND";
    case Code::lor: return "MPI_LOR";
    case Code::lxor: return "MPI_LXOR";
    case Code::minloc: return "MPI_MINLOC";
    case Code::maxloc: return "MPI_MAXLOC";
    case Code::replace: return "MPI_REPLACE";
    case Code::no_op: return "MPI_NO_OP";
  }
  return nullptr;
}

std::optional<coll::Reduction> reduction(Code code, const datatype::Type& type, Spacing spacing) {
  const Predefined* one = type.element();
  if (code == Code::replace || code == Code::no_op) {
    auto bytes = static_cast<std::size_t>(spacing == Spacing::packed ? type.size() : type.extent());
    return coll::Reduction(
        coll::Functor{bytes, code == Code::replace ? take_right : keep_left, reinterpret_cast<void*>(bytes)});
  }
  if (one == nullptr) return is_value_index(type) ? pair_reduction(code, type, spacing) : std::nullopt;
  // The standard excludes characters from arithmetic, but programs reduce MPI_CHAR like MPI_SIGNED_CHAR, and all MPI
  // libraries allow it.
  constexpr std::uint16_t mpi_char = 0x243, mpi_signed_char = 0x244;
  if (one->handle == mpi_char) one = datatype::find_predefined(mpi_signed_char);
  if (one->number == Number::pair) return pair_reduction(code, type, spacing);
  if (!is_allowed(code, one->number)) return std::nullopt;
  auto in_coll = type_in_coll(*one);
  auto op = op_in_coll(code);
  if (in_coll && op) return coll::Reduction(*in_coll, *op);
  Combine combine = own_kernel(code, *one);
  if (combine == nullptr) return std::nullopt;
  return coll::Reduction(coll::Functor{one->size, combine, nullptr});
}

}  // namespace atl::mpi::op
