// SPDX-License-Identifier: Apache-2.0
#include "kernel/sort/mender.hpp"

#include <algorithm>

namespace atl::array {
namespace {

constexpr std::size_t few = 24;                              // insertion sort up to here
constexpr std::size_t long_run = std::size_t{1} << 18;       // worth waking all threads
constexpr std::uint64_t tie = std::uint64_t{1} << 63;        // marks a row that ties with the one before it

// Calls body(begin, end) for the runs of two and more rows in [0, n) that are marked, and clears the marks.
template <class Body>
void for_marked_runs(std::uint64_t* rows, std::size_t n, Body&& body) {
  for (std::size_t i = 1; i < n; ++i) {
    if ((rows[i] & tie) == 0) continue;
    std::size_t begin = i - 1;
    while (i < n && (rows[i] & tie) != 0) rows[i++] &= ~tie;
    body(begin, i);
  }
}

}  // namespace

// Short runs are looked up together: their keys lie anywhere in memory, and only loads that do not wait for each
// other make that bearable (argsort of 10^7 rows of 10^6 sparse keys: 314 ms one run at a time, 230 ms in batches).
class Mender::Batch {
 public:
  static constexpr std::size_t capacity = 1024;

  Batch(Mender& mender, unsigned chunk) : mender_(mender), chunk_(chunk) {}

  void add(std::uint64_t* rows, std::size_t n) {
    if (used_ + n > capacity) flush();
    std::copy_n(rows, n, rows_ + used_);
    used_ += n;
    runs_[count_++] = {rows, n, chunk_};
  }

  void flush() {
    if (chunk_ < mender_.key_.chunks()) mender_.key_.gather(chunk_, rows_, used_, 0, values_);
    std::uint64_t* values = values_;
    for (std::size_t i = 0; i < count_ && chunk_ < mender_.key_.chunks(); values += runs_[i++].n) {
      mender_.order_few(runs_[i], values, 0);
    }
    used_ = count_ = 0;
  }

 private:
  Mender& mender_;
  unsigned chunk_;
  std::size_t used_ = 0, count_ = 0;
  std::uint64_t rows_[capacity], values_[capacity];
  Run runs_[capacity / 2];
};

void Mender::mend(std::uint64_t* words, std::size_t n, unsigned shift) {
  if (packing_.resolves(shift, key_)) return;
  const unsigned chunk = shift + packing_.row_bits <= 64 ? 1 : 0;
  Batch batch(*this, chunk);
  for (std::size_t i = 1; i < n; ++i) {
    if (((words[i] ^ words[i - 1]) >> packing_.row_bits) != 0) continue;
    std::size_t begin = i - 1;
    while (i < n && ((words[i] ^ words[begin]) >> packing_.row_bits) == 0) ++i;
    // Words before i are not looked at again.
    unpack_rows(words + begin, i - begin, packing_, 0);
    if (i - begin <= few) batch.add(words + begin, i - begin);
    else order({words + begin, i - begin, chunk}, 0);
  }
  batch.flush();
}

void Mender::finish(std::uint64_t bias) {
  while (!long_runs_.empty()) {
    Run run = long_runs_.back();
    long_runs_.pop_back();
    work_.monitor.checkpoint(0, 0);
    order_many(run, bias, true);
  }
}

void Mender::order(Run run, std::uint64_t bias) {
  if (run.chunk >= key_.chunks() || run.n < 2) return;
  if (run.n <= few) {
    std::uint64_t values[few];
    key_.gather(run.chunk, run.rows, run.n, bias, values);
    return order_few(run, values, bias);
  }
  if (run.n >= long_run && work_.threads.size() > 1) {
    std::lock_guard lock(mutex_);
    long_runs_.push_back(run);
    return;
  }
  order_many(run, bias, false);
}

// `values` are the run's, of its chunk.
void Mender::order_few(Run run, std::uint64_t* values, std::uint64_t bias) {
  for (std::size_t i = 1; i < run.n; ++i) {
    std::uint64_t value = values[i], row = run.rows[i];
    std::size_t at = i;
    for (; at > 0 && values[at - 1] > value; --at) {
      values[at] = values[at - 1];
      run.rows[at] = run.rows[at - 1];
    }
    values[at] = value;
    run.rows[at] = row;
  }
  if (run.chunk + 1 >= key_.chunks()) return;
  for (std::size_t begin = 0, end = 1; begin < run.n; begin = end++) {
    while (end < run.n && values[end] == values[begin]) ++end;
    if (end - begin > 1) order({run.rows + begin, end - begin, run.chunk + 1}, bias);
  }
}

void Mender::order_many(Run run, std::uint64_t bias, bool all_threads) {
  const std::size_t n = run.n;
  std::uint64_t* rows = run.rows;
  ThreadPool& threads = work_.threads;
  auto for_all = [&](auto&& body) {
    if (all_threads) {
      threads.for_ranges(n, CompositeKey::block,
                         [&](std::size_t begin, std::size_t end, unsigned) { body(begin, end); });
    } else {
      body(std::size_t{0}, n);
    }
  };
  Buffer<std::uint64_t> words(work_.memory, n);
  KeyRange range;
  for (;; ++run.chunk) {
    if (run.chunk >= key_.chunks()) return;
    for_all([&](std::size_t begin, std::size_t end) {
      key_.gather(run.chunk, rows + begin, end - begin, bias, words.data() + begin);
    });
    auto [low, high] = std::minmax_element(words.begin(), words.end());
    range = {*low, *high};
    if (range.min != range.max) break;
  }
  // The values again as words, with the position in the run for a row: the same scheme, with more bits for the key.
  const Packing packing = Packing::for_rows(n);
  const unsigned width = range.width();
  const std::uint64_t position_mask = packing.row_mask();
  for_all([&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      words[i] = (((words[i] - range.min) << (64 - width)) & ~position_mask) | i;
    }
  });
  {
    Buffer<std::uint64_t> before(work_.memory, n);
    if (all_threads) {
      sort_words(work_, words.data(), n, before.data());
    } else {
      sort_words(words.data(), n);
    }
    std::copy_n(rows, n, before.data());
    for_all([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        bool ties = i > 0 && ((words[i] ^ words[i - 1]) >> packing.row_bits) == 0;
        rows[i] = before[words[i] & position_mask] | (ties ? tie : 0);
      }
    });
  }
  words = {};
  unsigned next = width + packing.row_bits <= 64 ? run.chunk + 1 : run.chunk;
  if (next >= key_.chunks()) {
    for_all([&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) rows[i] &= ~tie;
    });
    return;
  }
  if (!all_threads) {
    for_marked_runs(rows, n,
                    [&](std::size_t begin, std::size_t end) { order({rows + begin, end - begin, next}, bias); });
    return;
  }
  std::vector<std::size_t> borders = {0};
  const std::size_t pieces = threads.size() * 8;
  for (std::size_t piece = 1; piece < pieces; ++piece) {
    std::size_t at = std::max(n / pieces * piece, borders.back());
    while (at < n && (rows[at] & tie) != 0) ++at;
    borders.push_back(at);
  }
  borders.push_back(n);
  threads.for_each_dynamic(pieces, [&](std::size_t piece, unsigned) {
    std::uint64_t* from = rows + borders[piece];
    for_marked_runs(from, borders[piece + 1] - borders[piece],
                    [&](std::size_t begin, std::size_t end) { order({from + begin, end - begin, next}, bias); });
  });
}

}  // namespace atl::array
