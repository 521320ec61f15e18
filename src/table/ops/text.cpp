// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/text.hpp"

#include <algorithm>

#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/transfer.hpp"
#include "atoll/base/checked.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::table {
namespace {

using array::Reach;

/// Offsets that begin at 0, of ones that point into a larger block.
void rebase(std::int64_t* offsets, std::size_t count) {
  const std::int64_t first = offsets[0];
  for (std::size_t i = 0; i < count; ++i) offsets[i] -= first;
}

/// A column of which every PE has as many rows and bytes as it says. Collective.
Text make_uneven(Engine& engine, std::int64_t local_rows, std::int64_t local_bytes) {
  auto arrays = engine.make_uneven({{DType::i64, local_rows + 1}, {DType::u8, local_bytes}});
  return {std::move(arrays[0]), std::move(arrays[1])};
}

/// Rows [begin, end) of a column, to stand side by side with others.
struct Piece {
  std::size_t part;
  std::int64_t begin, end;
};

/// The column that has these pieces' rows, one after another: each PE reads its own.
Text assemble(Engine& engine, const std::vector<Text>& parts, const std::vector<Piece>& pieces) {
  std::int64_t rows = 0;
  for (const Piece& piece : pieces) rows += piece.end - piece.begin;
  const array::Distribution distribution = distribution_of(engine, rows);
  const std::int64_t first = distribution.begin(engine.pe()), stop = distribution.end(engine.pe());
  std::vector<OpenText> open;
  open.reserve(parts.size());
  for (const Text& part : parts) open.emplace_back(engine, part);
  // The runs of rows that are to lie here, each on one PE now.
  std::vector<Piece> mine;
  std::int64_t at = 0, bytes = 0;
  for (const Piece& piece : pieces) {
    const std::int64_t count = piece.end - piece.begin;
    std::int64_t begin = piece.begin + std::clamp<std::int64_t>(first - at, 0, count);
    const std::int64_t end = piece.begin + std::clamp<std::int64_t>(stop - at, 0, count);
    at += count;
    const Text& text = parts[piece.part];
    for (std::uint32_t pe = 0; pe < engine.npes() && begin < end; ++pe) {
      const std::int64_t run_end = std::min(end, text.first_row(pe) + text.rows_of(pe));
      if (run_end <= begin) continue;
      bytes += open[piece.part].bytes_of(begin, run_end);
      mine.push_back({piece.part, begin, run_end});
      begin = run_end;
    }
  }
  Text result = make_text(engine, rows, bytes);
  auto* offsets = result.offsets->data<std::int64_t>();
  engine.together([&] {
    for (const Piece& run : mine) {
      open[run.part].read(run.begin, run.end, offsets[0], offsets, result.bytes->data<char>());
      offsets += run.end - run.begin;
    }
  });
  for (OpenText& part : open) part.close();
  return result;
}

}  // namespace

// -- rows of other PEs --

OpenText::OpenText(Engine& engine, const Text& text)
    : engine_(engine), text_(text), offsets_(engine, text.offsets->bytes()), bytes_(engine, text.bytes->bytes()) {
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) begins_.push_back(text.first_row(pe));
  begins_.push_back(text.rows());
}

void OpenText::close() {
  if (engine_.npes() > 1) engine_.barrier();
}

std::uint32_t OpenText::owner(std::int64_t row) const {
  return static_cast<std::uint32_t>(std::upper_bound(begins_.begin(), begins_.end() - 1, row) - begins_.begin() - 1);
}

std::int64_t OpenText::offset_of(std::uint32_t pe, std::int64_t local) {
  if (offsets_.maps(pe)) return reinterpret_cast<const std::int64_t*>(offsets_.mapped(pe))[local];
  std::int64_t offset = 0;
  offsets_.get(&offset, pe, static_cast<std::size_t>(local) * sizeof offset, sizeof offset);
  return offset;
}

