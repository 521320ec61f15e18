// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/limbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/raise.hpp"

namespace atl::table {
namespace {

using Word = std::uint64_t;
__extension__ using Wide = unsigned __int128;

/// Rows that are worth a thread.
constexpr std::size_t piece = 1024;

/// A number of one row, least significant limb first.
using Number = std::vector<Word>;

bool is_negative(const Number& x) { return (x.back() >> 63) != 0; }

void negate(Number& x) {
  Word carry = 1;
  for (Word& limb : x) {
    limb = ~limb + carry;
    carry = carry != 0 && limb == 0 ? 1 : 0;
  }
}

/// Limbs without leading zeros.
std::size_t significant(const Number& x) {
  std::size_t size = x.size();
  while (size > 0 && x[size - 1] == 0) --size;
  return size;
}

void read(LimbRows rows, std::size_t row, std::size_t limbs, Number& x) {
  x.resize(limbs);
  for (std::size_t j = 0; j < std::min(limbs, rows.size()); ++j) x[j] = rows[j][row];
  const Word sign = (rows.back()[row] >> 63) != 0 ? ~Word{0} : 0;
  for (std::size_t j = rows.size(); j < limbs; ++j) x[j] = sign;
}

/// to += from, of one size.
void add(Number& to, const Number& from) {
  Word carry = 0;
  for (std::size_t j = 0; j < to.size(); ++j) {
    const Wide sum = Wide{to[j]} + from[j] + carry;
    to[j] = static_cast<Word>(sum);
    carry = static_cast<Word>(sum >> 64);
  }
}

/// The product modulo 2 ^ (64 · limbs of `to`).
void multiply(const Number& a, const Number& b, Number& to) {
  std::fill(to.begin(), to.end(), Word{0});
  for (std::size_t i = 0; i < std::min(a.size(), to.size()); ++i) {
    if (a[i] == 0) continue;
    Word carry = 0;
    for (std::size_t j = 0; i + j < to.size() && (j < b.size() || carry != 0); ++j) {
      const Wide sum = Wide{a[i]} * (j < b.size() ? b[j] : 0) + to[i + j] + carry;
      to[i + j] = static_cast<Word>(sum);
      carry = static_cast<Word>(sum >> 64);
    }
  }
}

/// Quotient and remainder of numbers that are not negative: D. E. Knuth, The Art of Computer Programming 2, 4.3.1,
/// algorithm D.
void divide(const Number& a, const Number& b, Number& quotient, Number& rest) {
  const std::size_t m = significant(a), n = significant(b);
  quotient.assign(a.size(), 0);
  rest = a;
  if (n == 0) {
    std::fill(rest.begin(), rest.end(), Word{0});
    return;
  }
  if (m < n) return;
  if (n == 1) {
    Word carry = 0;
    for (std::size_t j = m; j-- > 0;) {
      const Wide part = (Wide{carry} << 64) | a[j];
      quotient[j] = static_cast<Word>(part / b[0]);
      carry = static_cast<Word>(part % b[0]);
    }
    std::fill(rest.begin(), rest.end(), Word{0});
    rest[0] = carry;
    return;
  }
  // The divisor's highest bit is set, so that a quotient's limb is guessed to within 2.
  const int shift = std::countl_zero(b[n - 1]);
  auto shifted = [shift](const Number& x, std::size_t j, std::size_t size) {
    const Word high = j < size ? x[j] << shift : 0;
    return shift == 0 || j == 0 ? high : high | (x[j - 1] >> (64 - shift));
  };
  Number u(m + 1), v(n);
  for (std::size_t j = 0; j <= m; ++j) u[j] = shifted(a, j, m);
  for (std::size_t j = 0; j < n; ++j) v[j] = shifted(b, j, n);
  for (std::size_t j = m - n + 1; j-- > 0;) {
    const Wide top = (Wide{u[j + n]} << 64) | u[j + n - 1];
    Wide guess = top / v[n - 1], left = top % v[n - 1];
    while ((guess >> 64) != 0 || static_cast<Word>(guess) * Wide{v[n - 2]} > ((left << 64) | u[j + n - 2])) {
      --guess;
      left += v[n - 1];
      if ((left >> 64) != 0) break;
    }
    Word borrow = 0, carry = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Wide product = Wide{static_cast<Word>(guess)} * v[i] + carry;
      carry = static_cast<Word>(product >> 64);
      const Wide difference = Wide{u[i + j]} - static_cast<Word>(product) - borrow;
      u[i + j] = static_cast<Word>(difference);
      borrow = static_cast<Word>(difference >> 64) != 0 ? 1 : 0;
    }
    const Wide difference = Wide{u[j + n]} - carry - borrow;
    u[j + n] = static_cast<Word>(difference);
    if (static_cast<Word>(difference >> 64) != 0) {  // one too many
      --guess;
      carry = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const Wide sum = Wide{u[i + j]} + v[i] + carry;
        u[i + j] = static_cast<Word>(sum);
        carry = static_cast<Word>(sum >> 64);
      }
      u[j + n] += carry;
    }
    quotient[j] = static_cast<Word>(guess);
  }
  std::fill(rest.begin(), rest.end(), Word{0});
  for (std::size_t j = 0; j < n; ++j) rest[j] = shift == 0 ? u[j] : (u[j] >> shift) | (u[j + 1] << (64 - shift));
}

