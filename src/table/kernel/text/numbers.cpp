// SPDX-License-Identifier: Apache-2.0
// Numbers as strings and back, exactly.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "atoll/table/kernel/text/digits.hpp"
#include "atoll/table/kernel/text/numbers.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/unicode.hpp"

namespace atl::table {
namespace {

std::string_view without_space(std::string_view text) {
  auto space = [](char byte) { return is_space(static_cast<unsigned char>(byte)); };
  while (!text.empty() && static_cast<unsigned char>(text.front()) < 128 && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) < 128 && space(text.back())) text.remove_suffix(1);
  return text;
}

bool same_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != word[i]) return false;
  return true;
}

/// What from_chars leaves undecided: 0, or infinite.
double out_of_range(std::string_view text) { return std::strtod(std::string(text).c_str(), nullptr); }

/// As Python's int() and float() read it, but for underscores and digits beside 0 to 9.
template <class T>
bool parse(std::string_view text, T& value) {
  text = without_space(text);
  if (text.empty()) return false;
  if constexpr (std::is_same_v<T, bool>) {
    value = same_word(text, "true") || text == "1";
    return value || same_word(text, "false") || text == "0";
  } else {
    if (text.front() == '+') {
      text.remove_prefix(1);
      if (text.empty() || text.front() == '-' || text.front() == '+') return false;
    }
    if constexpr (std::is_floating_point_v<T>) {
      const std::string_view unsigned_text = text.front() == '-' ? text.substr(1) : text;
      const T sign = text.front() == '-' ? T{-1} : T{1};
      if (same_word(unsigned_text, "inf") || same_word(unsigned_text, "infinity"))
        return value = sign * std::numeric_limits<T>::infinity(), true;
      if (same_word(unsigned_text, "nan")) return value = std::numeric_limits<T>::quiet_NaN(), true;
      if (unsigned_text.empty() || (unsigned_text[0] != '.' && (unsigned_text[0] < '0' || unsigned_text[0] > '9')))
        return false;
      double wide = 0;  // NumPy reads float32 as float64, too
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wide);
      if (end != text.data() + text.size()) return false;
      if (error == std::errc::result_out_of_range) wide = out_of_range(text);
      else if (error != std::errc()) return false;
      value = static_cast<T>(wide);
      return true;
    } else {
      if constexpr (std::is_unsigned_v<T>) {
        if (text == "-0") text = "0";
      }
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      return error == std::errc() && end == text.data() + text.size();
    }
  }
}

template <class T>
Measure parser(bool values_wanted) {
  if (!values_wanted) {
    return {array::DType::b1, [](const TextView& texts, void* out) {
              for (std::size_t i = 0; i < texts.count; ++i) {
                T value{};
                static_cast<bool*>(out)[i] = parse(texts[i], value);
              }
            }};
  }
  return {array::dtype_of<T>, [](const TextView& texts, void* out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              T value{};
              static_cast<T*>(out)[i] = parse(texts[i], value) ? value : T{};
            }
          }};
}

/// numbers[0]: the dtype.
template <bool values>
Measure parse_as(const TextCall& call) {
  return array::dispatch(static_cast<array::DType>(call.numbers.at(0)),
                         [](auto type) { return parser<typename decltype(type)::type>(values); });
}

constexpr std::array entries{
    MeasureEntry{"number", parse_as<true>},
    MeasureEntry{"is_number", parse_as<false>},
};

}  // namespace

namespace {

template <class T>
std::size_t write_as_repr(char* to, T value) {
  if (value != value) return std::copy_n("nan", 3, to), 3;
  if (value - value != 0) return value < 0 ? (std::copy_n("-inf", 4, to), 4) : (std::copy_n("inf", 3, to), 3);
  // Python's repr: the shortest digits that come back; with an exponent from 1e16 on and below 1e-4.
  const double size = value < 0 ? -static_cast<double>(value) : static_cast<double>(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  constexpr int bits = std::numeric_limits<T>::digits;
  if (plain && size < static_cast<double>(std::uint64_t{1} << bits)) {
    using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
    const Word word = std::bit_cast<Word>(value) & (~Word{0} >> 1);
    char* at = to;
    *at = '-';
    at += std::signbit(value);
    if (const auto whole = static_cast<std::int64_t>(size); static_cast<double>(whole) == size) {
      at = write_whole(at, static_cast<std::uint64_t>(whole));
      *at++ = '.';
      *at++ = '0';
      return static_cast<std::size_t>(at - to);
    }
    // A power of 2 has a neighbour that is nearer than the other.
    constexpr Word one = Word{1} << (bits - 1);
    if (const Word fraction = word & (one - 1); fraction != 0) {
      const int exponent = static_cast<int>(word >> (bits - 1)) - (std::numeric_limits<T>::max_exponent - 2 + bits);
      return static_cast<std::size_t>(write_fraction(at, fraction | one, exponent, sizeof(T) == 8 ? 0 : 8) - to);
    }
  }
  const auto [end, error] =
      std::to_chars(to, to + 30, value, plain ? std::chars_format::fixed : std::chars_format::scientific);
  std::size_t count = static_cast<std::size_t>(end - to);
  if (plain && std::find(to, end, '.') == end) {
    to[count++] = '.';
    to[count++] = '0';
  }
  return count;
}

std::size_t write_number(char* to, bool value) {
  const std::string_view word = value ? "True" : "False";
  std::copy(word.begin(), word.end(), to);
  return word.size();
}
std::size_t write_number(char* to, double value) { return write_float(to, value); }
std::size_t write_number(char* to, float value) { return write_float(to, value); }
std::size_t write_number(char* to, std::int64_t value) { return static_cast<std::size_t>(write_whole(to, value) - to); }
std::size_t write_number(char* to, std::uint64_t value) {
  return static_cast<std::size_t>(write_whole(to, value) - to);
}

}  // namespace

std::size_t write_float(char* to, double value) { return write_as_repr(to, value); }
std::size_t write_float(char* to, float value) { return write_as_repr(to, value); }

void write_numbers(array::DType type, const void* values, std::size_t count, TextBuilder& out) {
  array::dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Wide = std::conditional_t<std::is_same_v<T, bool> || std::is_floating_point_v<T>, T,
                                    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
    for (std::size_t i = 0; i < count; ++i) {
      char text[32];
      out.append({text, write_number(text, static_cast<Wide>(static_cast<const T*>(values)[i]))});
      out.end();
    }
  });
}

std::span<const MeasureEntry> number_measures() { return entries; }

}  // namespace atl::table
