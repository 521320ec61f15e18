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

/// A text of up to 16 bytes as two words, which with its length are all of it; of a longer one its first word, and its hash.
struct Digest {
  std::uint64_t low, high, hash;
};
constexpr std::size_t short_text = 16;

/// From byte 16 - n on, what keeps the first n bytes of 16.
alignas(32) constexpr char kept_bytes[2 * short_text] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

Digest digest(std::string_view text) {
  if (text.size() > short_text) {
    const std::uint64_t hash = hash_text(text);
    return {load(text.data()), hash, hash};
  }
  // Lengths differ from text to text: no branch on them.
  const std::uint64_t low = load(text.data()) & load(kept_bytes + short_text - text.size());
  const std::uint64_t high = load(text.data() + 8) & load(kept_bytes + short_text + 8 - text.size());
  return {low, high, mix(mix(low ^ k1, high ^ k0 ^ text.size()), k2)};
}

/// Open addressing; what a short text is compared with is in the slot, so that a look costs one miss.
class Table {
 public:
  Table() = default;
  /// From a pool of large pages: in small ones each look waits for its page's address, too.
  explicit Table(Memory& memory) : memory_(&memory) { make_slots(1024); }

  const void* place(std::uint64_t hash) const { return &slots_[hash & mask_]; }
  /// The text's number; a new one is the next, and its row is appended.
  std::uint32_t find(const Digest& digest, std::string_view text, std::int64_t row) {
    for (std::uint64_t at = digest.hash & mask_;; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.number == 0) break;
      if (slot.low == digest.low && slot.high == digest.high && slot.length == static_cast<std::uint32_t>(text.size()) &&
          (text.size() <= short_text || std::string_view(slot.text, text.size()) == text))
        return slot.number - 1;
    }
    return add(digest, text, row);
  }
  const std::vector<std::int64_t>& rows() const { return rows_; }

 private:
  struct Slot {
    std::uint64_t low, high;
    const char* text;
    std::uint32_t length;  // its low bits: longer texts are compared
    std::uint32_t number;  // and one more; 0: empty
  };

  std::uint32_t add(const Digest& digest, std::string_view text, std::int64_t row) {
    if ((rows_.size() + 1) * 2 > slots_.size()) grow();
    rows_.push_back(row);
    hashes_.push_back(digest.hash);
    place_of(digest.hash) = {digest.low, digest.high, text.data(), static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(rows_.size())};
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }
  Slot& place_of(std::uint64_t hash) {
    std::uint64_t at = hash & mask_;
    while (slots_[at].number != 0) at = (at + 1) & mask_;
    return slots_[at];
  }
  void grow() {
    const Buffer<Slot> old = std::move(slots_);
    make_slots(4 * old.size());
    for (const Slot& slot : old)
      if (slot.number != 0) place_of(hashes_[slot.number - 1]) = slot;
  }
  void make_slots(std::size_t count) {
    slots_ = Buffer<Slot>(*memory_, count);
    std::fill(slots_.begin(), slots_.end(), Slot{});
    mask_ = count - 1;
  }

  Memory* memory_ = nullptr;
  Buffer<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::vector<std::int64_t> rows_;  // where each distinct text was met first
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
  constexpr std::size_t most = 65536;
  if (texts.count < 1024) return texts.count > 64;
  const std::size_t samples = std::min(most, texts.count / 4);
  SequentialRandom random(texts.count);
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < samples; ++i) hashes.push_back(hash_text(texts[random.below(texts.count)]));
  std::sort(hashes.begin(), hashes.end());
  // Chao's estimate of how many there are, by how many were met once and twice. (How many pairs were met misleads: a few frequent
  // texts among many that occur once make as many as one in ten thousand.)
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
  std::vector<Table> tables(work.threads.size());
  work.threads.for_ranges(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
    Table table(work.memory);
    Digest digests[ahead];
    auto look_ahead = [&](std::size_t i) {
      digests[i % ahead] = digest(texts[i]);
      prefetch_for_read(table.place(digests[i % ahead].hash));
    };
    for (std::size_t i = begin; i < std::min(end, begin + ahead); ++i) look_ahead(i);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t number = table.find(digests[i % ahead], texts[i], static_cast<std::int64_t>(i));
      if (numbers != nullptr) numbers[i] = number;
      if (i + ahead < end) look_ahead(i + ahead);
    }
    tables[thread] = std::move(table);
  });
  // Threads have rows in order, so numbers in order of thread are in order of first occurrence.
  Table& all = tables[0];
  std::vector<std::vector<std::uint32_t>> renamed(tables.size());
  for (std::size_t thread = 1; thread < tables.size(); ++thread) {
    for (const std::int64_t row : tables[thread].rows()) {
      const std::string_view text = texts[static_cast<std::size_t>(row)];
      renamed[thread].push_back(all.find(digest(text), text, row));
    }
  }
  if (numbers != nullptr) {
    work.threads.for_ranges(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned thread) {
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
