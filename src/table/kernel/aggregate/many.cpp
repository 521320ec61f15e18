// SPDX-License-Identifier: Apache-2.0
// Many groups: rows are moved into buckets of neighbouring keys, and each bucket is aggregated in the cache.
#include <atomic>
#include <bit>

#include "atoll/array/kernel/polling.hpp"
#include "kernel/aggregate/hash_table.hpp"
#include "kernel/aggregate/records.hpp"

namespace atl::table {
namespace {

static_assert(block_rows <= HashTable::most_at_once);
constexpr std::size_t rows_per_bucket = 16'384;  // 256 KiB of records with one column, beside as many states at most
constexpr std::size_t most_buckets = 2048;       // whose unfinished lines a thread's cache holds
constexpr std::size_t chunk_groups = 16'384;     // groups that a thread makes room for at once

/// Where a bucket's groups were put.
struct Place {
  Aggregated* chunk = nullptr;
  std::size_t begin = 0;
  std::size_t count = 0;
};

/// One thread: aggregates buckets, one after the other.
class BucketAggregator {
 public:
  BucketAggregator(const Task& task, const Records& records)
      : task_(task), records_(records), width_(records.words_per_record()), words_(task.words.count() * block_rows) {
    for (std::size_t k = 0; k < task.words.count(); ++k) columns_.push_back(words_.data() + k * block_rows);
  }

  /// Keys of the bucket differ in `shift` bits at most.
  Place run(std::size_t bucket, unsigned shift) {
    const std::vector<RecordRun> runs = records_.runs(bucket);
    if (runs.empty()) return {};
    const std::size_t rows = records_.rows(bucket);
    const std::uint64_t low = shift >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << shift) - 1;
    const std::uint64_t high = runs[0].records[0] & ~low;
    return shift < 32 && (low < 4096 || low / 4 < rows) ? by_table(runs, high, low) : by_hash(runs, shift);
  }
  std::vector<Rest>& rests() { return rests_; }

 private:
  // The bucket's range of keys is about as wide as it has rows.
  Place by_table(const std::vector<RecordRun>& runs, std::uint64_t high, std::uint64_t low) {
    StateTables& states = room_for(low + 1);
    states.clear(0, low + 1);
    each_block(runs, [&](std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) codes_[i] = static_cast<std::uint32_t>(keys_[i] & low);
      states.update_moved(task_.words, codes_, columns_.data(), count);
    });
    order_.clear();
    for (std::size_t code = 0; code <= low; ++code)
      if (states.present(task_.presence, code)) order_.push_back(static_cast<std::uint32_t>(code));
    states.take_rests(rests_, [&](std::uint32_t code) { return high | code; });
    return keep(states, [&](std::uint32_t code) { return high | code; });
  }

  Place by_hash(const std::vector<RecordRun>& runs, unsigned shift) {
    table_.clear();
    std::size_t known = 0;
    each_block(runs, [&](std::size_t count) {
      table_.codes_of(keys_, count, codes_);
      if (states_ == nullptr || table_.size() > states_->capacity()) grow(known);
      states_->clear(known, table_.size());
      known = table_.size();
      states_->update_moved(task_.words, codes_, columns_.data(), count);
    });
    order_groups(shift);
    states_->take_rests(rests_, [&](std::uint32_t code) { return table_.keys()[code]; });
    return keep(*states_, [&](std::uint32_t code) { return table_.keys()[code]; });
  }

