// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/text_order.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/ops/elementwise.hpp"
#include "atoll/array/ops/index.hpp"
#include "atoll/array/ops/move.hpp"
#include "atoll/array/ops/reduce.hpp"
#include "atoll/array/ops/select.hpp"
#include "atoll/array/ops/sort.hpp"
#include "atoll/array/ops/transfer.hpp"
#include "atoll/table/kernel/text/order.hpp"
#include "atoll/table/ops/text.hpp"
#include "ops/text_buckets.hpp"

namespace atl::table {
namespace {

using array::Shape;

/// A run of rows that tie: positions [begin, end) of all.
struct Run {
  std::int64_t begin, end;
};

/// What all strings of a column have in common.
Common common_of(Engine& engine, const Text& text) {
  OpenText open(engine, text);
  const std::string first = open.text_of(0);
  Common common;
  engine.together([&] { common = common_prefix(engine.work(), text.view(), first); });
  for (const Common& other : engine.allgather_value(common)) {
    common.bytes = std::min(common.bytes, other.bytes);
    common.equal = common.equal && other.equal;
  }
  open.close();
  return common;
}

/// What sorting begins with: what the strings have in common, and, where that is worth it, these in buckets.
struct Start {
  Common common{0, true};
  std::optional<TextBuckets> buckets;
};

/// Collective.
Start start_sort(Engine& engine, const Text& text) {
  Start start;
  if (text.rows() >= 2) start.common = common_of(engine, text);
  if (!start.common.equal) start.buckets = deal_texts(engine, text, start.common.bytes);
  return start;
}

/// What strings were sorted by so far, in the order that came of it.
struct Sorted {
  Array words;
  Array tails;  // tails_of(); null when no string has a zero byte in its word
  std::uint8_t tail(std::int64_t i) const { return tails == nullptr ? 0 : tails->data<std::uint8_t>()[i]; }
  bool same(std::int64_t i, std::int64_t j) const {
    return words->data<std::uint64_t>()[i] == words->data<std::uint64_t>()[j] && tail(i) == tail(j);
  }
  /// Whether strings that tie in this row may differ.
  static bool open(std::uint64_t word, std::uint8_t tail) { return tail == 0 ? (word & 0xff) != 0 : tail == 10; }
};

/// Where words tie at the ends of a PE's rows.
struct Ends {
  std::uint64_t first, last;
  std::uint8_t first_tail, last_tail;
  std::int64_t first_run, last_run, count;
};

/// Runs that tie, reach over a border of PEs, and may hold different strings.
std::vector<Run> runs_over_borders(Engine& engine, const Sorted& sorted) {
  const std::int64_t n = sorted.words->local_rows();
  Ends mine{0, 0, 0, 0, 0, 0, n};
  if (n > 0) {
    mine.first = sorted.words->data<std::uint64_t>()[0];
    mine.last = sorted.words->data<std::uint64_t>()[n - 1];
    mine.first_tail = sorted.tail(0);
    mine.last_tail = sorted.tail(n - 1);
    while (mine.first_run < n && sorted.same(mine.first_run, 0)) ++mine.first_run;
    while (mine.last_run < n && sorted.same(n - 1 - mine.last_run, n - 1)) ++mine.last_run;
  }
  std::vector<Run> runs;
  Run last{0, 0};  // so far
  std::uint64_t word = 0;
  std::uint8_t tail = 0;
  bool crossed = false;
  auto close = [&] {
    if (crossed && Sorted::open(word, tail)) runs.push_back(last);
    crossed = false;
  };
  std::int64_t at = 0;
  for (const Ends& pe : engine.allgather_value(mine)) {
    if (pe.count == 0) continue;
    const std::int64_t begin = at;
    at += pe.count;
    if (begin > 0 && pe.first == word && pe.first_tail == tail) {
      last.end = begin + pe.first_run;
      crossed = true;
      if (pe.first_run == pe.count) continue;  // it goes on
    }
    close();
    last = {at - pe.last_run, at};
    word = pe.last;
    tail = pe.last_tail;
  }
  close();
  return runs;
}

/// This PE's runs of more than one row that tie, lie on no border, and may hold different strings.
std::vector<Run> runs_inside(const array::Work& work, const Sorted& sorted, const std::vector<Run>& elsewhere) {
  const auto* word = sorted.words->data<std::uint64_t>();
  const std::int64_t n = sorted.words->local_rows(), first = sorted.words->first_row();
  std::vector<std::vector<Run>> found(work.threads.size());
  array::Polling polling(work);
  polling.for_ranges(static_cast<std::size_t>(n), text_piece,
                     [&](std::size_t piece_begin, std::size_t piece_end, unsigned thread) {
                       auto begin = static_cast<std::int64_t>(piece_begin);
                       while (begin > 0 && begin < n && sorted.same(begin, begin - 1)) ++begin;
                       array::Pace pace(polling, thread);
                       while (begin < static_cast<std::int64_t>(piece_end)) {
                         pace.done(1);
                         std::int64_t end = begin + 1;
                         while (end < n && sorted.same(end, begin)) ++end;
                         if (end - begin > 1 && Sorted::open(word[begin], sorted.tail(begin)))
                           found[thread].push_back({begin, end});
                         begin = end;
                       }
                     });
  std::vector<Run> runs;
  for (const auto& part : found) runs.insert(runs.end(), part.begin(), part.end());
  std::erase_if(runs, [&](const Run& run) {
    return std::any_of(elsewhere.begin(), elsewhere.end(), [&](const Run& other) {
      return run.begin + first < other.end && other.begin < run.end + first;
    });
  });
  return runs;
}

/// Takes out of this PE's runs those that would keep other threads and PEs waiting, and appends those of all PEs to
/// `everywhere`. Sorted by words as a column of their own, long runs take half as long on one thread, too. Collective.
void give_long_runs(Engine& engine, const Array& order, std::vector<Run>& inside, std::vector<Run>& everywhere) {
  const std::int64_t workers = std::int64_t{engine.npes()} * engine.threads().size();
  // As many rows as are worth spreading, and a good part of what each worker has.
  const std::int64_t many = std::max(16 * engine.grain(), order->shape.size() / (16 * workers));
  std::vector<Run> mine;
  for (const Run& run : inside)
    if (run.end - run.begin >= many) mine.push_back({run.begin + order->first_row(), run.end + order->first_row()});
  std::erase_if(inside, [&](const Run& run) { return run.end - run.begin >= many; });
  for (const auto& runs : engine.allgather_vector(mine)) everywhere.insert(everywhere.end(), runs.begin(), runs.end());
}

/// Sorts what ties inside this PE's part of `order`, by strings from `depth` on, and marks where they change (`apart`,
/// or null). Collective.
void sort_inside(Engine& engine, const Text& text, const Array& order, const std::vector<Run>& runs, std::size_t depth,
                 bool* apart) {
  const array::Work work = engine.work();
  auto* rows = order->data<std::int64_t>();
  std::size_t count = 0;
  for (const Run& run : runs) count += static_cast<std::size_t>(run.end - run.begin);
  Buffer<std::int64_t> tied;
  Spans spans;
  engine.together([&] {
    tied = Buffer<std::int64_t>(engine.memory(), count);
    spans = Spans(engine.memory(), count);
  });
  std::vector<std::size_t> starts;
  std::size_t used = 0;
  for (const Run& run : runs) {
    starts.push_back(used);
    std::copy(rows + run.begin, rows + run.end, tied.data() + used);
    used += static_cast<std::size_t>(run.end - run.begin);
  }
  OpenText open(engine, text);
  open.find(tied.data(), count, spans.data.data(), spans.lengths.data());
  constexpr std::size_t batch = 64;
  engine.together([&] {
    array::Polling(work).for_each_dynamic((runs.size() + batch - 1) / batch, [&](std::size_t index, unsigned) {
      std::vector<Item> items;
      for (std::size_t k = index * batch; k < std::min(runs.size(), (index + 1) * batch); ++k) {
        const auto size = static_cast<std::size_t>(runs[k].end - runs[k].begin);
        items.clear();
        for (std::size_t i = starts[k]; i < starts[k] + size; ++i)
          items.push_back({spans.data[i], static_cast<std::size_t>(spans.lengths[i]), tied[i]});
        sort_items(items, depth);
        const auto first = static_cast<std::size_t>(runs[k].begin);
        for (std::size_t i = 0; i < size; ++i) rows[first + i] = items[i].row;
        for (std::size_t i = 1; i < size && apart != nullptr; ++i)
          apart[first + i] = items[i].length != items[i - 1].length ||
                             std::memcmp(items[i].data, items[i - 1].data, items[i].length) != 0;
      }
    });
  });
  open.close();
}

/// How many bytes the string has from `depth` on, 9 standing for more than 8; and one more.
Array tails_of(Engine& engine, const Text& text, std::size_t depth) {
  Array tails = engine.make(DType::u8, Shape{text.rows()});
  const TextView view = text.view();
  for (std::size_t i = 0; i < view.count; ++i) {
    const std::size_t size = view[i].size();
    tails->data<std::uint8_t>()[i] =
        static_cast<std::uint8_t>(1 + (size <= depth ? 0 : std::min<std::size_t>(size - depth, 9)));
  }
  return tails;
}

/// Where words change, in order; what ties is the same so far. Collective.
void mark_words(Engine& engine, const Sorted& sorted, bool* apart) {
  struct Last {
    std::uint64_t word;
    std::uint8_t tail, any;
  };
  const std::int64_t n = sorted.words->local_rows();
  Last mine{0, 0, static_cast<std::uint8_t>(n > 0 ? 1 : 0)};
  if (n > 0) mine = {sorted.words->data<std::uint64_t>()[n - 1], sorted.tail(n - 1), 1};
  const auto lasts = engine.allgather_value(mine);
  engine.together([&] {
    if (n == 0) return;
    apart[0] = true;
    for (std::uint32_t pe = engine.pe(); pe-- > 0;) {
      if (lasts[pe].any == 0) continue;
      apart[0] = lasts[pe].word != sorted.words->data<std::uint64_t>()[0] || lasts[pe].tail != sorted.tail(0);
      break;
    }
    array::Polling(engine.work())
        .for_pieces(static_cast<std::size_t>(n), text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
          for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i)
            apart[i] = !sorted.same(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i) - 1);
        });
  });
}

