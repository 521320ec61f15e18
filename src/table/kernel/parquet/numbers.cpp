// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <type_traits>

#include "atoll/base/validate.hpp"
#include "kernel/parquet/pages.hpp"

namespace atl::table {
namespace {

using namespace parquet;

template <class T>
T load(const std::byte* values, std::size_t i) {
  T value;
  std::memcpy(&value, values + i * sizeof(T), sizeof(T));
  return value;
}

/// Physical types of the file and the types that they are decoded to.
template <class Raw_, class Out_>
struct AsTheyAre {
  using Raw = Raw_;
  using Out = Out_;
  Out operator()(Raw value) const { return value; }
};
template <class Raw_>
struct Divided {
  using Raw = Raw_;
  using Out = double;
  double divisor;
  double operator()(Raw value) const { return static_cast<double>(value) / divisor; }
};

/// Spreads values to the valid rows, from the end, so that a moved value does not overwrite one that is still to move.
template <class T>
void spread(std::vector<T>& values, std::size_t there, std::size_t rows, const std::uint8_t* valid) {
  values.resize(rows);
  for (std::size_t i = rows; i-- > 0;) values[i] = (valid[i >> 3] >> (i & 7) & 1) != 0 ? values[--there] : T{};
}

/// Keeps the wanted ones of a page's rows, and bits that say which are there.
template <class T>
void keep(std::vector<T>& values, std::vector<std::uint8_t>& bits, const Page& page, const WantedRows& wanted) {
  const std::size_t count = page.end - page.begin;
  std::vector<T> kept(count);
  bits.assign((count + 7) / 8, 0);
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = static_cast<std::size_t>(wanted.row(page.begin + k) - page.first);
    kept[k] = values[row];
    bits[k >> 3] = static_cast<std::uint8_t>(bits[k >> 3] | (page.valid[row >> 3] >> (row & 7) & 1) << (k & 7));
  }
  values = std::move(kept);
}

/// Values of `dictionary`, or such as lie in pages one behind the other, to where they belong.
template <class Form>
class Numbers {
 public:
  using Raw = typename Form::Raw;
  using Out = typename Form::Out;

  Numbers(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, const WantedRows& wanted, NumbersSink& sink,
          Form form)
      : source_(source), wanted_(wanted), sink_(sink), form_(form), pages_(memory, source, chunk, wanted) {}

  void decode() {
    pages_.visit(
        [&](std::int32_t count, std::span<const std::byte> from) {
          ATOLL_VALIDATE(from.size() / sizeof(Raw) >= static_cast<std::size_t>(count), ValueError,
                         "a dictionary of {} values has {} bytes", count, from.size());
          dictionary_.resize(static_cast<std::size_t>(count));
          for (std::size_t i = 0; i < dictionary_.size(); ++i) dictionary_[i] = form_(load<Raw>(from.data(), i));
        },
        [&](const Page& page) { take(page); });
  }

 private:
  static constexpr bool alike = std::is_same_v<Raw, Out>;

  void take(Page page) {
    const std::size_t count = wanted_.all() ? static_cast<std::size_t>(page.rows) : page.end - page.begin,
                      there = static_cast<std::size_t>(page.there);
    const std::int64_t first = wanted_.all() ? page.first : static_cast<std::int64_t>(page.begin);
    std::byte* room = page.valid == nullptr ? sink_.room(first, static_cast<std::int64_t>(count)) : nullptr;
    if (alike && page.encoding == plain && wanted_.all() && page.values_size >= there * sizeof(Raw) &&
        room != nullptr) {
      source_.copy(page.values_at, {room, there * sizeof(Raw)});
      sink_.put(first, page.rows, room, nullptr);
      return;
    }
    page.values = pages_.values(page);
    if (page.encoding == plain)
      ATOLL_VALIDATE(page.values.size() / sizeof(Raw) >= there, ValueError, "{} values have {} bytes", there,
                     page.values.size());
    if (room == nullptr) values_.resize(std::max(count, there));
    Out* to = room == nullptr ? values_.data() : reinterpret_cast<Out*>(room);
    const std::uint8_t* valid = nullptr;
    if (page.valid != nullptr || wanted_.all()) {
      take_all(page, to);
    } else if (page.encoding == plain) {
      for (std::size_t k = 0; k < count; ++k)
        to[k] =
            form_(load<Raw>(page.values.data(), static_cast<std::size_t>(wanted_.row(page.begin + k) - page.first)));
    } else {
      for_wanted_indices(page, wanted_, dictionary_.size(),
                         [&](std::size_t k, std::uint32_t index) { to[k] = dictionary_[index]; });
    }
    if (page.valid != nullptr) {
      spread(values_, there, static_cast<std::size_t>(page.rows), page.valid);
      valid = page.valid;
      if (!wanted_.all()) {
        keep(values_, bits_, page, wanted_);
        valid = bits_.data();
      }
      to = values_.data();
    }
    sink_.put(first, static_cast<std::int64_t>(count), reinterpret_cast<const std::byte*>(to), valid);
  }