std::string OpenText::text_of(std::int64_t row) {
  const std::uint32_t pe = owner(row);
  const std::int64_t local = row - begins_[pe], begin = offset_of(pe, local);
  std::string text(static_cast<std::size_t>(offset_of(pe, local + 1) - begin), '\0');
  bytes_.get(text.data(), pe, static_cast<std::size_t>(begin), text.size());
  return text;
}

std::int64_t OpenText::bytes_of(std::int64_t begin, std::int64_t end) {
  const std::uint32_t pe = owner(begin);
  return offset_of(pe, end - begins_[pe]) - offset_of(pe, begin - begins_[pe]);
}

void OpenText::read(std::int64_t begin, std::int64_t end, std::int64_t base, std::int64_t* offsets, char* bytes) {
  const std::uint32_t pe = owner(begin);
  const std::int64_t local = begin - begins_[pe], first = offset_of(pe, local);
  const auto count = static_cast<std::size_t>(end - begin);
  offsets_.get(offsets + 1, pe, static_cast<std::size_t>(local + 1) * sizeof(std::int64_t),
               count * sizeof(std::int64_t));
  const std::int64_t last = offsets[count];
  for (std::size_t i = 1; i <= count; ++i) offsets[i] += base - first;
  bytes_.get(bytes + base, pe, static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
}

std::vector<TextBlock> OpenText::blocks() const {
  std::vector<TextBlock> blocks;
  for (std::uint32_t pe = 0; pe < engine_.npes(); ++pe)
    blocks.push_back(
        {reinterpret_cast<const std::int64_t*>(offsets_.mapped(pe)), reinterpret_cast<const char*>(bytes_.mapped(pe))});
  return blocks;
}

void OpenText::find(const std::int64_t* rows, std::size_t count, const char** data, std::int64_t* lengths) {
  if (engine_.spans_nodes()) return find_far(rows, count, data, lengths);
  engine_.together([&] { locate(engine_.work(), blocks(), begins_, rows, count, data, lengths); });
}

std::optional<GatheredTexts> OpenText::gather(const std::int64_t* rows, std::size_t count) const {
  if (engine_.spans_nodes()) return std::nullopt;
  return GatheredTexts::of(engine_.work(), blocks(), begins_, rows, count);
}

void OpenText::find_far(const std::int64_t* rows, std::size_t count, const char** data, std::int64_t* lengths) {
  // Requests by the PE that has the rows; it packs the strings for each asker, which fetches them in one piece.
  const std::uint32_t npes = engine_.npes();
  std::vector<std::vector<std::int64_t>> asked(npes), places(npes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t row = rows[i] < 0 ? rows[i] + begins_.back() : rows[i];
    const std::uint32_t pe = owner(row);
    if (offsets_.maps(pe)) {
      const auto* at = reinterpret_cast<const std::int64_t*>(offsets_.mapped(pe)) + (row - begins_[pe]);
      data[i] = reinterpret_cast<const char*>(bytes_.mapped(pe)) + at[0];
      lengths[i] = at[1] - at[0];
    } else {
      asked[pe].push_back(row - begins_[pe]);
      places[pe].push_back(static_cast<std::int64_t>(i));
    }
  }
  struct Block {
    std::uint64_t begin, count;
  };
  std::vector<Block> mine(npes);
  Buffer<std::int64_t> requests;
  engine_.together([&] { requests = Buffer<std::int64_t>(engine_.memory(), count + 1); });
  std::uint64_t used = 0;
  for (std::uint32_t pe = 0; pe < npes; ++pe) {
    std::copy(asked[pe].begin(), asked[pe].end(), requests.data() + used);
    mine[pe] = {used, asked[pe].size()};
    used += asked[pe].size();
  }
  const Reach request_reach(engine_, requests.data());
  const std::vector<Block> wanted = engine_.communicator().alltoall(mine);
  // What others want of this PE: lengths, then strings, both in the order of their requests.
  const TextView view = text_.view();
  std::vector<std::vector<std::int64_t>> wanted_rows(npes);
  std::vector<Block> packed_lengths(npes), packed_bytes(npes);
  std::uint64_t all_lengths = 0, all_bytes = 0;
  for (std::uint32_t pe = 0; pe < npes; ++pe) {
    wanted_rows[pe].resize(wanted[pe].count);
    request_reach.get(wanted_rows[pe].data(), pe, wanted[pe].begin * sizeof(std::int64_t),
                      wanted[pe].count * sizeof(std::int64_t));
    std::uint64_t bytes = 0;
    for (std::int64_t row : wanted_rows[pe]) bytes += view[static_cast<std::size_t>(row)].size();
    packed_lengths[pe] = {all_lengths, wanted_rows[pe].size()};
    packed_bytes[pe] = {all_bytes, bytes};
    all_lengths += wanted_rows[pe].size();
    all_bytes += bytes;
  }
  Buffer<std::int64_t> answer_lengths;
  Buffer<char> answers;
  engine_.together([&] {
    answer_lengths = Buffer<std::int64_t>(engine_.memory(), all_lengths + 1);
    answers = Buffer<char>(engine_.memory(), all_bytes + 1);
  });
  std::int64_t* next_length = answer_lengths.data();
  char* next = answers.data();
  for (const auto& list : wanted_rows) {
    for (std::int64_t row : list) {
      const std::string_view text = view[static_cast<std::size_t>(row)];
      *next_length++ = static_cast<std::int64_t>(text.size());
      next = std::copy(text.begin(), text.end(), next);
    }
  }
  const Reach length_reach(engine_, answer_lengths.data()), answer_reach(engine_, answers.data());
  const std::vector<Block> length_blocks = engine_.communicator().alltoall(packed_lengths);
  const std::vector<Block> byte_blocks = engine_.communicator().alltoall(packed_bytes);
  std::vector<Buffer<char>> received(npes);
  engine_.together([&] {
    for (std::uint32_t pe = 0; pe < npes; ++pe)
      if (byte_blocks[pe].count > 0) received[pe] = Buffer<char>(engine_.memory(), byte_blocks[pe].count);
  });
  for (std::uint32_t pe = 0; pe < npes; ++pe) {
    if (asked[pe].empty()) continue;
    length_reach.get(asked[pe].data(), pe, length_blocks[pe].begin * sizeof(std::int64_t),
                     asked[pe].size() * sizeof(std::int64_t));
    answer_reach.get(received[pe].data(), pe, byte_blocks[pe].begin, byte_blocks[pe].count);
    const char* text = received[pe].data();
    for (std::size_t k = 0; k < asked[pe].size(); ++k) {
      data[places[pe][k]] = text;
      lengths[places[pe][k]] = asked[pe][k];
      text += asked[pe][k];
    }
  }
  for (Buffer<char>& buffer : received) fetched_.push_back(std::move(buffer));
  engine_.barrier();  // no PE reads requests and answers any more
}

// -- columns --

Text adopt(Engine& engine, const array::Work& work, const Spans& spans) {
  const auto count = static_cast<std::int64_t>(spans.size());
  std::int64_t bytes = 0;
  engine.together([&] { bytes = sum_lengths(work, spans.lengths.data(), spans.size()); });
  Text text = make_uneven(engine, count, bytes);
  engine.together([&] {
    to_offsets(work, spans.lengths.data(), spans.size(), text.offsets->data<std::int64_t>());
    copy_spans(work, spans, text.offsets->data<std::int64_t>(), text.bytes->data<char>());
  });
  return text;
}

Text text_from_buffers(Engine& engine, std::int64_t rows, DriverOnly<const std::int64_t*> offsets,
                       DriverOnly<const char*> bytes) {
  engine.begin_operation("text");
  const array::Distribution distribution = distribution_of(engine, rows);
  const auto has_values = engine.allgather_value<std::uint8_t>(offsets.value != nullptr);
  const bool from_driver = has_values.size() > 1 && has_values[1] == 0;
  std::vector<std::int64_t> borders;  // offsets at the PEs' borders
  if (offsets.value != nullptr) {
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) borders.push_back(offsets.value[distribution.begin(pe)]);
    borders.push_back(offsets.value[rows]);
  }
  if (from_driver) borders = engine.allgather_vector(borders)[0];
  const std::int64_t first = borders[engine.pe()], local_bytes = borders[engine.pe() + 1] - first;
  Text text = make_text(engine, rows, local_bytes);
  auto* own = text.offsets->data<std::int64_t>();
  const std::size_t own_bytes = text.offsets->local_bytes();
  if (!from_driver) {
    std::memcpy(own, offsets.value + distribution.begin(engine.pe()), own_bytes);
    if (local_bytes > 0) std::memcpy(text.bytes->bytes(), bytes.value + first, static_cast<std::size_t>(local_bytes));
  } else {
    const Reach offset_reach(engine, own), byte_reach(engine, text.bytes->bytes());
    engine.together([&] {
      for (std::uint32_t pe = 0; pe < engine.npes() && offsets.value != nullptr; ++pe) {
        const auto count = static_cast<std::size_t>(distribution.count(pe) + 1);
        offset_reach.put(pe, 0, offsets.value + distribution.begin(pe), count * sizeof(std::int64_t));
        byte_reach.put(pe, 0, bytes.value + borders[pe], static_cast<std::size_t>(borders[pe + 1] - borders[pe]));
      }
    });
    offset_reach.complete();
    byte_reach.complete();
    engine.barrier();
  }
  rebase(own, text.local_rows() + 1);
  return text;
}