  // Words are sorted, several times as fast as pairs: as many of a key's `shift` low bits as there is room for above
  // the code.
  void order_groups(unsigned shift) {
    const std::vector<std::uint64_t>& keys = table_.keys();
    const auto code_bits = static_cast<unsigned>(std::bit_width(keys.size() - 1));
    const std::uint64_t codes = (std::uint64_t{1} << code_bits) - 1;
    const unsigned left = (64 - shift) & 63;
    sorted_.resize(keys.size());
    for (std::size_t code = 0; code < keys.size(); ++code) sorted_[code] = ((keys[code] << left) & ~codes) | code;
    array::sort_words(sorted_.data(), sorted_.size());
    order_.clear();
    for (const std::uint64_t word : sorted_) order_.push_back(static_cast<std::uint32_t>(word & codes));
    if (shift + code_bits <= 64) return;
    for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      while (end < order_.size() && sorted_[end] >> code_bits == sorted_[begin] >> code_bits) ++end;
      const auto at = order_.begin();
      if (end - begin > 1)
        std::sort(at + static_cast<std::ptrdiff_t>(begin), at + static_cast<std::ptrdiff_t>(end),
                  [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }
  }

  // Calls body(count) with keys_ and columns_ filled.
  template <class Body>
  void each_block(const std::vector<RecordRun>& runs, Body&& body) {
    std::size_t filled = 0;
    for (std::size_t number = 0; number < runs.size(); ++number) {
      const RecordRun& run = runs[number];
      // The processor follows one run, but does not know where the next one is.
      if (number + 1 < runs.size()) fetch(runs[number + 1]);
      for (std::size_t at = 0, count = 0; at < run.count; at += count) {
        count = std::min(block_rows - filled, run.count - at);
        const std::uint64_t* record = run.records + at * width_;
        for (std::size_t i = 0; i < count; ++i) keys_[filled + i] = record[i * width_];
        for (std::size_t k = 1; k < width_; ++k) {
          std::uint64_t* column = words_.data() + (k - 1) * block_rows + filled;
          for (std::size_t i = 0; i < count; ++i) column[i] = record[i * width_ + k];
        }
        filled += count;
        if (filled < block_rows) continue;
        body(filled);
        filled = 0;
      }
    }
    if (filled > 0) body(filled);
  }

  void fetch(const RecordRun& run) const {
    const auto* bytes = reinterpret_cast<const char*>(run.records);
    for (std::size_t byte = 0; byte < run.count * width_ * sizeof(std::uint64_t); byte += 64)
      prefetch_for_read(bytes + byte);
  }

  StateTables& room_for(std::size_t groups) {
    if (states_ == nullptr || states_->capacity() < groups)
      states_ = std::make_unique<StateTables>(task_.work.memory, task_.specs, std::bit_ceil(groups));
    return *states_;
  }
  void grow(std::size_t known) {
    auto larger = std::make_unique<StateTables>(task_.work.memory, task_.specs, 2 * std::bit_ceil(table_.size()));
    larger->clear(0, known);
    if (states_ != nullptr) {
      larger->join(*states_, nullptr, known);
      states_->take_rests(rests_, [&](std::uint32_t code) { return table_.keys()[code]; });
    }
    states_ = std::move(larger);
  }

  // Copies the groups of order_ behind those of the buckets before.
  template <class KeyOf>
  Place keep(const StateTables& states, KeyOf&& key_of) {
    if (chunks_.empty() || chunks_.back()->count - used_ < order_.size()) {
      // Some buckets with about as many groups as this one, and little more.
      const std::size_t room =
          order_.size() * std::max<std::size_t>(1, chunk_groups / std::max<std::size_t>(1, order_.size()));
      chunks_.push_back(
          std::make_unique<Aggregated>(make_aggregated(task_.work.memory, task_.specs, room + room / 32)));
      used_ = 0;
    }
    Aggregated& chunk = *chunks_.back();
    const Place place{&chunk, used_, order_.size()};
    std::ranges::transform(order_, chunk.keys.begin() + used_, key_of);
    states.copy_to(chunk.states, used_, order_);
    used_ += order_.size();
    return place;
  }

  const Task& task_;
  const Records& records_;
  std::size_t width_;
  HashTable table_;
  std::unique_ptr<StateTables> states_;
  std::vector<std::uint32_t> order_;  // codes of groups, by key
  std::vector<std::uint64_t> sorted_;
  std::vector<std::unique_ptr<Aggregated>> chunks_;
  std::size_t used_ = 0;
  std::vector<Rest> rests_;
  alignas(64) std::uint64_t keys_[block_rows];
  std::uint32_t codes_[block_rows];
  std::vector<std::uint64_t> words_;
  std::vector<const std::uint64_t*> columns_;
};

}  // namespace

Aggregated aggregate_many(const Task& task, std::vector<std::uint64_t> sample) {
  array::Work work = task.work;
  const std::size_t n = task.key.rows();
  const KeyBuckets buckets(std::move(sample), task.key.width(0),
                           std::clamp<std::size_t>(n / rows_per_bucket, 2, most_buckets));
  Records records(task, buckets);
  Trouble trouble;
  trouble.outside = records.outside();
  if (trouble.any()) return trouble.answer();
  work.monitor.checkpoint(n, 2 * n);

  std::vector<Place> places(buckets.count());
  std::vector<std::unique_ptr<BucketAggregator>> aggregators;
  for (unsigned thread = 0; thread < work.threads.size(); ++thread)
    aggregators.push_back(std::make_unique<BucketAggregator>(task, records));
  array::Polling(work).for_each_dynamic(buckets.count(), [&](std::size_t bucket, unsigned thread) {
    if (aggregators[thread]->rests().size() > task.most_rests()) trouble.crowded.store(true, std::memory_order_relaxed);
    if (trouble.any()) return;
    places[bucket] = aggregators[thread]->run(bucket, buckets.shift(bucket));
    records.release(bucket);
    if (thread == 0) work.monitor.checkpoint(n + n * bucket / buckets.count(), 2 * n);
  });

  if (trouble.any()) return trouble.answer();

  std::vector<std::size_t> at(places.size() + 1);
  for (std::size_t bucket = 0; bucket < places.size(); ++bucket) at[bucket + 1] = at[bucket] + places[bucket].count;
  Aggregated out;
  out.count = at.back();
  out.states.resize(task.specs.size());
  for (const auto& aggregator : aggregators)
    out.rests.insert(out.rests.end(), aggregator->rests().begin(), aggregator->rests().end());
  // One array after the other, the narrow ones first: two of one kind at a time.
  auto copy = [&]<class T>(std::size_t width, Buffer<T>& to, auto&& of) {
    to = Buffer<T>(work.memory, out.count * width);
    array::Polling(work).for_each_dynamic(places.size(), [&](std::size_t bucket, unsigned) {
      const Place& place = places[bucket];
      if (place.count > 0)
        std::copy_n(of(*place.chunk).data() + place.begin * width, place.count * width, to.data() + at[bucket] * width);
    });
    for (const Place& place : places)
      if (place.count > 0) of(*place.chunk) = {};
  };
  copy(1, out.keys, [](Aggregated& chunk) -> Buffer<std::uint64_t>& { return chunk.keys; });
  for (const bool sums : {false, true})
    for (std::size_t i = 0; i < task.specs.size(); ++i)
      if (task.specs[i].is_sum() == sums)
        copy(task.specs[i].bytes(), out.states[i],
             [i](Aggregated& chunk) -> Buffer<std::byte>& { return chunk.states[i]; });
  return out;
}

}  // namespace atl::table
