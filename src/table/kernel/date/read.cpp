// SPDX-License-Identifier: Apache-2.0
// Datetimes and durations of texts: ISO 8601, formats of strptime, and what pandas writes of durations.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include "atoll/base/validate.hpp"
#include "kernel/date/civil.hpp"
#include "kernel/date/families.hpp"
#include "kernel/date/format.hpp"
#include "kernel/text/families.hpp"

namespace atl::table {
namespace {

/// Why there is no result.
constexpr std::int64_t unreadable = no_time, finer = no_time + 1, out_of_range = no_time + 2, other_zone = no_time + 3;

/// Which offsets from UTC strings may have.
enum class Offsets { none, always, any };

bool is_digit(char byte) { return static_cast<unsigned char>(byte - '0') < 10; }
bool is_blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }
char lower(char byte) { return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte; }

/// The unread rest of a string.
struct Rest {
  const char* at;
  const char* end;

  bool empty() const { return at == end; }
  std::size_t size() const { return static_cast<std::size_t>(end - at); }
  bool take(char byte) { return at != end && *at == byte ? (++at, true) : false; }
  /// A number of `least` to `most` digits; -1 when there is none.
  std::int64_t number(int least, int most) {
    std::int64_t value = 0;
    int count = 0;
    for (; count < most && at != end && is_digit(*at); ++count, ++at) value = 10 * value + (*at - '0');
    return count < least ? -1 : value;
  }
  /// The place of a word among several, by its first `letters` or all of it, in any case; -1.
  template <std::size_t n>
  int word(const std::array<std::string_view, n>& words, std::size_t letters) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view wanted = letters == 0 ? words[i] : words[i].substr(0, letters);
      if (size() < wanted.size()) continue;
      if (!std::equal(wanted.begin(), wanted.end(), at, [](char a, char b) { return lower(a) == lower(b); })) continue;
      at += wanted.size();
      return static_cast<int>(i);
    }
    return -1;
  }
  void skip_blanks() {
    while (at != end && is_blank(*at)) ++at;
  }
};

struct Parsed {
  std::int64_t year = 1900, month = 1, day = 1;  // as Python has it where a format does not say
  std::int64_t hour = 0, minute = 0, second = 0, nanosecond = 0;
  std::int64_t of_year = 0, iso_year = INT64_MIN, iso_week = 0, weekday = -1;  // 0: not said
  std::int64_t offset = 0;
  int half = -1;  // of the day
  bool has_offset = false;
};

/// Nanoseconds of up to nine digits behind a point; more are left out. -1 when there is none.
std::int64_t fraction(Rest& rest, int most) {
  std::int64_t value = 0;
  int count = 0;
  for (; rest.at != rest.end && is_digit(*rest.at) && count < most; ++rest.at, ++count)
    if (count < 9) value = 10 * value + (*rest.at - '0');
  if (count == 0) return -1;
  for (int digit = count; digit < 9; ++digit) value *= 10;
  return value;
}

/// Z, +HH, +HHMM, +HH:MM, with seconds too.
bool read_offset(Rest& rest, Parsed& parsed) {
  parsed.has_offset = true;
  if (rest.take('Z') || rest.take('z')) return true;
  const bool minus = !rest.empty() && *rest.at == '-';
  if (!rest.take('-') && !rest.take('+')) return false;
  const std::int64_t hours = rest.number(2, 2);
  std::int64_t minutes = 0, seconds = 0;
  if (rest.take(':') || (!rest.empty() && is_digit(*rest.at))) {
    minutes = rest.number(2, 2);
    if (rest.take(':') || (!rest.empty() && is_digit(*rest.at))) seconds = rest.number(2, 2);
  }
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59) return false;
  const std::int64_t size = 3'600 * hours + 60 * minutes + seconds;
  parsed.offset = minus ? -size : size;
  return true;
}

