// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/csv/fields.hpp"

#include <bit>

#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/csv/fields.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ATOLL_TABLE_CSV_FIELDS
#define ATOLL_TABLE_CSV_FIELDS
namespace atl::table {

/// Of 64 bytes, one bit each.
struct Marks {
  std::uint64_t separators, feeds, returns, quotes;
};

/// Bit i: whether the bits up to and with i are odd in number.
inline std::uint64_t parity(std::uint64_t bits) {
  for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// Where fields end in 64 bytes, byte by byte: for quotes that are no borders of fields.
inline std::uint64_t scan_slowly(RecordState& state, const Marks& marks, std::uint64_t lines) {
  std::uint64_t found = 0;
  const std::uint64_t borders = marks.separators | lines;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const bool quote = (marks.quotes & bit) != 0;
    if (state == RecordState::quoted) {
      if (quote) state = RecordState::quote_in_quoted;
    } else if (quote && state != RecordState::plain) {
      state = RecordState::quoted;
    } else if ((borders & bit) != 0) {
      found |= bit;
      state = RecordState::field_start;
    } else {
      state = RecordState::plain;
    }
  }
  return found;
}

/// Whether all quotes are borders of fields, and then where fields end in 64 bytes and the state behind them.
inline bool ends_between(RecordState& state, const Marks& marks, std::uint64_t borders, std::uint64_t& found,
                         bool& doubled) {
  const std::uint64_t inside = parity(marks.quotes) ^ (state == RecordState::quoted ? ~std::uint64_t{0} : 0);
  const std::uint64_t opening = marks.quotes & inside, closing = marks.quotes & ~inside;
  found = borders & ~inside;
  const std::uint64_t behind_quote = (closing << 1) | std::uint64_t{state == RecordState::quote_in_quoted};
  const std::uint64_t behind_border = (found << 1) | std::uint64_t{state == RecordState::field_start};
  if ((opening & ~(behind_border | behind_quote)) != 0) return false;
  doubled |= (opening & behind_quote) != 0;
  // Looked up, because it is as random as where blocks end.
  using enum RecordState;
  static constexpr RecordState states[8] = {plain,       quoted, quote_in_quoted, quoted,
                                            field_start, quoted, field_start,     quoted};
  state = states[inside >> 63 | (closing >> 63) << 1 | (found >> 63) << 2];
  return true;
}

/// Where fields end in 64 bytes.
inline std::uint64_t ends_in(RecordState& state, const Marks& marks, std::uint64_t lines, bool& doubled) {
  const std::uint64_t borders = marks.separators | lines;
  if (marks.quotes == 0) {
    if (state == RecordState::quoted) return 0;
    state = (borders >> 63) != 0 ? RecordState::field_start : RecordState::plain;
    return borders;
  }
  std::uint64_t found;
  if (ends_between(state, marks, borders, found, doubled)) return found;
  doubled = true;
  return scan_slowly(state, marks, lines);
}

/// What is found of a range on the supposition that it begins in or outside quotes.
class Supposed {
 public:
  explicit Supposed(bool inside) { survey_.end = inside ? RecordState::quoted : RecordState::field_start; }

  void add(const Marks& marks, std::uint64_t lines, std::int64_t at) {
    if (!survey_.known) return;
    std::uint64_t found = 0;
    bool doubled = false;
    const std::uint64_t borders = marks.separators | lines;
    if (marks.quotes == 0) {
      if (survey_.end == RecordState::quoted) return pass();
      found = borders;
      survey_.end = (borders >> 63) != 0 ? RecordState::field_start : RecordState::plain;
    } else if (!ends_between(survey_.end, marks, borders, found, doubled)) {
      survey_.known = false;
      return;
    }
    found &= lines;
    if (const std::uint64_t feeds = found & marks.feeds; survey_.first < 0 && feeds != 0)
      survey_.first = at + std::countr_zero(feeds) + 1;
    survey_.lines += std::popcount(found);
    // Lines of nothing, or of a carriage return.
    const std::uint64_t behind = (found << 1) | (lines_ >> 63), two_behind = (found << 2) | (lines_ >> 62),
                        behind_return = (marks.returns << 1) | (returns_ >> 63);
    survey_.countable &= (found & (behind | (two_behind & behind_return))) == 0 && (found & ~marks.feeds) == 0;
    lines_ = found;
    returns_ = marks.returns;
  }
  const RecordSurvey& survey() const { return survey_; }

