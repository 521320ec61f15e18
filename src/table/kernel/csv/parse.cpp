// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/csv/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>

#include "atoll/table/kernel/csv/values.hpp"
#include "kernel/csv/records.hpp"

namespace atl::table {
namespace {

/// A few words. What is none of them is known by its length or first byte, mostly.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {
    for (const std::string& word : words_) {
      nothing_ |= word.empty();
      lengths_.set(std::min<std::size_t>(word.size(), longest));
      if (!word.empty()) first_.set(static_cast<unsigned char>(word[0]));
    }
  }
  bool has(std::string_view text) const {
    if (text.empty()) return nothing_;
    return first_[static_cast<unsigned char>(text[0])] && lengths_[std::min<std::size_t>(text.size(), longest)] &&
           find(text);
  }
  template <class Is>
  bool any(Is&& is) const {
    return std::any_of(words_.begin(), words_.end(), is);
  }

 private:
  [[gnu::noinline]] bool find(std::string_view text) const {
    return std::find(words_.begin(), words_.end(), text) != words_.end();
  }

  static constexpr std::size_t longest = 63;
  const std::vector<std::string>& words_;
  bool nothing_ = false;
  std::bitset<longest + 1> lengths_;
  std::bitset<256> first_;
};

/// What all columns' values are read with.
struct Values {
  explicit Values(const CsvDialect& given)
      : dialect(given),
        missing(given.missing),
        yes(given.yes),
        no(given.no),
        quote(given.quote.value_or('\0')),
        quotes(given.quote.has_value()),
        number_is_missing(missing.any([](const std::string& word) {
          return read_float(word).has_value() && word.find_first_of("0123456789") != std::string::npos;
        })) {}

  /// A field without its quotes; a field with quotes inside is unescaped into `scratch`.
  std::string_view text_in(const char* begin, const char* end, std::string& scratch) const {
    if (!quotes || begin == end || *begin != quote) return {begin, end};
    const auto* closing =
        static_cast<const char*>(std::memchr(begin + 1, quote, static_cast<std::size_t>(end - begin - 1)));
    if (closing == end - 1) return {begin + 1, closing};
    scratch.clear();
    for (const char* at = begin + 1;
         at < end;) {  // two quotes are one; behind the one that closes, all is as it stands
      if (*at == quote) {
        if (at + 1 < end && at[1] == quote) {
          ++at;
        } else {
          scratch.append(at + 1, end);
          break;
        }
      }
      scratch.push_back(*at++);
    }
    return scratch;
  }
  std::optional<double> number_in(std::string_view text) const {
    if (dialect.decimal == '.') return read_float(text);
    if (text.find('.') != std::string_view::npos) return std::nullopt;
    std::string copy(text);
    std::replace(copy.begin(), copy.end(), dialect.decimal, '.');
    return read_float(copy);
  }
  std::optional<bool> bool_in(std::string_view text) const {
    if (yes.has(text)) return true;
    if (no.has(text)) return false;
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return yes.has(text) ? std::optional(true) : no.has(text) ? std::optional(false) : std::nullopt;
  }

  const CsvDialect& dialect;
  Words missing, yes, no;
  char quote;
  bool quotes;
  bool number_is_missing;
};

/// Calls `body(begin, end)` for a column's fields.
template <class Body>
void for_fields(const CsvWindows& windows, const CsvRun& run, std::size_t fields, std::size_t column, Body&& body) {
  const char* base = windows.base();
  const std::uint32_t* at = run.ends + column;
  if (column + 1 < fields) {
    for (std::size_t row = 0; row < run.rows; ++row, at += fields)
      body(base + static_cast<std::uint32_t>(at[-1] + 1), base + *at);
    return;
  }
  for (std::size_t row = 0; row < run.rows; ++row, at += fields) {
    const char* begin = base + static_cast<std::uint32_t>(at[-1] + 1);
    const char* end = base + *at;
    body(begin, end - (end > begin && *end == '\n' && end[-1] == '\r'));
  }
}

template <class T>
void grow(Memory& memory, Buffer<T>& buffer, std::size_t used, std::size_t needed, std::size_t guess) {
  if (buffer.size() >= needed) return;
  Buffer<T> larger(memory, std::max({needed, guess, 2 * buffer.size()}));
  if (used > 0) std::memcpy(larger.data(), buffer.data(), used * sizeof(T));
  buffer = std::move(larger);
}

/// One column in the making.
class Maker {
 public:
  Maker(Memory& memory, CsvKind kind, std::size_t index, std::size_t fields)
      : memory_(memory), kind_(kind), index_(index), fields_(fields) {}

