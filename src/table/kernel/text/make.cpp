// SPDX-License-Identifier: Apache-2.0
// New strings of each string: padded, repeated, with parts replaced.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"
#include "kernel/text/search.hpp"

namespace atl::table {
namespace {

/// A string of more bytes fits no memory.
constexpr std::int64_t most_bytes = std::int64_t{1} << 46;

template <class Make>
TextMap make_each(Make make) {
  return {nullptr, [make](const TextView& texts, TextBuilder& out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              make(texts[i], out);
              out.end();
            }
          }};
}

void append_times(TextBuilder& out, std::string_view text, std::int64_t times) {
  if (times <= 0 || text.empty()) return;
  ATOLL_VALIDATE(times <= most_bytes / static_cast<std::int64_t>(text.size()), MemoryError,
                 "a text of {} times {} bytes fits no memory. Is the width or the number right?", times, text.size());
  // All of it is taken at once, so that what exceeds the limit of memory fails before it is made.
  const std::size_t size = text.size() * static_cast<std::size_t>(times);
  const std::size_t piece = std::max<std::size_t>((std::size_t{1} << 18) / text.size(), 1) * text.size();
  char* to = out.room(size);
  for (std::size_t begin = 0; begin < size; begin += piece) {
    const std::size_t end = std::min(size, begin + piece);
    if (text.size() == 1) {
      std::memset(to + begin, text[0], end - begin);
    } else {
      for (std::size_t at = begin; at < end; at += text.size()) std::memcpy(to + at, text.data(), text.size());
    }
    if (end < size) out.poll();
  }
  out.advance(size);
}

std::int64_t points_of(std::string_view text) {
  return static_cast<std::int64_t>(is_ascii(text) ? text.size() : count_points(text));
}

/// numbers: width, and the padded side: 0 the left, 1 the right, 2 both, as str.center does.
TextMap pad(const TextCall& call) {
  return make_each([fill = call.texts.at(0), width = call.numbers.at(0), side = call.numbers.at(1)](
                       std::string_view text, TextBuilder& out) {
    const std::int64_t missing = std::max<std::int64_t>(width - points_of(text), 0);
    const std::int64_t before = side == 0 ? missing : side == 1 ? 0 : missing / 2 + (missing & width & 1);
    append_times(out, fill, before);
    out.append(text);
    append_times(out, fill, missing - before);
  });
}

/// Zeros behind the sign.
TextMap zfill(const TextCall& call) {
  return make_each([width = call.numbers.at(0)](std::string_view text, TextBuilder& out) {
    const std::int64_t missing = std::max<std::int64_t>(width - points_of(text), 0);
    const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    out.append(text.substr(0, sign));
    append_times(out, "0", missing);
    out.append(text.substr(sign));
  });
}

TextMap repeat(const TextCall& call) {
  return make_each(
      [times = call.numbers.at(0)](std::string_view text, TextBuilder& out) { append_times(out, text, times); });
}

/// The string between any two code points.
TextMap join(const TextCall& call) {
  return make_each([separator = call.texts.at(0)](std::string_view text, TextBuilder& out) {
    for (const char* at = text.data(); at < text.data() + text.size();) {
      const char* begin = at;
      (void)next_point(at);
      if (begin != text.data()) out.append(separator);
      out.append({begin, static_cast<std::size_t>(at - begin)});
    }
  });
}

/// Python's slice with any step: every step-th code point.
TextMap stride(const TextCall& call) {
  return make_each([start = call.numbers.at(0), stop = call.numbers.at(1), step = call.numbers.at(2),
                    has_start = call.numbers.at(3) != 0,
                    has_stop = call.numbers.at(4) != 0](std::string_view text, TextBuilder& out) {
    std::vector<std::string_view> points;
    for (const char* at = text.data(); at < text.data() + text.size();) {
      const char* begin = at;
      (void)next_point(at);
      points.emplace_back(begin, static_cast<std::size_t>(at - begin));
    }
    const auto length = static_cast<std::int64_t>(points.size());
    const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? length : length - 1;
    auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? std::max<std::int64_t>(at + length, low) : at, low, high);
    };
    const std::int64_t first = has_start ? place(start) : step > 0 ? low : high;
    const std::int64_t last = has_stop ? place(stop) : step > 0 ? high : low;
    const std::int64_t by = std::clamp<std::int64_t>(step, -length - 1, length + 1);  // so that no sum leaves 64 bits
    for (std::int64_t i = first; by > 0 ? i < last : i > last; i += by) out.append(points[static_cast<std::size_t>(i)]);
  });
}

/// texts: what, and by what; numbers: how often at most (negative: always).
TextMap replace(const TextCall& call) {
  const std::string old = call.texts.at(0), with = call.texts.at(1);
  const std::int64_t most = call.numbers.at(0);
  if (old.empty()) {  // before every code point, and at the end
    return make_each([with, most](std::string_view text, TextBuilder& out) {
      std::int64_t left = most;
      for (const char* at = text.data(); at < text.data() + text.size();) {
        const char* begin = at;
        (void)next_point(at);
        if (left-- != 0) out.append(with);
        else left = 0;
        out.append({begin, static_cast<std::size_t>(at - begin)});
      }
      if (left != 0) out.append(with);
    });
  }
  return {nullptr, [old, with, most](const TextView& texts, TextBuilder& out) {
            std::vector<std::uint32_t> places;
            std::size_t row = 0, done = 0;  // of the string that is being made
            std::int64_t left = most;
            auto finish_until = [&](std::size_t next) {
              for (; row < next; ++row) {
                out.append(texts[row].substr(done));
                out.end();
                done = 0;
                left = most;
              }
            };
            for_each_place(texts, old, places, [&](std::size_t found, std::size_t place) {
              finish_until(found);
              if (place < done || left == 0) return;
              out.append(texts[row].substr(done, place - done));
              out.append(with);
              done = place + old.size();
              --left;
            });
            finish_until(texts.count);
          }};
}

/// texts: code points, and what each becomes, in turn.
TextMap translate(const TextCall& call) {
  std::unordered_map<std::uint32_t, std::string> table;
  for (std::size_t i = 0; i + 1 < call.texts.size(); i += 2) {
    const char* at = call.texts[i].data();
    table[next_point(at)] = call.texts[i + 1];
  }
  return make_each([table](std::string_view text, TextBuilder& out) {
    for (const char* at = text.data(); at < text.data() + text.size();) {
      const char* begin = at;
      const auto found = table.find(next_point(at));
      if (found == table.end()) out.append({begin, static_cast<std::size_t>(at - begin)});
      else out.append(found->second);
    }
  });
}

constexpr std::array entries{
    TextMapEntry{"pad", pad},
    TextMapEntry{"zfill", zfill},
    TextMapEntry{"repeat", repeat},
    TextMapEntry{"join", join},
    TextMapEntry{"stride", stride},
    TextMapEntry{"replace", replace},
    TextMapEntry{"translate", translate},
};

}  // namespace

std::span<const TextMapEntry> making_maps() { return entries; }

}  // namespace atl::table
