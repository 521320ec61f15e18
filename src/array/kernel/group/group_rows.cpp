// SPDX-License-Identifier: Apache-2.0
// Group numbers: by table, by hash, or by sorting.
#include <algorithm>
#include <atomic>
#include <optional>

#include "atoll/array/kernel/group.hpp"
#include "atoll/array/kernel/partition.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/sort.hpp"
#include "kernel/group/few.hpp"

namespace atl::array {
namespace {

constexpr std::size_t block = CompositeKey::block;
constexpr unsigned table_bits = 20;                // 4 MiB of counts per thread at most
constexpr std::size_t hash_capacity = 1 << 13;     // 128 KiB of keys and numbers: in L2
constexpr std::size_t hash_groups = hash_capacity / 4;
constexpr std::size_t sample_rows = 2048;

struct Outputs {
  Groups groups;
  GroupWants wants;
  void allocate(Memory& memory, std::size_t count) {
    groups.count = count;
    if (wants.first) groups.first = Buffer<std::int64_t>(memory, count);
    if (wants.counts) groups.counts = Buffer<std::int64_t>(memory, count);
  }
};

template <class Body>  // body(begin, end, thread), on one thread when there is little to do
void in_ranges(Polling& polling, std::size_t n, Body&& body) {
  if (n < 16 * block) {
    if (n > 0) body(std::size_t{0}, n, 0u);
  } else {
    polling.for_ranges(n, block, body);
  }
}

// Keys are small numbers: count them where they point.
Groups group_by_table(Work work, const CompositeKey& key, std::size_t n, GroupWants wants) {
  Polling polling(work);
  const std::size_t range = std::size_t{1} << key.width(0);
  const unsigned lanes = n < 16 * block ? 1 : work.threads.size();
  Buffer<std::uint32_t> counts(work.memory, lanes * range);
  Buffer<std::uint64_t> first;
  if (wants.first) first = Buffer<std::uint64_t>(work.memory, lanes * range);
  std::fill(counts.begin(), counts.end(), 0);
  in_ranges(polling, n, [&](std::size_t begin, std::size_t end, unsigned lane) {
    alignas(64) std::uint64_t values[block];
    std::uint32_t* mine = counts.data() + lane * range;
    Pace pace(polling, lane);
    for (std::size_t at = begin; at < end; at += block) {
      std::size_t count = std::min(block, end - at);
      pace.done(count);
      key.load(at, count, values);
      if (!wants.first) {
        for (std::size_t i = 0; i < count; ++i) ++mine[values[i]];
        continue;
      }
      for (std::size_t i = 0; i < count; ++i) {
        if (mine[values[i]]++ == 0) first[lane * range + values[i]] = at + i;
      }
    }
  });
  Buffer<std::uint32_t> number(work.memory, range);
  std::uint32_t groups = 0;
  for (std::size_t value = 0; value < range; ++value) {
    std::uint32_t any = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) any |= counts[lane * range + value];
    number[value] = groups;
    groups += any != 0;
  }
  Outputs out{{}, wants};
  out.allocate(work.memory, groups);
  for (std::size_t value = 0; value < range && (wants.first || wants.counts); ++value) {
    std::int64_t count = 0;
    for (unsigned lane = lanes; lane-- > 0;) {
      std::uint32_t here = counts[lane * range + value];
      if (here != 0 && wants.first) {
        out.groups.first[number[value]] = static_cast<std::int64_t>(first[lane * range + value]);
      }
      count += here;
    }
    if (count != 0 && wants.counts) out.groups.counts[number[value]] = count;
  }
  if (wants.ids) {
    out.groups.ids = Buffer<std::int64_t>(work.memory, n);
    in_ranges(polling, n, [&](std::size_t begin, std::size_t end, unsigned) {
      alignas(64) std::uint64_t values[block];
      for (std::size_t at = begin; at < end; at += block) {
        std::size_t count = std::min(block, end - at);
        key.load(at, count, values);
        for (std::size_t i = 0; i < count; ++i) out.groups.ids[at + i] = number[values[i]];
      }
    });
  }
  return std::move(out.groups);
}

// Open addressing, linear probing; numbers keys in order of appearance.
class HashTable {
 public:
  struct Group {
    std::uint64_t key;
    std::uint64_t first;
    std::int64_t count;
  };
  HashTable() : slots_(hash_capacity, Slot{0, empty}) {}

