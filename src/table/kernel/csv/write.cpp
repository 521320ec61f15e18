// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/csv/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include "atoll/table/kernel/text/numbers.hpp"

namespace atl::table {
namespace {

constexpr std::size_t number_room = 32;

/// Appends without asking for room each time.
class Line {
 public:
  explicit Line(std::string& out) : out_(out), used_(out.size()) {}
  ~Line() { out_.resize(used_); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  char* room(std::size_t count) {
    if (out_.size() - used_ < count) out_.resize(std::max(2 * out_.size(), used_ + count + 4096));
    return out_.data() + used_;
  }
  void advance(std::size_t count) { used_ += count; }
  void put(std::string_view text) {
    if (text.empty()) return;  // it may lie nowhere
    std::memcpy(room(text.size()), text.data(), text.size());
    used_ += text.size();
  }
  std::size_t used() const { return used_; }

 private:
  std::string& out_;
  std::size_t used_;
};

class Writer {
 public:
  Writer(const RowForm& form, std::string& out) : form_(form), line_(out) {
    special_.fill(false);
    if (form.json) {
      for (unsigned i = 0; i < 32; ++i) special_[i] = true;
      special_['"'] = special_['\\'] = true;
    } else {
      for (char c : {form.separator, form.quote, '\n', '\r'}) special_[static_cast<unsigned char>(c)] = true;
    }
  }

  void put(const RowColumn& column, std::size_t row) {
    line_.put(column.before);
    if (column.valid != nullptr && !column.valid[row]) {
      line_.put(form_.missing);
    } else if (column.offsets != nullptr) {
      const std::int64_t begin = column.offsets[row];
      put_text({static_cast<const char*>(column.values) + begin, static_cast<std::size_t>(column.offsets[row + 1] - begin)}, column.verbatim);
    } else {
      array::dispatch(column.dtype, [&](auto type) { put_number(static_cast<const typename decltype(type)::type*>(column.values)[row]); });
    }
  }
  void put_quotes() { line_.put(std::string(2, form_.quote)); }
  void end() { line_.put(form_.end); }
  std::size_t used() const { return line_.used(); }

 private:
  template <class T>
  void put_number(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      line_.put(form_.json ? (value ? "true" : "false") : (value ? "True" : "False"));
    } else if constexpr (std::is_floating_point_v<T>) {
      if (value != value || (form_.json && value - value != 0)) return line_.put(form_.missing);
      char digits[number_room];
      line_.put({digits, write_float(digits, value)});
    } else {
      char* to = line_.room(number_room);
      line_.advance(static_cast<std::size_t>(std::to_chars(to, to + number_room, value).ptr - to));
    }
  }

  bool is_special(std::string_view text) const {
    bool found = false;
    for (char c : text) found |= special_[static_cast<unsigned char>(c)];
    return found;
  }

  void put_text(std::string_view text, bool verbatim) {
    if (form_.json) {
      put_json(text);
    } else if (verbatim || !is_special(text)) {
      line_.put(text);
    } else {
      char* to = line_.room(2 * text.size() + 2);
      char* at = to;
      *at++ = form_.quote;
      for (char c : text) {
        if (c == form_.quote) *at++ = c;
        *at++ = c;
      }
      *at++ = form_.quote;
      line_.advance(static_cast<std::size_t>(at - to));
    }
  }

  void put_json(std::string_view text) {
    char* to = line_.room(6 * text.size() + 2);
    char* at = to;
    *at++ = '"';
    if (!is_special(text)) {
      if (!text.empty()) std::memcpy(at, text.data(), text.size());
      at += text.size();
    } else {
      for (char c : text) at = put_escaped(at, c);
    }
    *at++ = '"';
    line_.advance(static_cast<std::size_t>(at - to));
  }

  char* put_escaped(char* at, char c) const {
    if (!special_[static_cast<unsigned char>(c)]) {
      *at++ = c;
      return at;
    }
    *at++ = '\\';
    static constexpr std::string_view plain = "\"\\\b\f\n\r\t", letters = "\"\\bfnrt";
    if (const std::size_t known = plain.find(c); known != std::string_view::npos) {
      *at++ = letters[known];
      return at;
    }
    static constexpr char digits[] = "0123456789abcdef";
    for (char one : {'u', '0', '0', digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]}) *at++ = one;
    return at;
  }

  const RowForm& form_;
  Line line_;
  std::array<bool, 256> special_;
};

}  // namespace

void write_rows(std::span<const RowColumn> columns, const RowForm& form, std::size_t begin, std::size_t end, std::string& out) {
  Writer writer(form, out);
  const bool alone = columns.size() == 1 && !form.json;
  for (std::size_t row = begin; row < end; ++row) {
    const std::size_t used = writer.used();
    for (const RowColumn& column : columns) writer.put(column, row);
    if (alone && writer.used() == used) writer.put_quotes();  // a line of nothing is no row for who reads it
    writer.end();
  }
}

}  // namespace atl::table