Text text_from_local(Engine& engine, std::int64_t local_rows, DriverOnly<const std::int64_t*> offsets,
                     DriverOnly<const char*> bytes) {
  engine.begin_operation("text");
  const std::int64_t first = local_rows == 0 ? 0 : offsets.value[0];
  const std::int64_t size = local_rows == 0 ? 0 : offsets.value[local_rows] - first;
  Text text = make_uneven(engine, local_rows, size);
  auto* own = text.offsets->data<std::int64_t>();
  own[0] = 0;
  for (std::int64_t i = 1; i <= local_rows; ++i) own[i] = offsets.value[i] - first;
  if (size > 0) std::memcpy(text.bytes->bytes(), bytes.value + first, static_cast<std::size_t>(size));
  return assemble(engine, {text}, {{0, 0, text.rows()}});
}

std::int64_t text_bytes(Engine& engine, Text text) {
  const auto sizes = engine.allgather_value(text.view().size_bytes());
  return checked_sum(sizes.begin(), sizes.end());
}

void text_to_buffers(Engine& engine, Text text, DriverOnly<std::int64_t*> offsets, DriverOnly<char*> bytes) {
  OpenText open(engine, text);
  engine.together([&] {
    if (offsets.value == nullptr) return;
    std::int64_t* next = offsets.value;
    next[0] = 0;
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      const std::int64_t begin = text.first_row(pe), count = text.rows_of(pe);
      if (count == 0) continue;
      open.read(begin, begin + count, next[0], next, bytes.value);
      next += count;
    }
  });
  open.close();
}