/// The order of this PE's share of strings in buckets, as an array; and where strings change, to `apart` unless it is
/// null. Collective.
Array order_of(Engine& engine, const TextBuckets& buckets, const Array& apart, std::int64_t rows) {
  Array order = engine.make(DType::i64, Shape{rows});
  if (engine.npes() == 1) {
    buckets.order(engine.work(), order->data<std::int64_t>(), apart == nullptr ? nullptr : apart->data<bool>());
    return order;
  }
  Buffer<std::int64_t> mine;
  Buffer<bool> marks;
  engine.together([&] {
    mine = Buffer<std::int64_t>(engine.memory(), static_cast<std::size_t>(buckets.rows()));
    if (apart != nullptr) marks = Buffer<bool>(engine.memory(), mine.size());
    buckets.order(engine.work(), mine.data(), marks.data());
  });
  std::int64_t first = 0;
  const auto counts = engine.allgather_value(buckets.rows());
  for (std::uint32_t pe = 0; pe < engine.pe(); ++pe) first += counts[pe];
  array::OpenBlocks blocks(engine, *order);
  engine.together([&] { blocks.write_rows(first, first + buckets.rows(), mine.data()); });
  blocks.close();
  if (apart != nullptr) {
    array::OpenBlocks changes(engine, *apart);
    changes.write_rows(first, first + buckets.rows(), marks.data());
    changes.close();
  }
  return order;
}