  /// Adds a window's rows, of which `rows` are there already; in all there may be `guess`.
  void add(const Values& values, CsvWindows& windows, std::size_t rows, std::size_t guess) {
    if (kind_ == CsvKind::none) return;
    grow(memory_, valid_, rows, rows + windows.rows(), guess);
    switch (kind_) {
      case CsvKind::i64: add_ints(values, windows, rows, guess); break;
      case CsvKind::f64: add_floats(values, windows, rows, guess); break;
      case CsvKind::b1: add_bools(values, windows, rows, guess); break;
      default: add_texts(values, windows, rows, guess); break;
    }
  }

  CsvColumn finish(std::size_t rows) {
    if (kind_ == CsvKind::text && rows == 0) {
      column_.offsets = Buffer<std::int64_t>(memory_, 1);
      column_.offsets[0] = 0;
    }
    if (column_.missing > 0) {
      column_.valid = Buffer<std::uint8_t>(memory_, (rows + 7) / 8);
      std::memset(valid_.data() + rows, 0, 8);
      for (std::size_t row = 0; row < rows; row += 8) {
        unsigned bits = 0;
        for (unsigned i = 0; i < 8; ++i) bits |= static_cast<unsigned>(valid_[row + i]) << i;
        column_.valid[row / 8] = static_cast<std::uint8_t>(bits);
      }
    }
    return std::move(column_);
  }

 private:
  template <class T>
  T* room(std::size_t rows, const CsvWindows& windows, std::size_t guess) {
    grow(memory_, column_.values, rows * sizeof(T), (rows + windows.rows()) * sizeof(T), guess * sizeof(T));
    return reinterpret_cast<T*>(column_.values.data()) + rows;
  }

  /// A value that is read in no quick way: `read` gives it, or nothing.
  template <class T, class Read>
  [[gnu::noinline]] T slowly(const Values& values, CsvWindows& windows, const char* begin, const char* end,
                             std::uint8_t& there, const char* name, Read&& read) {
    const std::string_view text = values.text_in(begin, end, scratch_);
    if (values.missing.has(text)) {
      ++column_.missing;
      there = 0;
      return T{};
    }
    const auto value = read(text);
    if (!value && !windows.fault)
      windows.fault =
          CsvFault{fmt::format("conversion error to {}: invalid value '{}'", name, text),
                   windows.seen() - windows.window() + static_cast<std::size_t>(begin - windows.base()), index_};
    there = 1;
    return value ? *value : T{};
  }

  void add_ints(const Values& values, CsvWindows& windows, std::size_t rows, std::size_t guess) {
    std::uint8_t* there = valid_.data() + rows;
    auto* out = room<std::int64_t>(rows, windows, guess);
    for (const CsvRun& run : windows.runs())
      for_fields(windows, run, fields_, index_, [&](const char* begin, const char* end) {
        if (!values.number_is_missing && read_int_fast(begin, end, *out)) *there = 1;
        else
          *out = slowly<std::int64_t>(values, windows, begin, end, *there, "int64",
                                      [](std::string_view text) { return read_int(text); });
        ++out;
        ++there;
      });
  }

  void add_floats(const Values& values, CsvWindows& windows, std::size_t rows, std::size_t guess) {
    std::uint8_t* there = valid_.data() + rows;
    auto* out = room<double>(rows, windows, guess);
    const bool quick = !values.number_is_missing && values.dialect.decimal == '.';
    for (const CsvRun& run : windows.runs())
      for_fields(windows, run, fields_, index_, [&](const char* begin, const char* end) {
        if (quick && read_float_fast(begin, end, *out)) *there = 1;
        else
          *out = slowly<double>(values, windows, begin, end, *there, "double",
                                [&](std::string_view text) { return values.number_in(text); });
        ++out;
        ++there;
      });
  }

  void add_bools(const Values& values, CsvWindows& windows, std::size_t rows, std::size_t guess) {
    std::uint8_t* there = valid_.data() + rows;
    auto* out = room<bool>(rows, windows, guess);
    for (const CsvRun& run : windows.runs())
      for_fields(windows, run, fields_, index_, [&](const char* begin, const char* end) {
        *out++ = slowly<bool>(values, windows, begin, end, *there, "bool",
                              [&](std::string_view text) { return values.bool_in(text); });
        ++there;
      });
  }