  /// The number of `key`, or `empty` when there are too many groups.
  std::uint32_t add(std::uint64_t key, std::uint64_t row) {
    for (std::size_t at = (key * 0x9E3779B97F4A7C15ull) >> (64 - 13);; at = (at + 1) % hash_capacity) {
      Slot& slot = slots_[at];
      if (slot.number == empty) [[unlikely]] {
        if (groups_.size() == hash_groups) return empty;
        slot = {key, static_cast<std::uint32_t>(groups_.size())};
        groups_.push_back({key, row, 0});
      } else if (slot.key != key) {
        continue;
      }
      ++groups_[slot.number].count;
      return slot.number;
    }
  }
  const std::vector<Group>& groups() const { return groups_; }
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t number;
  };
  static_assert(hash_capacity == 1 << 13);
  std::vector<Slot> slots_;
  std::vector<Group> groups_;
};

// Sorted rows, with a mark where a group begins.
Groups group_by_sort(Work work, const CompositeKey& key, std::span<const Key> keys, std::size_t n, GroupWants wants) {
  Polling polling(work);
  constexpr std::uint64_t mark = std::uint64_t{1} << 63;
  Buffer<std::uint64_t> rows(work.memory, n);
  coargsort(work, keys, n, 0, reinterpret_cast<std::int64_t*>(rows.data()));
  // Each range looks at one row before its own: read before any range writes its marks.
  std::vector<std::size_t> begun(work.threads.size());
  std::vector<std::uint64_t> before(work.threads.size());
  in_ranges(polling, n,
            [&](std::size_t begin, std::size_t, unsigned lane) { before[lane] = rows[begin == 0 ? 0 : begin - 1]; });
  in_ranges(polling, n, [&](std::size_t begin, std::size_t end, unsigned lane) {
    std::uint64_t window[block + 1], values[block + 1];
    bool differs[block];
    window[0] = before[lane];
    std::size_t found = 0;
    Pace pace(polling, lane);
    for (std::size_t at = begin; at < end; at += block) {
      std::size_t count = std::min(block, end - at);
      pace.done(count);
      std::copy_n(rows.data() + at, count, window + 1);
      std::fill_n(differs, count, false);
      for (unsigned chunk = 0; chunk < key.chunks(); ++chunk) {
        key.gather(chunk, window, count + 1, 0, values);
        for (std::size_t i = 0; i < count; ++i) differs[i] |= values[i] != values[i + 1];
      }
      if (at == 0) differs[0] = true;
      for (std::size_t i = 0; i < count; ++i) {
        found += differs[i];
        rows[at + i] = window[i + 1] | (differs[i] ? mark : 0);
      }
      window[0] = window[count];
    }
    begun[lane] = found;
  });
  std::vector<std::size_t> start(begun.size() + 1);
  for (std::size_t lane = 0; lane < begun.size(); ++lane) start[lane + 1] = start[lane] + begun[lane];
  Outputs out{{}, wants};
  out.allocate(work.memory, start.back());
  // Where each group begins among the sorted rows; counts are the differences.
  Buffer<std::int64_t> begins;
  if (wants.counts) begins = Buffer<std::int64_t>(work.memory, start.back() + 1);
  if (wants.ids) out.groups.ids = Buffer<std::int64_t>(work.memory, n);
  in_ranges(polling, n, [&](std::size_t begin, std::size_t end, unsigned lane) {
    std::size_t group = start[lane] - 1;  // of the row before; may wrap below 0 until the first mark
    Pace pace(polling, lane);
    for (std::size_t i = begin; i < end; ++i) {
      if (i % block == 0) pace.done(block);
      std::uint64_t row = rows[i] & ~mark;
      if ((rows[i] & mark) != 0) {
        ++group;
        if (wants.first) out.groups.first[group] = static_cast<std::int64_t>(row);
        if (wants.counts) begins[group] = static_cast<std::int64_t>(i);
      }
      if (wants.ids) out.groups.ids[row] = static_cast<std::int64_t>(group);
    }
  });
  if (wants.counts) {
    begins[start.back()] = static_cast<std::int64_t>(n);
    for (std::size_t group = 0; group < start.back(); ++group) {
      out.groups.counts[group] = begins[group + 1] - begins[group];
    }
  }
  return std::move(out.groups);
}

}  // namespace

