// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/csv/write.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "atoll/table/kernel/text/digits.hpp"
#include "atoll/table/kernel/text/numbers.hpp"

namespace atl::table {
namespace {

constexpr std::size_t number_room = 32, block = 16;

/// 16 bytes of a string, looked at together.
using Bytes = unsigned char __attribute__((vector_size(block)));

Bytes load(const char* from) {
  Bytes bytes;
  std::memcpy(&bytes, from, block);
  return bytes;
}

/// From a place before its middle on: as many bytes of 255 as that is before it, then zeros.
constexpr auto first_bytes = [] {
  std::array<char, 2 * block> found{};
  for (std::size_t i = 0; i < block; ++i) found[i] = static_cast<char>(255);
  return found;
}();

/// What a value's text is made of.
struct Style {
  explicit Style(const RowForm& form) : form(form) {
    special.fill(false);
    if (form.json) {
      for (unsigned i = 0; i < 32; ++i) special[i] = true;
      special['"'] = special['\\'] = true;
    } else {
      for (char c : {form.separator, form.quote, '\n', '\r'}) special[static_cast<unsigned char>(c)] = true;
    }
  }

  bool any_special(Bytes bytes, Bytes of) const {
    const auto found = form.json ? Bytes(bytes < 32) | Bytes(bytes == '"') | Bytes(bytes == '\\')
                                 : Bytes(bytes == static_cast<unsigned char>(form.separator)) |
                                       Bytes(bytes == static_cast<unsigned char>(form.quote)) | Bytes(bytes == '\n') |
                                       Bytes(bytes == '\r');
    const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(found & of);
    return (words[0] | words[1]) != 0;
  }

  const RowForm& form;
  std::array<bool, 256> special;
};

/// A column, and how a value of it is written: `put` returns behind it.
struct Cell {
  const RowColumn* column;
  char* (*put)(const Cell&, const Style&, std::size_t row, char* to);
  std::size_t most = 0;          // bytes, beside those of its text
  std::int64_t readable = 0;     // of texts: where the last of them ends
};

char* copy(std::string_view text, char* to) {
  if (!text.empty()) std::memcpy(to, text.data(), text.size());  // it may lie nowhere
  return to + text.size();
}

/// What is mostly one character.
char* put_short(const std::string& text, char* to) {
  if (text.size() != 1) return copy(text, to);
  *to = text[0];
  return to + 1;
}

template <class T>
char* put_number(const Cell& cell, const Style& style, std::size_t row, char* to) {
  const T value = static_cast<const T*>(cell.column->values)[row];
  if constexpr (std::is_same_v<T, bool>) {
    return copy(style.form.json ? (value ? "true" : "false") : (value ? "True" : "False"), to);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value != value || (style.form.json && value - value != 0)) return copy(style.form.missing, to);
    return to + write_float(to, value);
  } else {
    return write_whole(to, static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  }
}

/// Copies a string; whether a special character is in it. Blocks are written whole.
bool copy_looking(std::string_view text, const Style& style, bool may_read_on, char* to) {
  if (!may_read_on) {
    copy(text, to);
    return std::any_of(text.begin(), text.end(), [&](char c) { return style.special[static_cast<unsigned char>(c)]; });
  }
  bool found = false;
  std::size_t at = 0;
  do {
    const Bytes bytes = load(text.data() + at);
    std::memcpy(to + at, &bytes, block);
    found |= style.any_special(bytes, load(first_bytes.data() + block - std::min(text.size() - at, block)));
    at += block;
  } while (at < text.size());
  return found;
}

char* put_quoted(std::string_view text, char quote, char* to) {
  *to++ = quote;
  for (char c : text) {
    if (c == quote) *to++ = c;
    *to++ = c;
  }
  *to++ = quote;
  return to;
}

char* put_escaped(std::string_view text, const Style& style, char* to) {
  static constexpr std::string_view plain = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt", digits = "0123456789abcdef";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (!style.special[code]) {
      *to++ = c;
      continue;
    }
    *to++ = '\\';
    if (const std::size_t known = plain.find(c); known != std::string_view::npos) {
      *to++ = letters[known];
    } else {
      for (char one : {'u', '0', '0', digits[code >> 4], digits[code & 15]}) *to++ = one;
    }
  }
  return to;
}

char* put_text(const Cell& cell, const Style& style, std::size_t row, char* to) {
  const std::int64_t begin = cell.column->offsets[row], end = cell.column->offsets[row + 1];
  const std::string_view text{static_cast<const char*>(cell.column->values) + begin,
                              static_cast<std::size_t>(end - begin)};
  const bool may_read_on = end + static_cast<std::int64_t>(block) <= cell.readable;
  if (style.form.json) {
    *to++ = '"';
    to = copy_looking(text, style, may_read_on, to) ? put_escaped(text, style, to) : to + text.size();
    *to++ = '"';
    return to;
  }
  if (!copy_looking(text, style, may_read_on, to) || cell.column->verbatim) return to + text.size();
  return put_quoted(text, style.form.quote, to);
}

Cell cell_of(const RowColumn& column, const RowForm& form, std::size_t end) {
  Cell cell{
      .column = &column, .put = nullptr, .most = column.before.size() + std::max(form.missing.size(), number_room)};
  if (column.offsets != nullptr) {
    cell.put = put_text;
    cell.readable = column.offsets[end];
  } else {
    cell.put = array::dispatch(column.dtype, [](auto type) { return &put_number<typename decltype(type)::type>; });
  }
  return cell;
}

}  // namespace

char* RowText::room(std::size_t count) {
  if (bytes_.size() - used_ < count) {
    Buffer<char> larger(memory_, std::max(2 * bytes_.size(), used_ + count + 4096));
    if (used_ != 0) std::memcpy(larger.data(), bytes_.data(), used_);
    bytes_ = std::move(larger);
  }
  return bytes_.data() + used_;
}

void write_rows(std::span<const RowColumn> columns, const RowForm& form, std::size_t begin, std::size_t end,
                RowText& out) {
  if (begin >= end) return;
  const Style style(form);
  const std::size_t longer = form.json ? 6 : 2;  // a string may become so many times as long
  std::vector<Cell> cells;
  std::size_t most = form.end.size() + 2;
  for (const RowColumn& column : columns) most += cells.emplace_back(cell_of(column, form, end)).most;
  const bool alone = columns.size() == 1 && !form.json;
  std::vector<const std::int64_t*> offsets;
  for (const RowColumn& column : columns)
    if (column.offsets != nullptr) offsets.push_back(column.offsets);
  for (std::size_t row = begin; row < end; ++row) {
    std::size_t texts = 0;
    for (const std::int64_t* one : offsets) texts += static_cast<std::size_t>(one[row + 1] - one[row]);
    char* const first = out.room(most + longer * texts);
    char* to = first;
    for (const Cell& cell : cells) {
      to = put_short(cell.column->before, to);
      to = cell.column->valid != nullptr && !cell.column->valid[row] ? copy(form.missing, to)
                                                                     : cell.put(cell, style, row, to);
    }
    if (alone && to == first) to = copy(std::string(2, form.quote), to);  // readers skip an empty line
    out.use(static_cast<std::size_t>(put_short(form.end, to) - first));
  }
}

}  // namespace atl::table