/// YYYY, YYYY-MM, YYYY-MM-DD (or without dashes), then T or a blank and HH, HH:MM, HH:MM:SS (or without colons) with a
/// fraction, then an offset.
bool read_iso(Rest rest, Parsed& parsed) {
  rest.skip_blanks();
  while (rest.size() > 0 && is_blank(rest.end[-1])) --rest.end;
  const bool minus = rest.take('-');
  const char* const start = rest.at;
  if ((parsed.year = rest.number(4, minus ? 18 : 4)) < 0) return false;
  if (minus) {
    if (rest.at - start < 4) return false;
    parsed.year = -parsed.year;
  }
  if (rest.empty()) return true;
  const char between = is_digit(*rest.at) ? '\0' : *rest.at++;
  if (between != '\0' && between != '-' && between != '/') return false;
  const int least = between != '\0' ? 1 : 2;
  if ((parsed.month = rest.number(least, 2)) < 0) return false;
  if (rest.empty()) return between != '\0';  // six digits mean something else
  if (between != '\0' && !rest.take(between)) return false;
  if ((parsed.day = rest.number(least, 2)) < 0) return false;
  if (rest.empty()) return true;
  if (!rest.take('T') && !rest.take('t') && !rest.take(' ')) return false;
  if ((parsed.hour = rest.number(2, 2)) < 0) return false;
  const bool colons = rest.take(':');
  if (colons || (!rest.empty() && is_digit(*rest.at))) {
    if ((parsed.minute = rest.number(2, 2)) < 0) return false;
    if (colons ? rest.take(':') : (!rest.empty() && is_digit(*rest.at))) {
      if ((parsed.second = rest.number(2, 2)) < 0) return false;
      if (rest.take('.') || rest.take(',')) {
        if ((parsed.nanosecond = fraction(rest, 18)) < 0) return false;
      }
    }
  }
  rest.skip_blanks();
  return rest.empty() || (read_offset(rest, parsed) && rest.empty());
}

/// A format whose every letter stands for digits at one place: all bytes of a string are looked at eight at a time. A
/// text that is not so may still be read by the pieces.
class FixedLayout {
 public:
  static std::optional<FixedLayout> of(const std::vector<FormatPiece>& pieces) {
    FixedLayout layout;
    for (const FormatPiece& piece : pieces) {
      const std::size_t digits = piece.letter == 'Y' ? 4 : 2;
      if (piece.letter == 0) {
        for (const char byte : piece.text)
          if (!layout.append(byte, false)) return std::nullopt;
        continue;
      }
      const std::size_t field = std::string_view("YmdHMS").find(piece.letter);
      if (field == std::string_view::npos) return std::nullopt;
      layout.places_[field] = static_cast<int>(layout.size_);
      for (std::size_t digit = 0; digit < digits; ++digit)
        if (!layout.append('0', true)) return std::nullopt;
    }
    return layout;
  }