std::optional<Groups> group_by_hash(Work work, const CompositeKey& key, std::size_t n, GroupWants wants) {
  Polling polling(work);
  std::vector<HashTable> tables(work.threads.size());
  std::atomic<bool> too_many{false};
  Outputs out{{}, wants};
  if (wants.ids) out.groups.ids = Buffer<std::int64_t>(work.memory, n);
  in_ranges(polling, n, [&](std::size_t begin, std::size_t end, unsigned lane) {
    alignas(64) std::uint64_t values[block];
    HashTable& table = tables[lane];
    Pace pace(polling, lane);
    for (std::size_t at = begin; at < end && !too_many.load(std::memory_order_relaxed); at += block) {
      std::size_t count = std::min(block, end - at);
      pace.done(count);
      key.load(at, count, values);
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t number = table.add(values[i], at + i);
        if (number == HashTable::empty) {
          too_many.store(true, std::memory_order_relaxed);
          return;
        }
        if (wants.ids) out.groups.ids[at + i] = number;
      }
    }
  });
  if (too_many) return std::nullopt;
  std::vector<std::uint64_t> keys;
  for (const HashTable& table : tables) {
    for (const auto& group : table.groups()) keys.push_back(group.key);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  out.allocate(work.memory, keys.size());
  if (wants.counts) std::fill(out.groups.counts.begin(), out.groups.counts.end(), 0);
  std::vector<std::vector<std::int64_t>> numbers(tables.size());
  for (std::size_t lane = tables.size(); lane-- > 0;) {  // so that the first lane's first row stays
    for (const auto& group : tables[lane].groups()) {
      auto number = std::lower_bound(keys.begin(), keys.end(), group.key) - keys.begin();
      numbers[lane].push_back(number);
      if (wants.first) out.groups.first[static_cast<std::size_t>(number)] = static_cast<std::int64_t>(group.first);
      if (wants.counts) out.groups.counts[static_cast<std::size_t>(number)] += group.count;
    }
  }
  if (wants.ids) {
    in_ranges(polling, n, [&](std::size_t begin, std::size_t end, unsigned lane) {
      const std::vector<std::int64_t>& number = numbers[lane];
      std::int64_t* ids = out.groups.ids.data();
      for (std::size_t i = begin; i < end; ++i) ids[i] = number[static_cast<std::size_t>(ids[i])];
    });
  }
  return std::move(out.groups);
}

bool suits_table(const CompositeKey& key) {
  if (key.chunks() != 1 || key.rows() >= std::uint64_t{1} << 32) return false;
  const unsigned width = key.width(0);
  return width <= 10 || (width <= table_bits && std::size_t{1} << width <= key.rows());
}

bool suits_hash(const CompositeKey& key) {
  if (key.chunks() != 1 || key.rows() < 4 * sample_rows) return false;
  std::vector<std::uint64_t> sample = sample_keys(key, sample_rows, key.rows());
  std::sort(sample.begin(), sample.end());
  return std::unique(sample.begin(), sample.end()) - sample.begin() < static_cast<std::ptrdiff_t>(sample_rows / 2);
}

Groups group_rows(Work work, std::span<const Key> keys, std::size_t n, GroupWants wants) {
  work.monitor.checkpoint(0, 2 * n);
  std::vector<KeyRange> ranges;
  for (const Key& key : keys) ranges.push_back(key_range(work, key, n));
  const CompositeKey key(keys, ranges, n);
  if (n == 0 || key.chunks() == 0) {  // one group, or none
    Outputs out{{}, wants};
    out.allocate(work.memory, n == 0 ? 0 : 1);
    if (n > 0 && wants.first) out.groups.first[0] = 0;
    if (n > 0 && wants.counts) out.groups.counts[0] = static_cast<std::int64_t>(n);
    if (wants.ids) {
      out.groups.ids = Buffer<std::int64_t>(work.memory, n);
      std::fill(out.groups.ids.begin(), out.groups.ids.end(), 0);
    }
    return std::move(out.groups);
  }
  if (suits_table(key)) return group_by_table(work, key, n, wants);
  if (suits_hash(key)) {
    if (auto groups = group_by_hash(work, key, n, wants)) return std::move(*groups);
  }
  return group_by_sort(work, key, keys, n, wants);
}

}  // namespace atl::array