  void add_texts(const Values& values, CsvWindows& windows, std::size_t rows, std::size_t guess) {
    std::uint8_t* there = valid_.data() + rows;
    grow(memory_, column_.offsets, rows + (rows > 0), rows + windows.rows() + 1, guess + 1);
    if (rows == 0) column_.offsets[0] = 0;
    std::int64_t* out = column_.offsets.data() + rows;
    auto used = static_cast<std::size_t>(*out);
    // No text is longer than what stands for it.
    const std::size_t share = rows == 0
                                  ? 0
                                  : static_cast<std::size_t>(static_cast<double>(used) / static_cast<double>(rows) *
                                                             static_cast<double>(guess));
    grow(memory_, column_.values, used, used + windows.window() + 64, share);
    auto* bytes = reinterpret_cast<char*>(column_.values.data());
    const bool plain = windows.plain_quotes();
    for (const CsvRun& run : windows.runs())
      for_fields(windows, run, fields_, index_, [&](const char* begin, const char* end) {
        std::string_view text{begin, end};
        if (values.quotes && begin < end && *begin == values.quote) {
          if (plain && end - begin > 1 && end[-1] == values.quote) text = {begin + 1, end - 1};
          else text = values.text_in(begin, end, scratch_);
        }
        if (values.missing.has(text)) {
          ++column_.missing;
          *there++ = 0;
        } else {
          *there++ = 1;
          if (text.size() <= 32 &&
              static_cast<std::size_t>(text.data() - begin) <= 1) {  // more is read, and overwritten by the next
            std::memcpy(bytes + used, text.data(), 16);
            std::memcpy(bytes + used + 16, text.data() + 16, 16);
          } else {
            std::memcpy(bytes + used, text.data(), text.size());
          }
          used += text.size();
        }
        *++out = static_cast<std::int64_t>(used);
      });
  }

  Memory& memory_;
  CsvKind kind_;
  std::size_t index_, fields_;
  CsvColumn column_;
  Buffer<std::uint8_t> valid_;  // a byte for each row
  std::string scratch_;
};

}  // namespace

CsvTable parse_csv(Memory& memory, const CsvText& text, const CsvDialect& dialect, std::span<const CsvKind> kinds) {
  CsvTable table;
  CsvWindows windows(text, dialect, kinds.size());
  const Values values(dialect);
  std::vector<Maker> makers;
  for (std::size_t i = 0; i < kinds.size(); ++i) makers.emplace_back(memory, kinds[i], i, kinds.size());
  std::size_t rows = 0;
  while (windows.next()) {
    // As many rows as there would be if all were as long as those so far, and a few.
    const double ratio = static_cast<double>(windows.size()) / static_cast<double>(windows.seen());
    const auto guess = static_cast<std::size_t>(static_cast<double>(rows + windows.rows()) * ratio * 1.02) + 64;
    for (Maker& maker : makers) maker.add(values, windows, rows, guess);
    rows += windows.rows();
    if (windows.fault) break;
  }
  table.fault = windows.fault;
  table.skipped = windows.skipped;
  if (table.fault) return table;
  table.rows = static_cast<std::int64_t>(rows);
  for (Maker& maker : makers) table.columns.push_back(maker.finish(rows));
  return table;
}

std::vector<CsvKind> guess_csv(const CsvText& text, const CsvDialect& dialect, std::size_t columns,
                               std::optional<CsvFault>& fault) {
  struct Fits {
    bool i64 = true, b1 = true, f64 = true, any = false;
  };
  std::vector<Fits> fits(columns);
  CsvWindows windows(text, dialect, columns);
  const Values values(dialect);
  std::string scratch;
  while (windows.next()) {
    for (std::size_t column = 0; column < columns; ++column) {
      Fits& fit = fits[column];
      for (const CsvRun& run : windows.runs()) {
        if (!(fit.i64 || fit.b1 || fit.f64)) break;
        for_fields(windows, run, columns, column, [&](const char* begin, const char* end) {
          if (!(fit.i64 || fit.b1 || fit.f64)) return;
          std::int64_t whole;
          double number;
          if (fit.i64 && !values.number_is_missing && read_int_fast(begin, end, whole)) {
            fit.b1 = fit.b1 && values.bool_in({begin, end}).has_value();
            fit.any = true;
            return;
          }
          if (fit.f64 && !fit.i64 && !fit.b1 && !values.number_is_missing && dialect.decimal == '.' &&
              read_float_fast(begin, end, number))
            return;
          const std::string_view field = values.text_in(begin, end, scratch);
          if (values.missing.has(field)) return;
          fit.any = true;
          fit.i64 = fit.i64 && read_int(field).has_value();
          fit.b1 = fit.b1 && values.bool_in(field).has_value();
          fit.f64 = fit.f64 && values.number_in(field).has_value();
        });
      }
    }
  }
  fault = windows.fault;
  std::vector<CsvKind> kinds;
  for (const Fits& fit : fits)
    kinds.push_back(!fit.any  ? CsvKind::none
                    : fit.i64 ? CsvKind::i64
                    : fit.b1  ? CsvKind::b1
                    : fit.f64 ? CsvKind::f64
                              : CsvKind::text);
  return kinds;
}

}  // namespace atl::table