  bool read(std::string_view text, Parsed& parsed) const {
    if (text.size() != size_) return false;
    std::uint64_t words[4], wrong = 0;
    std::memcpy(words, text.data(), sizeof words);  // 64 bytes behind the last string may be read
    for (std::size_t i = 0; i < 4; ++i) {
      words[i] ^= expected_[i];
      const std::uint64_t above_nine = ((words[i] & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | words[i];
      wrong |= (words[i] & text_[i]) | (above_nine & digits_[i] & 0x8080808080808080u);
    }
    if (wrong != 0) return false;
    unsigned char bytes[32];
    std::memcpy(bytes, words, sizeof bytes);
    auto two = [&](int at) { return std::int64_t{10} * bytes[at] + bytes[at + 1]; };
    if (places_[0] >= 0) parsed.year = 100 * two(places_[0]) + two(places_[0] + 2);
    if (places_[1] >= 0) parsed.month = two(places_[1]);
    if (places_[2] >= 0) parsed.day = two(places_[2]);
    if (places_[3] >= 0) parsed.hour = two(places_[3]);
    if (places_[4] >= 0) parsed.minute = two(places_[4]);
    if (places_[5] >= 0) parsed.second = two(places_[5]);
    return true;
  }

 private:
  bool append(char byte, bool digit) {
    if (size_ == 32) return false;
    auto set = [&](std::uint64_t(&words)[4], unsigned char value) {
      reinterpret_cast<unsigned char*>(words)[size_] = value;
    };
    set(expected_, static_cast<unsigned char>(byte));
    set(digit ? digits_ : text_, 0xff);
    ++size_;
    return true;
  }

  std::uint64_t expected_[4] = {}, text_[4] = {}, digits_[4] = {};
  int places_[6] = {-1, -1, -1, -1, -1, -1};
  std::size_t size_ = 0;
};

constexpr std::string_view known = "YmdeHIMSfpaAbBjyuGVzZ";
constexpr std::array<std::string_view, 2> halves = {"am", "pm"};
constexpr std::array<std::string_view, 3> utc = {"UTC", "GMT", "Z"};

bool read_piece(Rest& rest, const FormatPiece& piece, Parsed& parsed) {
  switch (piece.letter) {
    case 0:
      for (const char byte : piece.text) {
        if (is_blank(byte)) rest.skip_blanks();
        else if (rest.empty() || lower(*rest.at++) != lower(byte)) return false;
      }
      return true;
    case 'Y': return (parsed.year = rest.number(4, 4)) >= 0;
    case 'y':
      parsed.year = rest.number(2, 2);
      if (parsed.year < 0) return false;
      parsed.year += parsed.year <= 68 ? 2000 : 1900;
      return true;
    case 'f': return (parsed.nanosecond = fraction(rest, piece.digits == 0 ? 9 : piece.digits)) >= 0;
    case 'p': return (parsed.half = rest.word(halves, 0)) >= 0;
    case 'a': return rest.word(weekdays, 3) >= 0;
    case 'A': return rest.word(weekdays, 0) >= 0;
    case 'b': return (parsed.month = rest.word(months, 3) + 1) > 0;
    case 'B': return (parsed.month = rest.word(months, 0) + 1) > 0;
    case 'u': parsed.weekday = rest.number(1, 1) - 1; return parsed.weekday >= 0 && parsed.weekday < 7;
    case 'G': return (parsed.iso_year = rest.number(4, 4)) >= 0;
    case 'z': return read_offset(rest, parsed);
    case 'Z': return parsed.has_offset = true, rest.word(utc, 0) >= 0;
    default: return false;
  }
}

/// What may have fewer digits than it has at most: "930" is half past nine.
struct FewDigits {
  char letter;
  int most;
  std::int64_t low, high;
  std::int64_t Parsed::* to;
};

constexpr FewDigits few_digits[] = {
    {'m', 2, 1, 12, &Parsed::month},  {'d', 2, 1, 31, &Parsed::day},      {'e', 2, 1, 31, &Parsed::day},
    {'H', 2, 0, 23, &Parsed::hour},   {'I', 2, 1, 12, &Parsed::hour},     {'M', 2, 0, 59, &Parsed::minute},
    {'S', 2, 0, 59, &Parsed::second}, {'j', 3, 1, 366, &Parsed::of_year}, {'V', 2, 1, 53, &Parsed::iso_week},
};

/// As many digits to each piece as leave enough for those behind it, the first ones first, as a regular expression has
/// it.
bool read_format(Rest rest, std::span<const FormatPiece> pieces, Parsed& parsed) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto* const digits = std::ranges::find(few_digits, pieces[i].letter, &FewDigits::letter);
    if (digits == std::end(few_digits)) {
      if (!read_piece(rest, pieces[i], parsed)) return false;
      continue;
    }
    if (digits->letter == 'e') rest.skip_blanks();
    for (int count = digits->most; count > 0; --count) {
      Rest behind = rest;
      const std::int64_t value = behind.number(count, count);
      if (value < digits->low || value > digits->high) continue;
      parsed.*digits->to = value;
      if (read_format(behind, pieces.subspan(i + 1), parsed)) return true;
    }
    return false;
  }
  return rest.empty();
}

/// Days since 1970; nothing when the calendar has no such day.
std::optional<std::int64_t> days_of(const Parsed& p) {
  if (p.iso_year != INT64_MIN) {
    const std::int64_t fourth = days_of_month(12 * p.iso_year) + 3, monday = fourth - weekday_of(fourth);
    const std::int64_t days = monday + 7 * (p.iso_week - 1) + std::max<std::int64_t>(p.weekday, 0);
    if (p.iso_week < 1 || iso_week(days).year != p.iso_year) return std::nullopt;
    return days;
  }
  if (p.of_year > 0) {
    if (p.of_year > (is_leap(p.year) ? 366 : 365)) return std::nullopt;
    return days_of_month(12 * p.year) + p.of_year - 1;
  }
  if (p.month < 1 || p.month > 12 || p.day < 1 || p.day > days_in_month(p.year, static_cast<std::uint32_t>(p.month)))
    return std::nullopt;
  if (p.year >= 1 && p.year <= 9'999) {
    return days_of_date(static_cast<std::uint32_t>(p.year), static_cast<std::uint32_t>(p.month),
                        static_cast<std::uint32_t>(p.day));
  }
  return days_of_month(12 * p.year + p.month - 1) + p.day - 1;
}

