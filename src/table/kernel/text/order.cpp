// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/order.hpp"
#include "atoll/array/kernel/polling.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <vector>

namespace atl::table {
namespace {

/// Up to here strings are compared with one another, which asks for no memory.
constexpr std::size_t few = 24;

bool has_zero_byte(std::uint64_t word) { return ((word - 0x0101010101010101u) & ~word & 0x8080808080808080u) != 0; }

std::size_t common_bytes(const char* a, const char* b, std::size_t most) {
  std::size_t at = 0;
  for (; at + 8 <= most; at += 8) {
    std::uint64_t x, y;
    std::memcpy(&x, a + at, 8);
    std::memcpy(&y, b + at, 8);
    if (x != y) break;
  }
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

bool before(const Item& a, const Item& b, std::size_t depth) {
  const std::size_t both = std::min(a.length, b.length);
  const int order = both > depth ? std::memcmp(a.data + depth, b.data + depth, both - depth) : 0;
  if (order != 0) return order < 0;
  if (a.length != b.length) return a.length < b.length;
  return a.row < b.row;
}

/// An item beside its next word, and how many of its bytes are text (9: more than all).
struct Worded {
  std::uint64_t word;
  std::uint64_t tail;
  Item item;
};

}  // namespace

bool load_words(const array::Work& work, const TextView& texts, std::size_t depth, std::uint64_t* words) {
  std::atomic<bool> found{false};
  array::Polling(work).for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    bool zero = false;
    for (std::size_t i = begin; i < end; ++i) {
      const auto length = static_cast<std::size_t>(texts.offsets[i + 1] - texts.offsets[i]);
      const std::uint64_t word = word_at(texts.bytes + texts.offsets[i], length, depth);
      words[i] = word;
      // Bytes beyond the string are made ones, so that its own zeros are left.
      const std::uint64_t beyond = length >= depth + 8 ? 0
                                   : length <= depth   ? ~std::uint64_t{0}
                                                       : ~std::uint64_t{0} >> (8 * (length - depth));
      zero |= has_zero_byte(word | beyond);
    }
    if (zero) found.store(true, std::memory_order_relaxed);
  });
  return found.load(std::memory_order_relaxed);
}

Common common_prefix(const array::Work& work, const TextView& texts, std::string_view first) {
  std::atomic<std::size_t> least{first.size()};
  std::atomic<bool> equal{true};
  array::Polling(work).for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t known = least.load(std::memory_order_relaxed);
      const std::string_view text = texts[i];
      if (text.size() != first.size()) equal.store(false, std::memory_order_relaxed);
      if (known == 0) continue;
      const std::size_t most = std::min(known, text.size());
      const std::size_t common = common_bytes(text.data(), first.data(), most);
      for (std::size_t old = known;
           common < old && !least.compare_exchange_weak(old, common, std::memory_order_relaxed);) {}
      if (common == 0) {
        equal.store(false, std::memory_order_relaxed);
        return;
      }
    }
  });
  const std::size_t bytes = least.load(std::memory_order_relaxed);
  return {bytes, equal.load(std::memory_order_relaxed) && bytes == first.size()};
}

void sort_items(std::span<Item> items, std::size_t depth) {
  if (items.size() < 2) return;
  if (items.size() <= few) {
    std::sort(items.begin(), items.end(), [depth](const Item& a, const Item& b) { return before(a, b, depth); });
    return;
  }
  // What all have in common is skipped.
  const Item& first = items[0];
  std::size_t common = first.length;
  bool equal = true;
  for (const Item& item : items) {
    const std::size_t most = std::min(common, item.length);
    equal = equal && item.length == first.length;
    common = depth >= most ? most : depth + common_bytes(item.data + depth, first.data + depth, most - depth);
  }
  if (equal && common == first.length) {
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.row < b.row; });
    return;
  }
  depth = std::max(depth, common);
  std::vector<Worded> worded;
  worded.reserve(items.size());
  for (const Item& item : items) {
    const std::size_t rest = item.length > depth ? item.length - depth : 0;
    worded.push_back({word_at(item.data, item.length, depth), std::min<std::uint64_t>(rest, 9), item});
  }
  std::sort(worded.begin(), worded.end(), [](const Worded& a, const Worded& b) {
    return std::tie(a.word, a.tail, a.item.row) < std::tie(b.word, b.tail, b.item.row);
  });
  std::vector<std::pair<std::size_t, std::size_t>> tied;
  for (std::size_t i = 0; i < worded.size(); ++i) items[i] = worded[i].item;
  for (std::size_t begin = 0; begin < worded.size();) {
    std::size_t end = begin + 1;
    while (end < worded.size() && worded[end].word == worded[begin].word && worded[end].tail == worded[begin].tail)
      ++end;
    if (end - begin > 1 && worded[begin].tail == 9) tied.emplace_back(begin, end);
    begin = end;
  }
  worded = {};
  for (const auto& [begin, end] : tied) sort_items(items.subspan(begin, end - begin), depth + 8);
}

}  // namespace atl::table