/// The stable order of a column's strings, which start_sort() has begun with. With `apart`, an array of as many bools,
/// where in that order a string differs from the one before.
Array order_from(Engine& engine, const Text& text, const Start& start, const Array& apart) {
  const std::int64_t rows = text.rows();
  auto in_order = [&] {
    Array order = engine.make(DType::i64, Shape{rows});
    for (std::int64_t i = 0; i < order->local_rows(); ++i) order->data<std::int64_t>()[i] = order->first_row() + i;
    if (apart != nullptr) {
      std::fill_n(apart->data<bool>(), apart->local_rows(), false);
      if (apart->local_rows() > 0 && apart->first_row() == 0) apart->data<bool>()[0] = true;
    }
    return order;
  };
  if (start.common.equal) return in_order();
  if (start.buckets) return order_of(engine, *start.buckets, apart, rows);
  const std::size_t depth = start.common.bytes;
  Array words = engine.make(DType::u64, Shape{rows});
  std::uint8_t zeros = 0;
  engine.together([&] { zeros = load_words(engine.work(), text.view(), depth, words->data<std::uint64_t>()) ? 1 : 0; });
  for (std::uint8_t other : engine.allgather_value(zeros)) zeros |= other;
  // A string with zeros at its end has the word of one without them: they differ in how many bytes of it are theirs.
  Sorted sorted;
  std::vector<Array> keys{words};
  if (zeros != 0) keys.push_back(tails_of(engine, text, depth));
  const Array order = array::coargsort_arrays(engine, keys);
  sorted.words = array::take(engine, words, order);
  if (zeros != 0) sorted.tails = array::take(engine, keys[1], order);
  keys.clear();
  words.reset();
  std::vector<Run> everywhere = engine.npes() == 1 ? std::vector<Run>{} : runs_over_borders(engine, sorted);
  std::vector<Run> inside;
  engine.together([&] { inside = runs_inside(engine.work(), sorted, everywhere); });
  give_long_runs(engine, order, inside, everywhere);
  bool* marks = apart == nullptr ? nullptr : apart->data<bool>();
  if (marks != nullptr) mark_words(engine, sorted, marks);
  sorted = {};
  sort_inside(engine, text, order, inside, depth, marks);
  for (const Run& run : everywhere) {
    const array::Slice slice{run.begin, 1, run.end - run.begin};
    const Array run_rows = array::get_slice(engine, order, {slice});
    const Array changes = apart == nullptr ? nullptr : engine.make(DType::b1, run_rows->shape);
    const Text tied = text_take(engine, text, run_rows);
    const Array again = order_from(engine, tied, start_sort(engine, tied), changes);
    array::assign_slice(engine, order, {slice}, array::take(engine, run_rows, again));
    if (apart != nullptr) array::assign_slice(engine, apart, {slice}, changes);
  }
  return order;
}