std::int64_t ticks_of(const Parsed& p, std::int64_t per_day, Offsets offsets) {
  const std::optional<std::int64_t> days = days_of(p);
  const std::int64_t hour = p.half < 0 ? p.hour : p.hour % 12 + 12 * p.half;
  if (!days || hour > 23 || p.minute > 59 || p.second > 59) return unreadable;
  if ((offsets == Offsets::none && p.has_offset) || (offsets == Offsets::always && !p.has_offset)) return other_zone;
  const std::int64_t seconds = 3'600 * hour + 60 * p.minute + p.second - p.offset;
  std::int64_t whole, time = 0;
  if (per_day == 1) {
    if (seconds != 0 || p.nanosecond != 0) return finer;
  } else {
    const std::int64_t per_second = per_day / 86'400, nanoseconds = 1'000'000'000 / per_second;
    if (p.nanosecond % nanoseconds != 0) return finer;
    time = seconds * per_second + p.nanosecond / nanoseconds;
  }
  if (__builtin_mul_overflow(*days, per_day, &whole) || __builtin_add_overflow(whole, time, &whole) ||
      whole < no_time + 16)
    return out_of_range;
  return whole;
}

Rest rest_of(std::string_view text) { return {text.data(), text.data() + text.size()}; }

/// How strings are read: a format's pieces, or ISO 8601; before that, layouts that most strings have.
struct Reader {
  bool iso;
  std::vector<FormatPiece> pieces;
  std::vector<FixedLayout> layouts;

  explicit Reader(const std::string& format) : iso(format.empty()), pieces(take_apart(format, known)) {
    for (std::string_view usual : {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"})
      if (iso) layouts.push_back(*FixedLayout::of(take_apart(usual, known)));
    if (!iso)
      if (const auto layout = FixedLayout::of(pieces)) layouts.push_back(*layout);
  }

  bool read(std::string_view text, Parsed& parsed) const {
    for (const FixedLayout& layout : layouts)
      if (layout.read(text, parsed)) return true;
    return iso ? read_iso(rest_of(text), parsed) : read_format(rest_of(text), pieces, parsed);
  }
};

void check_per_second(std::int64_t per_day) {
  const std::int64_t per_second = per_day / 86'400;
  ATOLL_VALIDATE(per_second > 0 && per_second <= 1'000'000'000, ValueError,
                 "times of a day have units from nanoseconds to seconds, not {} a day", per_day);
}

/// texts: the format; numbers: units of a day, Offsets.
Measure read_dates(const TextCall& call) {
  const std::int64_t per_day = call.numbers.at(0);
  if (per_day != 1) check_per_second(per_day);
  const Offsets offsets = static_cast<Offsets>(call.numbers.at(1));
  return {array::DType::i64, [=, reader = Reader(call.texts.at(0))](const TextView& texts, void* out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              Parsed parsed;
              static_cast<std::int64_t*>(out)[i] =
                  reader.read(texts[i], parsed) ? ticks_of(parsed, per_day, offsets) : unreadable;
            }
          }};
}

/// texts: the format. Seconds that each string's clock is ahead of UTC, no_time where it does not say.
Measure read_offsets(const TextCall& call) {
  return {array::DType::i64, [reader = Reader(call.texts.at(0))](const TextView& texts, void* out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              Parsed parsed;
              static_cast<std::int64_t*>(out)[i] =
                  reader.read(texts[i], parsed) && parsed.has_offset ? parsed.offset : no_time;
            }
          }};
}

// -- durations --