Text text_take(Engine& engine, Text text, Array indices) {
  engine.begin_operation("gather");
  const array::Work work = engine.work();
  const auto count = static_cast<std::size_t>(indices->local_rows());
  const auto* rows = indices->data<std::int64_t>();
  OpenText open(engine, text);
  Spans spans;
  std::optional<GatheredTexts> gathered;
  engine.together([&] {
    const array::BadIndex bad = check_indices(work, rows, count, text.rows());
    ATOLL_VALIDATE(!bad, IndexError, "index {} is out of bounds for axis 0 with size {}", bad.value, text.rows());
    gathered = open.gather(rows, count);
    if (!gathered) spans = Spans(engine.memory(), count);
  });
  Text result;
  if (gathered) {
    result = make_uneven(engine, static_cast<std::int64_t>(count), gathered->bytes());
    engine.together([&] { gathered->write(work, result.offsets->data<std::int64_t>(), result.bytes->data<char>()); });
  } else {
    open.find(rows, count, spans.data.data(), spans.lengths.data());
    result = adopt(engine, work, spans);
  }
  open.close();
  return result;
}

Text text_slice(Engine& engine, Text text, array::Slice slice) {
  engine.begin_operation("slice");
  if (slice.step == 1) return assemble(engine, {text}, {{0, slice.start, slice.start + slice.count}});
  const Array rows = engine.make(DType::i64, array::Shape{slice.count});
  for (std::int64_t i = 0; i < rows->local_rows(); ++i)
    rows->data<std::int64_t>()[i] = slice.start + (rows->first_row() + i) * slice.step;
  return text_take(engine, text, rows);
}