  /// All values that are there.
  void take_all(const Page& page, Out* to) {
    if (page.encoding != plain) {
      for_indices(page, dictionary_.size(), [&](std::size_t i, std::uint32_t index) { to[i] = dictionary_[index]; });
      return;
    }
    const std::byte* from = page.values.data();
    for (std::size_t i = 0, there = static_cast<std::size_t>(page.there); i < there; ++i)
      to[i] = form_(load<Raw>(from, i));
  }

  ChunkSource& source_;
  const WantedRows& wanted_;
  NumbersSink& sink_;
  Form form_;
  Pages pages_;
  std::vector<Out> dictionary_, values_;
  std::vector<std::uint8_t> bits_;
};

template <class T>
void decode_codes_as(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink,
                     const WantedRows& wanted, std::span<const std::int64_t> codes) {
  const std::vector<T> table(codes.begin(), codes.end());
  std::vector<T> values;
  std::vector<std::uint8_t> bits;
  Pages pages(memory, source, chunk, wanted);
  pages.visit([](std::int32_t, std::span<const std::byte>) {},
              [&](Page page) {
                ATOLL_VALIDATE(page.encoding != plain, ValueError, "it has texts of its own");
                page.values = pages.values(page);
                const std::size_t count = wanted.all() ? static_cast<std::size_t>(page.rows) : page.end - page.begin;
                const std::int64_t first = wanted.all() ? page.first : static_cast<std::int64_t>(page.begin);
                std::byte* room = page.valid == nullptr ? sink.room(first, static_cast<std::int64_t>(count)) : nullptr;
                if (room == nullptr) values.resize(std::max(count, static_cast<std::size_t>(page.there)));
                T* to = room == nullptr ? values.data() : reinterpret_cast<T*>(room);
                auto take = [&](std::size_t i, std::uint32_t index) { to[i] = table[index]; };
                const std::uint8_t* valid = page.valid;
                if (valid == nullptr && !wanted.all()) for_wanted_indices(page, wanted, table.size(), take);
                else for_indices(page, table.size(), take);
                if (valid != nullptr) {
                  spread(values, static_cast<std::size_t>(page.there), static_cast<std::size_t>(page.rows), valid);
                  if (!wanted.all()) {
                    keep(values, bits, page, wanted);
                    valid = bits.data();
                  }
                  to = values.data();
                }
                sink.put(first, static_cast<std::int64_t>(count), reinterpret_cast<const std::byte*>(to), valid);
              });
}

}  // namespace

std::size_t WantedRows::place(std::int64_t row) const {
  return static_cast<std::size_t>(std::lower_bound(rows_.begin(), rows_.end(), row + first_) - rows_.begin());
}

void WantedRows::check(std::int64_t rows) const {
  if (rows_.empty()) return;
  ATOLL_VALIDATE(std::is_sorted(rows_.begin(), rows_.end()) && row(0) >= 0 && row(rows_.size() - 1) < rows, ValueError,
                 "the rows that are wanted do not ascend, or not all are there");
}

void decode_numbers(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink,
                    const WantedRows& wanted, NumbersForm form) {
  using Physical = ParquetChunk::Physical;
  wanted.check(chunk.rows);
  const bool narrow = chunk.physical == Physical::i32 || chunk.physical == Physical::f32;
  auto as = [&](auto how) { Numbers(memory, source, chunk, wanted, sink, how).decode(); };
  if (form.divisor != 0 && narrow) as(Divided<std::int32_t>{form.divisor});
  else if (form.divisor != 0) as(Divided<std::int64_t>{form.divisor});
  else if (form.widened) as(AsTheyAre<std::int32_t, std::int64_t>{});
  // Bits are bits: numbers of one width are decoded alike.
  else if (narrow) as(AsTheyAre<std::uint32_t, std::uint32_t>{});
  else as(AsTheyAre<std::uint64_t, std::uint64_t>{});
}

void decode_codes(Memory& memory, ChunkSource& source, const ParquetChunk& chunk, NumbersSink& sink,
                  const WantedRows& wanted, std::span<const std::int64_t> codes, std::size_t bytes) {
  wanted.check(chunk.rows);
  if (bytes == 1) decode_codes_as<std::int8_t>(memory, source, chunk, sink, wanted, codes);
  else if (bytes == 2) decode_codes_as<std::int16_t>(memory, source, chunk, sink, wanted, codes);
  else decode_codes_as<std::int32_t>(memory, source, chunk, sink, wanted, codes);
}

}  // namespace atl::table
