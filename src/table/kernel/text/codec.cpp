// SPDX-License-Identifier: Apache-2.0
// Strings as bytes of other encodings, and back.
#include <fmt/format.h>

#include <array>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "kernel/text/families.hpp"

namespace atl::table {
namespace {

enum class Codec : std::uint8_t { utf8, ascii, latin1, utf16_le, utf16_be, utf32_le, utf32_be };
enum class Bad : std::uint8_t { raise, ignore, replace };

constexpr std::array<std::string_view, 7> names{"utf-8",     "ascii",     "latin-1",  "utf-16-le",
                                                "utf-16-be", "utf-32-le", "utf-32-be"};

/// texts[0]: the encoding's name; numbers[0]: how characters outside of the encoding are handled.
Codec codec_of(const TextCall& call) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == call.texts.at(0)) return static_cast<Codec>(i);
  raise<ValueError>(fmt::format("unknown encoding {}. Accepted: {}", call.texts[0], fmt::join(names, ", ")));
}
Bad bad_of(const TextCall& call) { return static_cast<Bad>(call.numbers.at(0)); }

bool is_big(Codec codec) { return codec == Codec::utf16_be || codec == Codec::utf32_be; }

void put_unit(TextBuilder& out, std::uint32_t unit, int bytes, bool big) {
  for (int i = 0; i < bytes; ++i) out.append(static_cast<char>(unit >> (8 * (big ? bytes - 1 - i : i))));
}

void encode(std::string_view text, Codec codec, Bad bad, TextBuilder& out) {
  const char* end = text.data() + text.size();
  std::size_t place = 0;
  for (const char* at = text.data(); at < end; ++place) {
    const std::uint32_t point = next_point(at);
    switch (codec) {
      case Codec::utf8: break;  // not asked: they are already
      case Codec::ascii:
      case Codec::latin1:
        if (point < (codec == Codec::ascii ? 0x80u : 0x100u)) {
          out.append(static_cast<char>(point));
          break;
        }
        ATOLL_VALIDATE(bad != Bad::raise, ValueError,
                       "'{}' codec can't encode character '\\U{:08x}' in position {}: ordinal not in range({})",
                       names[static_cast<std::size_t>(codec)], point, place, codec == Codec::ascii ? 128 : 256);
        if (bad == Bad::replace) out.append('?');
        break;
      case Codec::utf16_le:
      case Codec::utf16_be:
        if (point >= 0x10000) {
          put_unit(out, 0xd800 + ((point - 0x10000) >> 10), 2, is_big(codec));
          put_unit(out, 0xdc00 + ((point - 0x10000) & 0x3ff), 2, is_big(codec));
        } else {
          put_unit(out, point, 2, is_big(codec));
        }
        break;
      case Codec::utf32_le:
      case Codec::utf32_be: put_unit(out, point, 4, is_big(codec)); break;
    }
  }
}

/// Bytes at the beginning that are no UTF-8 together: the longest beginning of a code point, and one byte at least.
std::size_t bad_bytes(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(0);
  const std::size_t wanted = lead >= 0xc2 && lead <= 0xdf   ? 2
                             : lead >= 0xe0 && lead <= 0xef ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 1;
  std::size_t size = 1;
  while (size < wanted && size < bytes.size()) {
    unsigned char low = 0x80, high = 0xbf;
    if (size == 1) {
      if (lead == 0xe0) low = 0xa0;
      if (lead == 0xed) high = 0x9f;
      if (lead == 0xf0) low = 0x90;
      if (lead == 0xf4) high = 0x8f;
    }
    if (byte(size) < low || byte(size) > high) break;
    ++size;
  }
  return size;
}

void replaced(Bad bad, TextBuilder& out) {
  if (bad == Bad::replace) out.append("\xef\xbf\xbd");
}

void refuse(Codec codec, Bad bad, std::size_t place, std::string_view why) {
  ATOLL_VALIDATE(bad != Bad::raise, ValueError, "'{}' codec can't decode bytes in position {}: {}",
                 names[static_cast<std::size_t>(codec)], place, why);
}

void decode_utf8(std::string_view bytes, Bad bad, TextBuilder& out) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t good = valid_bytes(bytes.substr(done));
    out.append(bytes.substr(done, good));
    done += good;
    if (done == bytes.size()) break;
    refuse(Codec::utf8, bad, done, "invalid UTF-8");
    replaced(bad, out);
    done += bad_bytes(bytes.substr(done));
  }
}

void decode_units(std::string_view bytes, Codec codec, Bad bad, TextBuilder& out) {
  const std::size_t width = codec == Codec::utf16_le || codec == Codec::utf16_be ? 2 : 4;
  auto unit = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < width; ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i]))
               << (8 * (is_big(codec) ? width - 1 - i : i));
    return value;
  };
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    if (at + width > bytes.size()) {
      refuse(codec, bad, at, "truncated data");
      replaced(bad, out);
      break;
    }
    std::uint32_t point = unit(at);
    const std::size_t begin = at;
    if (width == 2 && point >= 0xd800 && point < 0xdc00 && at + 4 <= bytes.size() &&
        (unit(at + 2) & 0xfc00) == 0xdc00) {
      point = 0x10000 + ((point - 0xd800) << 10) + (unit(at + 2) - 0xdc00);
      at += 2;
    }
    if (point >= 0x110000 || (point >= 0xd800 && point < 0xe000)) {
      refuse(codec, bad, begin, "illegal encoding");
      replaced(bad, out);
      continue;
    }
    out.advance(put_point(out.room(4), point));
  }
}

void decode(std::string_view bytes, Codec codec, Bad bad, TextBuilder& out) {
  if (codec == Codec::utf8) return decode_utf8(bytes, bad, out);
  if (codec != Codec::ascii && codec != Codec::latin1) return decode_units(bytes, codec, bad, out);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (codec == Codec::latin1 || byte < 0x80) {
      out.advance(put_point(out.room(4), byte));
    } else {
      refuse(codec, bad, i, "ordinal not in range(128)");
      replaced(bad, out);
    }
  }
}

template <void (*convert)(std::string_view, Codec, Bad, TextBuilder&)>
TextMap convert_each(const TextCall& call) {
  return {nullptr, [codec = codec_of(call), bad = bad_of(call)](const TextView& texts, TextBuilder& out) {
            for (std::size_t i = 0; i < texts.count; ++i) {
              convert(texts[i], codec, bad, out);
              out.end();
            }
          }};
}

constexpr std::array maps{TextMapEntry{"encode", convert_each<encode>}, TextMapEntry{"decode", convert_each<decode>}};

}  // namespace

std::span<const TextMapEntry> codec_maps() { return maps; }

}  // namespace atl::table
