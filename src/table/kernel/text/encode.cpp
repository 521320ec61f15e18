// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/encode.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/base/prefetch.hpp"
#include "atoll/base/random.hpp"

namespace atl::table {
namespace {

constexpr std::uint64_t k0 = 0x9e3779b97f4a7c15u, k1 = 0xe7037ed1a0b428dbu, k2 = 0x8ebc6af09c88c6e3u;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}
std::uint64_t load(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}
/// Up to eight bytes; reads beyond them, within the room behind every text.
std::uint64_t load(const char* at, std::size_t length) { return length >= 8 ? load(at) : load(at) & ~(~std::uint64_t{0} << (8 * length)); }

/// Open addressing. A slot keeps a part of the hash, so that texts that differ are mostly not looked at.
class Table {
 public:
  struct Slot {
    std::uint32_t tag;
    std::uint32_t number;  // of the text, and one more; 0: empty
  };

  Table() : slots_(1024), mask_(1023) {}

  const void* place(std::uint64_t hash) const { return &slots_[hash & mask_]; }
  /// The text's number; a new one is `distinct.size()`, and its row is appended.
  template <class TextOf>
  std::uint32_t find(std::uint64_t hash, std::string_view text, std::int64_t row, TextOf&& text_of) {
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::uint64_t at = hash & mask_;; at = (at + 1) & mask_) {
      const Slot slot = slots_[at];
      if (slot.number == 0) {
        rows_.push_back(row);
        hashes_.push_back(hash);
        slots_[at] = {tag, static_cast<std::uint32_t>(rows_.size())};
        if (rows_.size() * 2 > slots_.size()) grow();
        return static_cast<std::uint32_t>(rows_.size() - 1);
      }
      if (slot.tag == tag && text_of(rows_[slot.number - 1]) == text) return slot.number - 1;
    }
  }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  std::uint64_t hash(std::size_t number) const { return hashes_[number]; }

 private:
  void grow() {
    slots_.assign(slots_.size() * 4, Slot{0, 0});
    mask_ = slots_.size() - 1;
    for (std::size_t number = 0; number < rows_.size(); ++number) {
      std::uint64_t at = hashes_[number] & mask_;
      while (slots_[at].number != 0) at = (at + 1) & mask_;
      slots_[at] = {static_cast<std::uint32_t>(hashes_[number] >> 32), static_cast<std::uint32_t>(number + 1)};
    }
  }

  std::vector<Slot> slots_;
  std::uint64_t mask_;
  std::vector<std::int64_t> rows_;  // where each distinct text is
  std::vector<std::uint64_t> hashes_;
};

constexpr std::size_t ahead = 16;  // texts hashed before the first is looked up

}  // namespace

std::uint64_t hash_text(std::string_view text, std::uint64_t seed) {
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = seed ^ k0 ^ left;
  for (; left > 16; left -= 16, at += 16) hash = mix(load(at) ^ k1, load(at + 8) ^ hash);
  const std::uint64_t low = left == 0 ? 0 : load(at, left), high = left > 8 ? load(at + 8, left - 8) : 0;
  return mix(mix(low ^ k1, high ^ hash), k2);
}

bool has_repeats(const TextView& texts) {
  constexpr std::size_t samples = 4096;
  if (texts.count < 4 * samples) return texts.count > 64;
  SequentialRandom random(texts.count);
  std::vector<std::string_view> sample;
  for (std::size_t i = 0; i < samples; ++i) sample.push_back(texts[random.below(texts.count)]);
  std::vector<std::uint64_t> hashes;
  for (std::string_view text : sample) hashes.push_back(hash_text(text));
  std::sort(hashes.begin(), hashes.end());
  const auto distinct = static_cast<double>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
  // Of d texts that occur alike, s draws meet d (1 - exp(-s / d)): solved for d by what is left out when d is large.
  const double met_again = static_cast<double>(samples) - distinct;
  if (met_again < 4) return false;
  const double estimate = static_cast<double>(samples) * static_cast<double>(samples) / (2 * met_again);
  return estimate < static_cast<double>(texts.count) / 4;
}

Encoded encode(const array::Work& work, const TextView& texts) {
  Encoded result;
  result.numbers = Buffer<std::uint32_t>(work.memory, texts.count);
  std::vector<Table> tables(work.threads.size());
  auto text_of = [&](std::int64_t row) { return texts[static_cast<std::size_t>(row)]; };
  work.threads.for_ranges(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    Table& table = tables[thread];
    std::uint64_t hashes[ahead];
    auto hash = [&](std::size_t i) {
      hashes[i % ahead] = hash_text(texts[i]);
      prefetch_for_read(table.place(hashes[i % ahead]));
    };
    for (std::size_t i = begin; i < std::min(end, begin + ahead); ++i) hash(i);
    for (std::size_t i = begin; i < end; ++i) {
      result.numbers[i] = table.find(hashes[i % ahead], texts[i], static_cast<std::int64_t>(i), text_of);
      if (i + ahead < end) hash(i + ahead);
    }
  });
  // Threads have rows in order, so numbers in order of thread are in order of first occurrence.
  Table& all = tables[0];
  std::vector<std::vector<std::uint32_t>> renamed(tables.size());
  for (std::size_t thread = 1; thread < tables.size(); ++thread) {
    const Table& table = tables[thread];
    for (std::size_t number = 0; number < table.rows().size(); ++number) {
      const std::int64_t row = table.rows()[number];
      renamed[thread].push_back(all.find(table.hash(number), text_of(row), row, text_of));
    }
  }
  work.threads.for_ranges(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    if (thread == 0) return;
    for (std::size_t i = begin; i < end; ++i) result.numbers[i] = renamed[thread][result.numbers[i]];
  });
  result.count = all.rows().size();
  result.first = Buffer<std::int64_t>(work.memory, result.count);
  std::copy(all.rows().begin(), all.rows().end(), result.first.data());
  return result;
}

}  // namespace atl::table