struct UnitName {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::int64_t second = 1'000'000'000;
constexpr UnitName unit_names[] = {
    {"w", 604'800 * second},
    {"week", 604'800 * second},
    {"weeks", 604'800 * second},
    {"d", 86'400 * second},
    {"day", 86'400 * second},
    {"days", 86'400 * second},
    {"h", 3'600 * second},
    {"hr", 3'600 * second},
    {"hour", 3'600 * second},
    {"hours", 3'600 * second},
    {"m", 60 * second},
    {"min", 60 * second},
    {"minute", 60 * second},
    {"minutes", 60 * second},
    {"s", second},
    {"sec", second},
    {"second", second},
    {"seconds", second},
    {"ms", second / 1'000},
    {"milli", second / 1'000},
    {"millis", second / 1'000},
    {"millisecond", second / 1'000},
    {"milliseconds", second / 1'000},
    {"us", second / 1'000'000},
    {"\xc2\xb5s", second / 1'000'000},
    {"micro", second / 1'000'000},
    {"micros", second / 1'000'000},
    {"microsecond", second / 1'000'000},
    {"microseconds", second / 1'000'000},
    {"ns", 1},
    {"nano", 1},
    {"nanos", 1},
    {"nanosecond", 1},
    {"nanoseconds", 1},
};

std::int64_t length_of(std::string_view name, bool time) {
  char small[16];
  if (name.size() > sizeof small) return 0;
  std::transform(name.begin(), name.end(), small, lower);
  const std::string_view wanted(small, name.size());
  if (wanted == "m" && !time && name == "M") return 0;  // months
  for (const UnitName& unit : unit_names)
    if (unit.name == wanted) return unit.nanoseconds;
  return 0;
}

/// Nanoseconds of a number with a fraction, times a unit.
struct Number {
  __int128 whole = 0;
  std::int64_t fraction = 0, scale = 1;
  bool read = false;

  __int128 times(std::int64_t unit) const { return whole * unit + static_cast<__int128>(fraction) * unit / scale; }
};
Number read_number(Rest& rest) {
  Number number;
  for (int count = 0; !rest.empty() && is_digit(*rest.at) && count < 20; ++rest.at, ++count) {
    number.whole = 10 * number.whole + (*rest.at - '0');
    number.read = true;
  }
  if (rest.size() > 0 && *rest.at == '.') {
    ++rest.at;
    for (; !rest.empty() && is_digit(*rest.at); ++rest.at) {
      if (number.scale < second * second) {
        number.fraction = 10 * number.fraction + (*rest.at - '0');
        number.scale *= 10;
      }
      number.read = true;
    }
  }
  return number;
}

/// "1 days 02:03:04.5", "-1 days +23:59:59", "1h30min", "5 us", "P1DT2H3M4.5S"; a number alone is of nanoseconds.
bool read_duration(Rest rest, __int128& total) {
  rest.skip_blanks();
  while (rest.size() > 0 && is_blank(rest.end[-1])) --rest.end;
  bool minus = false, any = false, iso = false, time = true;
  total = 0;
  while (!rest.empty()) {
    if (is_blank(*rest.at) || *rest.at == ',') {
      ++rest.at;
      continue;
    }
    if (*rest.at == '-' || *rest.at == '+') {
      minus = *rest.at++ == '-';
      continue;
    }
    if (!any && !iso && rest.take('P')) {
      iso = true;
      time = false;
      continue;
    }
    if (iso && rest.take('T')) {
      time = true;
      continue;
    }
    Number number = read_number(rest);
    if (!number.read) return false;
    any = true;
    __int128 value = 0;
    if (!rest.empty() && *rest.at == ':') {
      ++rest.at;
      const std::int64_t minutes = rest.number(1, 2);
      if (minutes < 0 || minutes > 59) return false;
      value = number.whole * 3'600 * second + static_cast<__int128>(minutes) * 60 * second;
      if (rest.take(':')) {
        const Number seconds = read_number(rest);
        if (!seconds.read || seconds.whole > 59) return false;
        value += seconds.times(second);
      }
    } else {
      while (!rest.empty() && is_blank(*rest.at)) ++rest.at;
      const char* begin = rest.at;
      while (!rest.empty() &&
             (static_cast<unsigned char>(*rest.at) >= 128 || (lower(*rest.at) >= 'a' && lower(*rest.at) <= 'z')) &&
             !(iso && rest.at > begin))
        ++rest.at;
      const std::int64_t unit =
          rest.at == begin ? 1 : length_of({begin, static_cast<std::size_t>(rest.at - begin)}, iso && time);
      if (unit == 0 || (rest.at == begin && !rest.empty())) return false;
      value = number.times(unit);
    }
    total += minus ? -value : value;
  }
  return any;
}

/// numbers: units of a day.
Measure read_durations(const TextCall& call) {
  const std::int64_t per_second = call.numbers.at(0) / 86'400;
  check_per_second(call.numbers[0]);
  return {array::DType::i64, [=](const TextView& texts, void* out) {
            const std::int64_t nanoseconds = second / per_second;
            for (std::size_t i = 0; i < texts.count; ++i) {
              __int128 total = 0;
              std::int64_t& result = static_cast<std::int64_t*>(out)[i];
              if (!read_duration(rest_of(texts[i]), total)) result = unreadable;
              else if (total % nanoseconds != 0) result = finer;
              else if (total / nanoseconds > INT64_MAX || total / nanoseconds < INT64_MIN + 16) result = out_of_range;
              else result = static_cast<std::int64_t>(total / nanoseconds);
            }
          }};
}

constexpr MeasureEntry entries[] = {
    {"read_date", read_dates}, {"read_offset", read_offsets}, {"read_duration", read_durations}};

}  // namespace

std::span<const MeasureEntry> date_measures() { return entries; }

}  // namespace atl::table