/// Rounded down, of numbers with a sign.
void divide_down(Number& a, Number& b, Number& quotient, Number& rest) {
  const bool a_negative = is_negative(a), b_negative = is_negative(b);
  if (a_negative) negate(a);
  if (b_negative) negate(b);
  divide(a, b, quotient, rest);
  const bool exact = significant(rest) == 0;
  if (a_negative != b_negative && significant(b) != 0) {
    negate(quotient);
    if (!exact) {
      const Number one(quotient.size(), ~Word{0});  // -1
      add(quotient, one);
      negate(rest);
      add(rest, b);
    }
  }
  if (b_negative) negate(rest);
}

/// By how much to shift; more than `most` counts as that.
std::size_t amount(const Number& b, std::size_t most) {
  for (std::size_t j = 1; j < b.size(); ++j)
    if (b[j] != 0) return most;
  return b[0] > most ? most : static_cast<std::size_t>(b[0]);
}

void shift_left(const Number& a, std::size_t bits, Number& to) {
  const std::size_t limbs = bits / 64;
  const unsigned rest = bits % 64;
  for (std::size_t j = 0; j < to.size(); ++j) {
    const Word high = j < limbs ? 0 : a[j - limbs] << rest;
    to[j] = rest == 0 || j < limbs + 1 ? high : high | (a[j - limbs - 1] >> (64 - rest));
  }
}

void shift_right(const Number& a, std::size_t bits, Number& to) {
  const std::size_t limbs = bits / 64;
  const unsigned rest = bits % 64;
  const Word sign = is_negative(a) ? ~Word{0} : 0;
  auto limb = [&](std::size_t j) { return j < a.size() ? a[j] : sign; };
  for (std::size_t j = 0; j < to.size(); ++j)
    to[j] = rest == 0 ? limb(j + limbs) : (limb(j + limbs) >> rest) | (limb(j + limbs + 1) << (64 - rest));
}

void power(Number base, const Number& exponent, Number& to) {
  Number next(to.size());
  std::fill(to.begin(), to.end(), Word{0});
  to[0] = 1;
  const std::size_t size = significant(exponent);
  for (std::size_t bit = 0; bit < 64 * size; ++bit) {
    if (((exponent[bit / 64] >> (bit % 64)) & 1) != 0) {
      multiply(to, base, next);
      to.swap(next);
    }
    if (bit + 1 == 64 * size) break;
    multiply(base, base, next);
    base.swap(next);
  }
}

/// One or two limbs on each side and in the result: what decimals are.
template <class Apply>
void apply_short(const array::Work& work, LimbRows a, LimbRows b, std::span<Word* const> out, std::size_t count,
                 Apply&& apply) {
  auto value = [](LimbRows rows, std::size_t i) {
    const Word high = rows.size() > 1 ? rows[1][i] : ((rows[0][i] >> 63) != 0 ? ~Word{0} : 0);
    return (Wide{high} << 64) | rows[0][i];
  };
  array::Polling(work).for_pieces(count, 8 * piece, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      const Wide result = apply(value(a, i), value(b, i));
      out[0][i] = static_cast<Word>(result);
      if (out.size() > 1) out[1][i] = static_cast<Word>(result >> 64);
    }
  });
}

}  // namespace

LimbOperation to_limb_operation(std::string_view name) {
  using enum LimbOperation;
  constexpr std::array<std::pair<std::string_view, LimbOperation>, 8> names{{{"add", add},
                                                                             {"sub", subtract},
                                                                             {"mul", multiply},
                                                                             {"floordiv", divide},
                                                                             {"mod", remainder},
                                                                             {"pow", power},
                                                                             {"lshift", shift_left},
                                                                             {"rshift", shift_right}}};
  for (const auto& [known, operation] : names)
    if (known == name) return operation;
  raise<ValueError>(fmt::format("wide numbers have no '{}'", name));
}

void apply_limbs(const array::Work& work, LimbOperation operation, LimbRows a, LimbRows b,
                 std::span<std::uint64_t* const> out, std::size_t count) {
  if (out.size() <= 2 && a.size() <= 2 && b.size() <= 2) {
    if (operation == LimbOperation::add)
      return apply_short(work, a, b, out, count, [](Wide x, Wide y) { return x + y; });
    if (operation == LimbOperation::subtract)
      return apply_short(work, a, b, out, count, [](Wide x, Wide y) { return x - y; });
    if (operation == LimbOperation::multiply)
      return apply_short(work, a, b, out, count, [](Wide x, Wide y) { return x * y; });
  }
  // Numbers of both sides and the result in one width; division needs all limbs of its operands, and shifts those to
  // come.
  const std::size_t limbs = std::max({a.size(), b.size(), out.size()}) + (operation == LimbOperation::divide ? 1 : 0);
  array::Polling(work).for_pieces(count, piece, [&](std::size_t begin, std::size_t end, unsigned) {
    Number x, y, result(limbs), rest(limbs);
    for (std::size_t i = begin; i < end; ++i) {
      read(a, i, limbs, x);
      read(b, i, limbs, y);
      switch (operation) {
        case LimbOperation::add:
          add(x, y);
          result.swap(x);
          break;
        case LimbOperation::subtract:
          negate(y);
          add(x, y);
          result.swap(x);
          break;
        case LimbOperation::multiply: multiply(x, y, result); break;
        case LimbOperation::divide: divide_down(x, y, result, rest); break;
        case LimbOperation::remainder: divide_down(x, y, rest, result); break;
        case LimbOperation::power: power(x, y, result); break;
        case LimbOperation::shift_left: shift_left(x, amount(y, 64 * limbs), result); break;
        case LimbOperation::shift_right: shift_right(x, amount(y, 64 * limbs), result); break;
      }
      for (std::size_t j = 0; j < out.size(); ++j) out[j][i] = result[j];
    }
  });
}

}  // namespace atl::table
