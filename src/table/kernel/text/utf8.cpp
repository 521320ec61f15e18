// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/utf8.hpp"

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/offsets.hpp"

namespace atl::table {

std::size_t valid_bytes(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (i + 32 <= bytes.size() && is_ascii(bytes.data() + i, 32)) {
      i += 32;
      continue;
    }
    const unsigned char first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    const std::size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || i + more >= bytes.size()) return i;
    for (std::size_t k = 1; k <= more; ++k)
      if ((byte(i + k) & 0xc0) != 0x80) return i;
    const unsigned char second = byte(i + 1);
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
      return i;
    i += more + 1;
  }
  return i;
}

void check_texts(const array::Work& work, const TextView& texts, std::int64_t size) {
  check_offsets(work, texts, size);
  array::Polling(work).for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    const TextView piece = texts.slice(begin, end);
    if (is_ascii(piece)) return;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t valid = valid_bytes(texts[i]);
      ATOLL_VALIDATE(
          valid == texts[i].size(), ValueError,
          "text {} is not UTF-8: byte 0x{:02x} at position {}. Decode it first, from the encoding that it has", i,
          static_cast<unsigned char>(texts[i][valid]), valid);
    }
  });
}

}  // namespace atl::table