 private:
  void pass() { lines_ = returns_ = 0; }

  RecordSurvey survey_;
  std::uint64_t lines_ = 0, returns_ = 0;  // of the block before
};

}  // namespace atl::table
#endif

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class Mask>
HWY_ATTR HWY_INLINE std::uint64_t bits_of(D d, Mask mask) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

HWY_ATTR HWY_INLINE Marks marks_of(const FieldScan& scan, const char* bytes) {
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  const auto separator = hn::Set(d, static_cast<std::uint8_t>(scan.separator)),
             quote = hn::Set(d, static_cast<std::uint8_t>(scan.quote));
  const auto feed = hn::Set(d, std::uint8_t{'\n'}), carriage = hn::Set(d, std::uint8_t{'\r'});
  Marks marks{};
  for (std::size_t i = 0; i < 64; i += lanes) {
    const auto some = hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(bytes) + i);
    marks.separators |= bits_of(d, hn::Eq(some, separator)) << (i % 64);
    marks.feeds |= bits_of(d, hn::Eq(some, feed)) << (i % 64);
    marks.returns |= bits_of(d, hn::Eq(some, carriage)) << (i % 64);
    marks.quotes |= bits_of(d, hn::Eq(some, quote)) << (i % 64);
  }
  return marks;
}

/// Where lines end: a carriage return before a line feed does not.
HWY_ATTR HWY_INLINE std::uint64_t lines_in(const Marks& marks, const char* bytes) {
  if (marks.returns == 0) return marks.feeds;
  const std::uint64_t next = bytes[64] == '\n' ? std::uint64_t{1} << 63 : 0;
  return marks.feeds | (marks.returns & ~((marks.feeds >> 1) | next));
}

/// What the bytes are, of which `left` are there, and where lines end. Feeds and returns are of all 64.
HWY_ATTR HWY_INLINE std::uint64_t look_at(const FieldScan& scan, const char* bytes, std::size_t left, Marks& marks) {
  marks = marks_of(scan, bytes);
  if (!scan.quotes) marks.quotes = 0;
  const std::uint64_t lines = lines_in(marks, bytes);
  if (left >= 64) return lines;
  const std::uint64_t there = (std::uint64_t{1} << left) - 1;
  marks.separators &= there;
  marks.quotes &= there;
  return lines & there;
}

HWY_ATTR void Survey(const FieldScan& scan, const char* bytes, std::size_t size, Supposed* outside, Supposed* inside) {
  for (std::size_t at = 0; at < size; at += 64) {
    Marks marks;
    const std::uint64_t lines = look_at(scan, bytes + at, size - at, marks);
    outside->add(marks, lines, static_cast<std::int64_t>(at));
    inside->add(marks, lines, static_cast<std::int64_t>(at));
  }
}

HWY_ATTR std::size_t ScanFields(FieldScan& scan, const char* base, std::size_t from, std::size_t to,
                                std::uint32_t* ends) {
  std::uint32_t* out = ends;
  for (std::size_t at = from; at < to; at += 64) {
    Marks marks;
    const std::uint64_t lines = look_at(scan, base + at, to - at, marks);
    std::uint64_t found = ends_in(scan.state, marks, lines, scan.doubled);
    scan.lines += static_cast<std::size_t>(std::popcount(found & lines));
    const auto position = static_cast<std::uint32_t>(at);
    const int count = std::popcount(found);
    for (int done = 0; done < count; done += 8) {  // eight at a time, whether they are there or not
      for (int i = 0; i < 8; ++i) {
        out[done + i] = position + static_cast<std::uint32_t>(std::countr_zero(found));
        found &= found - 1;
      }
    }
    out += count;
  }
  return static_cast<std::size_t>(out - ends);
}

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {
HWY_EXPORT(ScanFields);
HWY_EXPORT(Survey);

std::size_t scan_fields(FieldScan& scan, const char* base, std::size_t from, std::size_t to, std::uint32_t* ends) {
  return HWY_DYNAMIC_DISPATCH(ScanFields)(scan, base, from, to, ends);
}

std::array<RecordSurvey, 2> survey_records(const FieldScan& scan, const char* bytes, std::size_t size) {
  Supposed outside(false), inside(true);
  HWY_DYNAMIC_DISPATCH(Survey)(scan, bytes, size, &outside, &inside);
  return {outside.survey(), inside.survey()};
}

}  // namespace atl::table
#endif
