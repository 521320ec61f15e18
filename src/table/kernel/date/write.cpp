// SPDX-License-Identifier: Apache-2.0
// Moments as texts, by a format of strftime with English names.
#include <cstring>

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
  if (value >= 0 && value < 10'000 && !bare) return two(two(to, static_cast<std::uint32_t>(value / 100)), static_cast<std::uint32_t>(value % 100));
  if (value < 0) *to++ = '-';
  std::uint64_t size = value < 0 ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  char digits[24];
  int count = 0;
  for (; size > 0 || count < (bare ? 1 : 4); size /= 10) digits[count++] = static_cast<char>('0' + size % 10);
  while (count > 0) *to++ = digits[--count];
  return to;
}

char* fraction(char* to, std::int64_t nanosecond, int digits) {
  for (int digit = 9; digit > digits; --digit) nanosecond /= 10;
  for (int at = digits; at-- > 0; nanosecond /= 10) to[at] = static_cast<char>('0' + nanosecond % 10);
  return to + digits;
}

char* copy(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
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
    case 0: return copy(to, piece.text);
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

}  // namespace

std::function<void(const std::int64_t*, std::size_t, TextBuilder&)> make_date_writer(const TextCall& call) {
  const std::int64_t per_day = call.numbers.at(0), per_second = std::max<std::int64_t>(per_day / 86'400, 1);
  const std::vector<FormatPiece> pieces = take_apart(call.texts.at(0), known);
  const std::vector<std::string> zones(call.texts.begin() + 1, call.texts.end());
  std::size_t room = 0;
  for (const FormatPiece& piece : pieces) room += most + piece.text.size();
  for (const std::string& zone : zones) room = std::max(room, room + zone.size() * pieces.size());
  const Zone zone(std::span(call.numbers).subspan(1), per_second);
  return [=](const std::int64_t* values, std::size_t n, TextBuilder& out) {
    const double inverse = 1.0 / static_cast<double>(per_day);
    const std::int64_t nanoseconds = 1'000'000'000 / per_second;
    Moment m{};
    for (std::size_t i = 0; i < n; ++i) {
      m.interval = zone.interval(values[i], m.interval);
      const std::int64_t ahead = zone.offset(m.interval);
      const auto local = static_cast<std::int64_t>(static_cast<std::uint64_t>(values[i]) + static_cast<std::uint64_t>(ahead));
      const Quotient day = divide_small(local, per_day, inverse);
      if (i == 0 || day.whole != m.days) m.date = civil_of(day.whole);
      m.days = day.whole;
      m.offset = ahead / per_second;
      if (per_day > 1) {
        m.second = static_cast<std::int32_t>(static_cast<std::uint64_t>(day.left) / static_cast<std::uint64_t>(per_second));
        m.nanosecond = (day.left - m.second * per_second) * nanoseconds;
      }
      char* const begin = out.room(room);
      char* to = begin;
      for (const FormatPiece& piece : pieces) to = write(to, piece, m, zones);
      out.advance(static_cast<std::size_t>(to - begin));
      out.end();
    }
  };
}

}  // namespace atl::table