/// Rows [begin, begin + count) of an int64 array, here.
Buffer<std::int64_t> read_here(Engine& engine, const Array& array, std::int64_t begin, std::int64_t count) {
  Buffer<std::int64_t> values;
  engine.together([&] { values = Buffer<std::int64_t>(engine.memory(), static_cast<std::size_t>(count) + 1); });
  array::OpenBlocks blocks(engine, *array);
  blocks.read_rows(begin, begin + count, values.data());
  blocks.close();
  return values;
}

/// A column of which this PE has so many rows and bytes, written by write(offsets, bytes), as even as others.
/// Collective.
template <class Write>
Text written(Engine& engine, std::int64_t rows, std::int64_t bytes, Write&& write) {
  auto arrays = engine.make_uneven({{DType::i64, rows + 1}, {DType::u8, bytes}});
  const Text text{std::move(arrays[0]), std::move(arrays[1])};
  engine.together([&] { write(text.offsets->data<std::int64_t>(), text.bytes->data<char>()); });
  return engine.npes() == 1 ? text : text_slice(engine, text, {0, 1, text.rows()});
}

/// Distinct strings, written as they are sorted, which uses the buckets up; nothing where strings are few or long.
/// Collective.
std::optional<Numbering> distinct_of(Engine& engine, Start& start) {
  if (!start.buckets || !start.buckets->mostly_short()) return std::nullopt;
  const array::Work work = engine.work();
  std::optional<TextBuckets::Distinct> distinct;
  engine.together([&] { distinct = start.buckets->distinct(work); });
  engine.barrier();
  start.buckets.reset();
  const auto count = static_cast<std::int64_t>(distinct->count());
  Buffer<std::int64_t> first;
  engine.together([&] { first = Buffer<std::int64_t>(engine.memory(), distinct->count()); });
  Numbering result;
  result.distinct = written(engine, count, distinct->bytes(), [&](std::int64_t* offsets, char* bytes) {
    distinct->write(work, offsets, bytes, first.data());
  });
  result.first = array::from_local(engine, DType::i64, Shape{count}, {first.data()});
  return result;
}

}  // namespace

