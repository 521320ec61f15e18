// SPDX-License-Identifier: Apache-2.0
// Datetimes as strings, by a format of strftime with English names.
#include <algorithm>
#include <cstring>
#include <utility>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/date/zone.hpp"
#include "kernel/date/civil.hpp"
#include "kernel/date/families.hpp"
#include "kernel/date/format.hpp"

namespace atl::table {
namespace {

constexpr std::string_view known = "YmdeHIMSfpaAbBjyUWwuGVzZgC";

/// One moment, taken apart.
struct Moment {
  Civil date;
  std::int64_t days;
  std::int32_t second;      // of the day
  std::int64_t nanosecond;  // of the second
  std::int64_t offset;      // seconds ahead of UTC
  std::size_t interval;     // of the zone
};

struct DigitPairs {
  char text[200];
  constexpr DigitPairs() : text() {
    for (int i = 0; i < 100; ++i) {
      text[2 * i] = static_cast<char>('0' + i / 10);
      text[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
  }
};
constexpr DigitPairs pairs;

char* two(char* to, std::uint32_t value, bool bare = false, char pad = '0') {
  std::memcpy(to, pairs.text + 2 * value, 2);
  if (value < 10 && bare) return *to = to[1], to + 1;
  if (value < 10) *to = pad;
  return to + 2;
}

char* year(char* to, std::int64_t value, bool bare) {
  if (value >= 0 && value < 10'000 && !bare)
    return two(two(to, static_cast<std::uint32_t>(value / 100)), static_cast<std::uint32_t>(value % 100));
  if (value < 0) *to++ = '-';
  std::uint64_t size = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  char digits[24];
  int count = 0;
  for (; size > 0 || count < (bare ? 1 : 4); size /= 10) digits[count++] = static_cast<char>('0' + size % 10);
  while (count > 0) *to++ = digits[--count];
  return to;
}

char* fraction(char* to, std::int64_t nanosecond, int digits) {
  const auto whole = static_cast<std::uint32_t>(nanosecond);
  *to = static_cast<char>('0' + whole / 100'000'000);
  for (std::uint32_t at = 0, left = whole % 100'000'000, by = 1'000'000; at < 4; ++at, left %= by, by /= 100)
    two(to + 1 + 2 * at, left / by);
  return to + digits;
}

char* copy(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}
/// Strings of up to eight bytes are copied as eight: no call, and there is room.
char* copy_short(char* to, const std::string& text) {
  if (text.size() > 8) return copy(to, text);
  char bytes[8];
  std::memcpy(bytes, text.data(), 8);  // a string's own buffer has sixteen
  std::memcpy(to, bytes, 8);
  return to + text.size();
}

char* offset(char* to, std::int64_t seconds, bool colon) {
  *to++ = seconds < 0 ? '-' : '+';
  const auto size = static_cast<std::uint32_t>(seconds < 0 ? -seconds : seconds);
  to = two(to, size / 3'600);
  if (colon) *to++ = ':';
  to = two(to, size / 60 % 60);
  if (size % 60 != 0) {
    if (colon) *to++ = ':';
    to = two(to, size % 60);
  }
  return to;
}

/// Room that any piece but text and names of zones fits in.
constexpr std::size_t most = 24;

char* write(char* to, const FormatPiece& piece, const Moment& m, const std::vector<std::string>& zones) {
  const auto second = static_cast<std::uint32_t>(m.second);
  switch (piece.letter) {
    case 0: return copy_short(to, piece.text);
    case 'Y': return year(to, m.date.year, piece.bare);
    case 'C': return two(to, static_cast<std::uint32_t>(divide(divide(m.date.year, 100).whole, 100).left), piece.bare);
    case 'y': return two(to, static_cast<std::uint32_t>(divide(m.date.year, 100).left), piece.bare);
    case 'm': return two(to, m.date.month, piece.bare);
    case 'd': return two(to, m.date.day, piece.bare);
    case 'e': return two(to, m.date.day, piece.bare, ' ');
    case 'H': return two(to, second / 3'600, piece.bare);
    case 'I': return two(to, (second / 3'600 + 11) % 12 + 1, piece.bare);
    case 'M': return two(to, second / 60 % 60, piece.bare);
    case 'S': return two(to, second % 60, piece.bare);
    case 'f': return fraction(to, m.nanosecond, piece.digits == 0 ? 6 : piece.digits);
    case 'p': return copy(to, second < 43'200 ? "AM" : "PM");
    case 'a': return copy(to, weekdays[weekday_of(m.days)].substr(0, 3));
    case 'A': return copy(to, weekdays[weekday_of(m.days)]);
    case 'b': return copy(to, months[m.date.month - 1].substr(0, 3));
    case 'B': return copy(to, months[m.date.month - 1]);
    case 'w': return *to = static_cast<char>('0' + (weekday_of(m.days) + 1) % 7), to + 1;
    case 'u': return *to = static_cast<char>('1' + weekday_of(m.days)), to + 1;
    case 'U': return two(to, (day_of_year(m.date) + 6 - (weekday_of(m.days) + 1) % 7) / 7, piece.bare);
    case 'W': return two(to, (day_of_year(m.date) + 6 - weekday_of(m.days)) / 7, piece.bare);
    case 'G': return year(to, iso_week(m.days).year, piece.bare);
    case 'g': return two(to, static_cast<std::uint32_t>(divide(iso_week(m.days).year, 100).left), piece.bare);
    case 'V': return two(to, iso_week(m.days).week, piece.bare);
    case 'j': {
      const std::uint32_t day = day_of_year(m.date);
      if (day >= 100 || !piece.bare) *to++ = static_cast<char>('0' + day / 100);
      return two(to, day % 100, piece.bare && day < 100);
    }
    case 'z': return zones.empty() ? to : offset(to, m.offset, piece.colon);
    case 'Z': return zones.empty() ? to : copy(to, zones[m.interval]);
    default: return to;
  }
}

/// Takes datetimes apart, one after another.
class Taker {
 public:
  Taker(std::int64_t per_day, Zone zone)
      : zone_(std::move(zone)),
        per_day_(per_day),
        per_second_(std::max<std::int64_t>(per_day / 86'400, 1)),
        nanoseconds_(1'000'000'000 / per_second_),
        days_(1.0 / static_cast<double>(per_day)),
        seconds_(1.0 / static_cast<double>(per_second_)) {}

  void take(std::int64_t value, Moment& m) const {
    m.interval = zone_.interval(value, m.interval);
    const std::int64_t ahead = zone_.offset(m.interval);
    const auto local = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(ahead));
    const Quotient day = divide_small(local, per_day_, days_);
    m.days = day.whole;
    m.date = civil_of(day.whole);
    m.offset = divide_small(ahead, per_second_, seconds_).whole;
    if (per_day_ == 1) return;
    const Quotient second = divide_small(day.left, per_second_, seconds_);
    m.second = static_cast<std::int32_t>(second.whole);
    m.nanosecond = second.left * nanoseconds_;
  }

 private:
  Zone zone_;
  std::int64_t per_day_, per_second_, nanoseconds_;
  double days_, seconds_;  // reciprocals
};

/// How many bytes a piece takes in years of four digits; 0 when that varies.
std::size_t width_of(const FormatPiece& piece) {
  if (piece.letter == 0) return piece.text.size();
  if (piece.bare || std::string_view("ABzZ").find(piece.letter) != std::string_view::npos) return 0;
  switch (piece.letter) {
    case 'Y':
    case 'G': return 4;
    case 'f': return static_cast<std::size_t>(piece.digits == 0 ? 6 : piece.digits);
    case 'j':
    case 'a':
    case 'b': return 3;
    case 'w':
    case 'u': return 1;
    default: return 2;
  }
}

/// Bytes in eights, the last ones once more: for at least eight.
void copy_eights(char* to, const char* from, std::size_t size) {
  for (std::size_t at = 0; at + 8 <= size; at += 8) std::memcpy(to + at, from + at, 8);
  std::memcpy(to + size - 8, from + size - 8, 8);
}

/// Strings that differ in digits alone: a pattern, and where each piece begins in it.
class Pattern {
 public:
  explicit Pattern(const std::vector<FormatPiece>& pieces) {
    for (const FormatPiece& piece : pieces) {
      const std::size_t width = width_of(piece);
      if (width == 0) {
        text_.clear();
        return;
      }
      if (piece.letter != 0) fields_.push_back({piece, text_.size()});
      text_ += piece.letter == 0 ? piece.text : std::string(width, '0');
    }
    if (text_.size() < 8) text_.clear();
  }
  std::size_t width() const { return text_.size(); }

  bool write_all(const Taker& taker, const std::int64_t* values, std::size_t n, char* to) const {
    static const std::vector<std::string> no_zones;
    Moment m{};
    for (std::size_t i = 0; i < n; ++i, to += text_.size()) {
      taker.take(values[i], m);
      if (m.date.year < 1 || m.date.year > 9'998) return false;  // a year of weeks may be the next one
      copy_eights(to, text_.data(), text_.size());
      for (const auto& [piece, at] : fields_) put(to + at, piece, m, no_zones);
    }
    return true;
  }

 private:
  struct Field {
    FormatPiece piece;
    std::size_t at;
  };
  static void put(char* to, const FormatPiece& piece, const Moment& m, const std::vector<std::string>& zones) {
    if (piece.letter != 'f') {
      write(to, piece, m, zones);
      return;
    }
    char digits[16];  // not over what follows
    const char* end = write(digits, piece, m, zones);
    std::memcpy(to, digits, static_cast<std::size_t>(end - digits));
  }

  std::string text_;
  std::vector<Field> fields_;
};

}  // namespace

DateWriter make_date_writer(const TextCall& call) {
  const std::int64_t per_day = call.numbers.at(0);
  ATOLL_VALIDATE(per_day > 0, ValueError, "a day has at least one unit of time, not {}", per_day);
  const std::vector<FormatPiece> pieces = take_apart(call.texts.at(0), known);
  const std::vector<std::string> zones(call.texts.begin() + 1, call.texts.end());
  const std::int64_t changes = call.numbers.size() > 1 ? call.numbers[1] : 0;
  ATOLL_VALIDATE(zones.empty() || changes < static_cast<std::int64_t>(zones.size()), ValueError,
                 "{} names of a time zone that changes {} times (one more is needed)", zones.size(), changes);
  std::size_t longest = most;
  for (const std::string& zone : zones) longest = std::max(longest, zone.size());
  std::size_t room = 16;
  for (const FormatPiece& piece : pieces) room += longest + piece.text.size();
  const Taker taker(per_day, Zone(std::span(call.numbers).subspan(1), std::max<std::int64_t>(per_day / 86'400, 1)));
  DateWriter writer;
  writer.write = [=](const std::int64_t* values, std::size_t n, TextBuilder& out) {
    Moment m{};
    for (std::size_t i = 0; i < n; ++i) {
      taker.take(values[i], m);
      char* const begin = out.room(room);
      char* to = begin;
      for (const FormatPiece& piece : pieces) to = write(to, piece, m, zones);
      out.advance(static_cast<std::size_t>(to - begin));
      out.end();
    }
  };
  const Pattern pattern(pieces);
  writer.width = pattern.width();
  writer.write_fixed = [=](const std::int64_t* values, std::size_t n, char* to) {
    return pattern.write_all(taker, values, n, to);
  };
  return writer;
}

}  // namespace atl::table
