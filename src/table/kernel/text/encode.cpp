// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/encode.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/prefetch.hpp"
#include "atoll/base/random.hpp"
#include "kernel/text/image.hpp"
#include "kernel/text/numbered.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/text/encode.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::table::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Where an image is in a line; not below ImageTable::per_line when it is not there.
HWY_ATTR inline std::size_t place_in(const ImageTable::Line& line, const Image& image) {
  const hn::CappedTag<std::uint64_t, ImageTable::per_line> d;
  for (std::size_t k = 0; k < ImageTable::per_line; k += hn::Lanes(d)) {
    const auto same = hn::And(hn::Eq(hn::Load(d, line.low + k), hn::Set(d, image.low)),
                              hn::Eq(hn::Load(d, line.high + k), hn::Set(d, image.high)));
    const std::ptrdiff_t at = hn::FindFirstTrue(d, same);
    if (at >= 0) return k + static_cast<std::size_t>(at);
  }
  return ImageTable::per_line;
}

template <Numbers wanted>
HWY_ATTR void number_texts(NumberedTexts& known, const TextView& texts, std::size_t begin, std::size_t end,
                           std::uint32_t* numbers) {
  constexpr std::size_t ahead = 32;  // strings hashed before the first is looked up
  struct Look {
    Image image;
    std::uint64_t hash;
  };
  Look looks[ahead];
  ImageTable& table = known.images();
  auto look_ahead = [&](std::size_t i) HWY_ATTR {
    const char* text = texts.bytes + texts.offsets[i];
    const auto length = static_cast<std::size_t>(texts.offsets[i + 1] - texts.offsets[i]);
    Look& look = looks[i % ahead];
    look.image = image_of(text, length);
    if (look.image.is_long()) [[unlikely]] {
      look.hash = hash_text({text, length});
      prefetch_for_read(known.long_texts().place(look.hash));
    } else {
      look.hash = ImageTable::hash(look.image);
      prefetch_for_read(&table.line(look.hash));
    }
  };
  for (std::size_t i = begin; i < std::min(end, begin + ahead); ++i) look_ahead(i);
  for (std::size_t i = begin; i < end; ++i) {
    const Look& look = looks[i % ahead];
    std::uint32_t number = 0;
    if (look.image.is_long()) [[unlikely]] {
      number = known.number_of_long(look.hash, texts[i], static_cast<std::int64_t>(i));
    } else {
      const std::size_t place = place_in(table.line(look.hash), look.image);
      if (place >= ImageTable::per_line) [[unlikely]]
        number = known.number_of(look.image, look.hash, static_cast<std::int64_t>(i));
      else if constexpr (wanted == Numbers::yes) number = table.number(look.hash, place);
    }
    if constexpr (wanted == Numbers::yes) numbers[i] = number;
    if (i + ahead < end) look_ahead(i + ahead);
  }
}

/// Numbers strings [begin, end), and writes the numbers unless they are not wanted (null).
HWY_ATTR void number_rows(NumberedTexts& known, const TextView& texts, std::size_t begin, std::size_t end,
                          std::uint32_t* numbers) {
  if (numbers != nullptr) number_texts<Numbers::yes>(known, texts, begin, end, numbers);
  else number_texts<Numbers::no>(known, texts, begin, end, numbers);
}

}  // namespace atl::table::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::table {

HWY_EXPORT(number_rows);

namespace {

constexpr std::uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xe7037ed1a0b428dbu, k2 = 0x8ebc6af09c88c6e3u;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
/// Up to eight bytes; reads beyond them, within the room behind every string.
std::uint64_t load(const char* at, std::size_t length) {
  return length >= 8 ? load_word(at) : load_word(at) & ~(~std::uint64_t{0} << (8 * length));
}

}  // namespace

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = seed ^ k0 ^ left;
  for (; left > 16; left -= 16, at += 16) hash = mix(load_word(at) ^ k1, load_word(at + 8) ^ hash);
  const std::uint64_t low = left == 0 ? 0 : load(at, left), high = left > 8 ? load(at + 8, left - 8) : 0;
  return mix(mix(low ^ k1, high ^ hash), k2);
}

bool has_repeats(const TextView& texts) {
  constexpr std::size_t most = 65536;
  if (texts.count < 1024) return texts.count > 64;
  const std::size_t samples = std::min(most, texts.count / 4);
  SequentialRandom random(texts.count);
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < samples; ++i) hashes.push_back(hash_text(texts[random.below(texts.count)]));
  array::sort_words(hashes.data(), hashes.size());
  // Chao's estimate of how many there are, by how many were met once and twice. (How many pairs were met misleads: a
  // few frequent strings among many that occur once make as many as one in ten thousand.)
  double distinct = 0, once = 0, twice = 0;
  for (std::size_t begin = 0; begin < samples;) {
    std::size_t end = begin + 1;
    while (end < samples && hashes[end] == hashes[begin]) ++end;
    ++distinct;
    once += end - begin == 1 ? 1 : 0;
    twice += end - begin == 2 ? 1 : 0;
    begin = end;
  }
  return distinct + once * once / (2 * (twice + 1)) < static_cast<double>(texts.count) / 4;
}

Encoded encode(const array::Work& work, const TextView& texts, Numbers wanted) {
  Encoded result;
  if (wanted == Numbers::yes) result.numbers = Buffer<std::uint32_t>(work.memory, texts.count);
  std::uint32_t* numbers = result.numbers.data();
  std::vector<NumberedTexts> known;
  for (unsigned thread = 0; thread < work.threads.size(); ++thread) known.emplace_back(work.memory);
  array::Polling(work).for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    HWY_DYNAMIC_DISPATCH(number_rows)(known[thread], texts, begin, end, numbers);
  });
  // Threads have rows in order, so numbers in order of thread are in order of first occurrence.
  NumberedTexts& all = known[0];
  std::vector<std::vector<std::uint32_t>> renamed(known.size());
  for (std::size_t thread = 1; thread < known.size(); ++thread) {
    for (const std::int64_t row : known[thread].rows())
      renamed[thread].push_back(all.number_of(texts[static_cast<std::size_t>(row)], row));
  }
  if (numbers != nullptr) {
    array::Polling(work).for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
      if (thread == 0) return;
      for (std::size_t i = begin; i < end; ++i) numbers[i] = renamed[thread][numbers[i]];
    });
  }
  result.count = all.rows().size();
  result.first = Buffer<std::int64_t>(work.memory, result.count);
  std::copy(all.rows().begin(), all.rows().end(), result.first.data());
  return result;
}

}  // namespace atl::table
#endif