Array text_argsort(Engine& engine, Text text) {
  engine.begin_operation("argsort");
  return order_from(engine, text, start_sort(engine, text), nullptr);
}

Text text_sort(Engine& engine, Text text) {
  engine.begin_operation("sort");
  const Start start = start_sort(engine, text);
  if (start.common.equal) return text_slice(engine, text, {0, 1, text.rows()});
  if (start.buckets && start.buckets->mostly_short()) {
    const TextBuckets& buckets = *start.buckets;
    const array::Work work = engine.work();
    return written(engine, buckets.rows(), buckets.bytes(),
                   [&](std::int64_t* offsets, char* bytes) { buckets.write(work, offsets, bytes); });
  }
  return text_take(engine, text, order_from(engine, text, start, nullptr));
}

Numbering text_number(Engine& engine, Text text, Numbers wanted) {
  engine.begin_operation("number texts");
  const array::Work work = engine.work();
  const std::size_t local = text.local_rows();
  // All or none: a PE whose strings do not repeat would otherwise leave the others waiting.
  std::uint8_t repeats = has_repeats(text.view()) ? 1 : 0;
  for (std::uint8_t other : engine.allgather_value(repeats)) repeats |= other;
  Start start;
  if (repeats == 0) {
    start = start_sort(engine, text);
    if (wanted == Numbers::no) {
      if (std::optional<Numbering> distinct = distinct_of(engine, start)) return std::move(*distinct);
    }
  }
  Encoded encoded;
  Text candidates = text;
  if (repeats != 0) {
    Spans spans;
    engine.together([&] {
      encoded = encode(work, text.view(), wanted);
      spans = Spans(engine.memory(), encoded.count);
    });
    for (std::size_t i = 0; i < encoded.count; ++i) {
      const std::string_view one = text.view()[static_cast<std::size_t>(encoded.first[i])];
      spans.data[i] = one.data();
      spans.lengths[i] = static_cast<std::int64_t>(one.size());
    }
    candidates = adopt(engine, work, spans);
  }
  const std::int64_t my_first = candidates.first_row();
  const Text even = repeats != 0 ? text_slice(engine, candidates, {0, 1, candidates.rows()}) : candidates;
  if (repeats != 0) start = start_sort(engine, even);

  const Array apart = engine.make(DType::b1, Shape{even.rows()});
  const Array order = order_from(engine, even, start, apart);
  start = {};
  Numbering result;
  // The order is stable: the first of equal strings is the one that was met first, on the lowest PE.
  result.first = array::take(engine, order, array::find_true(engine, apart));
  result.distinct = text_take(engine, even, result.first);
  Array numbers;
  if (wanted == Numbers::yes) {
    const Array group =
        array::scan_along(engine, array::compute(engine, array::Op::cast, DType::i64, {apart}), array::Scan::cumsum, 0);
    for (std::int64_t i = 0; i < group->local_rows(); ++i) --group->data<std::int64_t>()[i];
    numbers = engine.make(DType::i64, order->shape);
    array::assign_index(engine, numbers, order, group, array::AssignMode::set);
  }
  if (repeats == 0) {
    result.numbers = numbers;
    return result;
  }
  const auto mine = static_cast<std::int64_t>(encoded.count);
  if (wanted == Numbers::yes) {
    const Buffer<std::int64_t> known = read_here(engine, numbers, my_first, mine);
    result.numbers = engine.make(DType::i64, Shape{text.rows()});
    auto* out = result.numbers->data<std::int64_t>();
    engine.together([&] {
      array::Polling(work).for_pieces(local, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
        for (std::size_t i = begin; i < end; ++i) out[i] = known[encoded.numbers[i]];
      });
    });
  }
  // From candidates to rows.
  const Array rows = engine.make(DType::i64, Shape{candidates.rows()});
  {
    array::OpenBlocks blocks(engine, *rows);
    for (std::size_t i = 0; i < encoded.count; ++i) encoded.first[i] += text.first_row();
    blocks.write_rows(my_first, my_first + mine, encoded.first.data());
    blocks.close();
  }
  result.first = array::take(engine, rows, result.first);
  return result;
}

}  // namespace atl::table