Text text_concatenate(Engine& engine, std::vector<Text> parts) {
  engine.begin_operation("concatenate");
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < parts.size(); ++i) pieces.push_back({i, 0, parts[i].rows()});
  return assemble(engine, parts, pieces);
}

Text text_runs(Engine& engine, Text text, Array starts, Array lengths) {
  engine.begin_operation("text");
  const auto rows = static_cast<std::size_t>(starts->local_rows());
  const auto *begins = starts->data<std::int64_t>(), *counts = lengths->data<std::int64_t>();
  const std::int64_t first = rows == 0 ? 0 : begins[0],
                     last = rows == 0 ? 0 : checked_add(begins[rows - 1], counts[rows - 1]);
  engine.together([&] {
    std::int64_t end = first;
    for (std::size_t i = 0; i < rows; ++i) {
      ATOLL_VALIDATE(begins[i] >= end && counts[i] >= 0 && begins[i] <= text.rows() - counts[i] && first >= 0,
                     IndexError, "run {} of {} texts from {} is not behind the run before, or leads out of {} texts", i,
                     counts[i], begins[i], text.rows());
      end = begins[i] + counts[i];
    }
  });
  OpenText open(engine, text);
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // each on one PE
  std::int64_t bytes = 0;
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
    const std::int64_t begin = std::max(first, text.first_row(pe)),
                       end = std::min(last, text.first_row(pe) + text.rows_of(pe));
    if (end <= begin) continue;
    runs.emplace_back(begin, end);
    bytes += open.bytes_of(begin, end);
  }
  Buffer<std::int64_t> places;
  engine.together([&] { places = Buffer<std::int64_t>(engine.memory(), static_cast<std::size_t>(last - first) + 1); });
  Text result = make_text(engine, starts->shape.size(), bytes);
  places[0] = 0;
  engine.together([&] {
    for (const auto& [begin, end] : runs) {
      std::int64_t* at = places.data() + (begin - first);
      open.read(begin, end, at[0], at, result.bytes->data<char>());
    }
  });
  auto* offsets = result.offsets->data<std::int64_t>();
  offsets[0] = 0;
  for (std::size_t i = 0; i < rows; ++i)
    offsets[i + 1] = places[static_cast<std::size_t>(begins[i] + counts[i] - first)];
  open.close();
  return result;
}

Text text_where(Engine& engine, Array mask, Text yes, Text no) {
  engine.begin_operation("where");
  const array::Work work = engine.work();
  const std::size_t count = yes.local_rows();
  Spans spans;
  const TextView a = yes.view(), b = no.view();
  const auto* chosen = mask->data<bool>();
  engine.together([&] {
    spans = Spans(engine.memory(), count);
    array::Polling(work).for_pieces(count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::string_view text = chosen[i] ? a[i] : b[i];
        spans.data[i] = text.data();
        spans.lengths[i] = static_cast<std::int64_t>(text.size());
      }
    });
  });
  return adopt(engine, work, spans);
}

}  // namespace atl::table
