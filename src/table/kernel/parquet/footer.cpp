// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/parquet/footer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "kernel/parquet/thrift.hpp"

namespace atl::table {
namespace {

using parquet::Thrift;

constexpr std::array<const char*, 8> types{"BOOLEAN", "INT32",  "INT64",      "INT96",
                                           "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
constexpr std::array<const char*, 8> codecs{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO",
                                            "BROTLI",       "LZ4",    "ZSTD", "LZ4_RAW"};

/// Plain, by dictionary in both spellings, and what levels are packed by.
bool is_decoded(std::int64_t encoding) {
  return encoding == 0 || encoding == 2 || encoding == 3 || encoding == 4 || encoding == 8;
}

/// A column as the schema has it.
struct Leaf {
  std::int64_t type = 0;
  std::int64_t repetitions = 0, definitions = 0;  // the highest level
};

/// Whole numbers of an element of the schema; ValueError where one is none that Arrow, which does not look, survives.
struct Element {
  std::optional<std::int64_t> type, repetition, children;

  Element(Thrift& thrift, std::uint64_t number) {
    thrift.for_fields(
        [&](std::int64_t field, unsigned kind) {
          if ((field != 1 && field != 3 && field != 5) || kind != Thrift::i32) return false;
          (field == 1 ? type : field == 3 ? repetition : children) = thrift.number();
          return true;
        },
        1);
    const std::int64_t all = static_cast<std::int64_t>(types.size());
    ATOLL_VALIDATE(type.value_or(0) >= 0 && type.value_or(0) < all, ValueError,
                   "element {} of its schema: its type is {}", number, *type);
    const std::int64_t how = repetition.value_or(0);
    ATOLL_VALIDATE(how >= 0 && how < 3, ValueError, "element {} of its schema: its repetition is {}", number, how);
    ATOLL_VALIDATE(children.value_or(0) >= 0, ValueError, "element {} of its schema: it has {} children", number,
                   *children);
  }
};

/// The columns of a schema, in its order.
std::vector<Leaf> leaves_of(Thrift& thrift) {
  struct Open {
    std::int64_t left, repetitions, definitions;
  };
  std::vector<Leaf> leaves;
  std::vector<Open> open;  // groups whose children are to come
  thrift.for_elements([&](std::uint64_t number, unsigned kind) {
    ATOLL_VALIDATE(kind == Thrift::structure, ValueError, "element {} of its schema is none", number);
    const Element element(thrift, number);
    ATOLL_VALIDATE(number == 0 || !open.empty(), ValueError, "element {} of its schema belongs to none", number);
    Open here{element.children.value_or(0), 0, 0};
    if (number != 0) {
      open.back().left -= 1;
      const std::int64_t how = element.repetition.value_or(0);
      here.repetitions = open.back().repetitions + (how == 2 ? 1 : 0);
      here.definitions = open.back().definitions + (how != 0 ? 1 : 0);
    }
    if (here.left > 0) {
      open.push_back(here);
    } else if (number != 0 && element.type) {
      leaves.push_back({*element.type, here.repetitions, here.definitions});
    }
    while (!open.empty() && open.back().left == 0) open.pop_back();
  });
  ATOLL_VALIDATE(open.empty(), ValueError, "its schema has fewer elements than it declares");
  return leaves;
}

/// What a footer says of a column of a row group.
struct Told {
  std::optional<std::int64_t> type, codec, values, unpacked, packed, data_at, dictionary_at, bloom_at;
  std::optional<std::int64_t> offset_index, offset_index_bytes, column_index, column_index_bytes;
  std::optional<std::uint64_t> repetition_counts, definition_counts;  // how many levels are counted
  std::string path;
  bool elsewhere = false;  // in another file
  bool decoded = true;
};

/// What Arrow asks of the counts of a column's levels; where it is not so it ends the process.
void check_levels(const char* what, std::optional<std::uint64_t> counts, std::int64_t most) {
  const std::uint64_t wanted = static_cast<std::uint64_t>(most) + 1;
  ATOLL_VALIDATE(counts.value_or(0) == 0 || *counts == wanted, ValueError, "it counts {} levels of {}, and has {}",
                 *counts, what, wanted);
}

ParquetColumn checked(const Told& told, const Leaf* leaf, std::int64_t size) {
  auto among = [](const char* what, std::optional<std::int64_t> number, std::size_t end) {
    ATOLL_VALIDATE(number.has_value(), ValueError, "its {} is missing", what);
    ATOLL_VALIDATE(*number >= 0 && *number < static_cast<std::int64_t>(end), ValueError, "its {} is {}", what, *number);
    return static_cast<std::int32_t>(*number);
  };
  auto amount = [](const char* what, std::optional<std::int64_t> number) {
    ATOLL_VALIDATE(number.value_or(0) >= 0, ValueError, "its {} is {}", what, *number);
    return number.value_or(0);
  };
  ParquetColumn column;
  column.type = among("type", told.type, types.size());
  if (leaf != nullptr) {
    ATOLL_VALIDATE(column.type == leaf->type, ValueError, "its type is {}, and in the schema {}",
                   types[static_cast<std::size_t>(column.type)], types[static_cast<std::size_t>(leaf->type)]);
    check_levels("repetition", told.repetition_counts, leaf->repetitions);
    check_levels("definition", told.definition_counts, leaf->definitions);
  }
  column.codec = among("codec", told.codec, codecs.size());
  column.values = amount("number of values", told.values);
  column.unpacked = amount("size before it was compressed", told.unpacked);
  column.packed = amount("size", told.packed);
  column.dictionary = told.dictionary_at.has_value();
  column.decoded = told.decoded && !told.elsewhere;
  if (told.elsewhere) return column;
  // Bloom filters are optional: an invalid position counts as none.
  if (told.bloom_at.value_or(0) > 0 && *told.bloom_at < size) column.bloom_filter = *told.bloom_at;
  auto index = [&](std::optional<std::int64_t> at, std::optional<std::int64_t> bytes, std::int64_t& to,
                   std::int64_t& to_bytes) {
    if (at.value_or(0) <= 0 || bytes.value_or(0) <= 0 || *at > size || *bytes > size - *at) return;
    to = *at;
    to_bytes = *bytes;
  };
  index(told.offset_index, told.offset_index_bytes, column.offset_index, column.offset_index_bytes);
  index(told.column_index, told.column_index_bytes, column.column_index, column.column_index_bytes);
  for (const auto& at : {told.data_at, told.dictionary_at})
    ATOLL_VALIDATE(!at || (*at >= 0 && *at <= size), ValueError, "its pages are at byte {} of a file of {}", *at, size);
  column.offset = told.data_at.value_or(0);
  if (told.dictionary_at.value_or(0) > 0) column.offset = std::min(column.offset, *told.dictionary_at);
  ATOLL_VALIDATE(column.packed <= size - column.offset, ValueError, "it has {} bytes from byte {} of a file of {}",
                 column.packed, column.offset, size);
  return column;
}

/// The whole numbers among a struct's fields: `of(field)` is where one goes, or null.
template <class Of>
bool take(Thrift& thrift, std::int64_t field, unsigned kind, Of&& of) {
  std::optional<std::int64_t>* to = of(field);
  if (to == nullptr || (kind != Thrift::i16 && kind != Thrift::i32 && kind != Thrift::i64)) return false;
  *to = thrift.number();
  return true;
}

void read_column(Thrift& thrift, Told& told) {
  thrift.for_fields(
      [&](std::int64_t field, unsigned kind) {
        if (field == 2 && kind == Thrift::list) {
          thrift.for_elements([&](std::uint64_t, unsigned element) {
            if (element != Thrift::i32) return thrift.skip_element(element, 4);
            told.decoded = is_decoded(thrift.number()) && told.decoded;
          });
          return true;
        }
        if (field == 3 && kind == Thrift::list) {
          told.path.clear();
          thrift.for_elements([&](std::uint64_t at, unsigned element) {
            if (element != Thrift::binary) return thrift.skip_element(element, 4);
            told.path += at > 0 ? "." : "";
            told.path += thrift.text();
          });
          return true;
        }
        if (field == 16 && kind == Thrift::structure) {
          thrift.for_fields(
              [&](std::int64_t which, unsigned of) {
                if ((which != 2 && which != 3) || of != Thrift::list) return false;
                std::uint64_t count = 0;
                thrift.for_elements([&](std::uint64_t, unsigned element) {
                  ++count;
                  thrift.skip_element(element, 5);
                });
                (which == 2 ? told.repetition_counts : told.definition_counts) = count;
                return true;
              },
              4);
          return true;
        }
        return take(thrift, field, kind, [&](std::int64_t one) -> std::optional<std::int64_t>* {
          switch (one) {
            case 1: return &told.type;
            case 4: return &told.codec;
            case 5: return &told.values;
            case 6: return &told.unpacked;
            case 7: return &told.packed;
            case 9: return &told.data_at;
            case 11: return &told.dictionary_at;
            case 14: return &told.bloom_at;
            default: return nullptr;
          }
        });
      },
      3);
}

ParquetColumn column_of(Thrift& thrift, std::uint64_t number, const Leaf* leaf, std::int64_t size) {
  Told told;
  bool found = false;
  thrift.for_fields(
      [&](std::int64_t field, unsigned kind) {
        if (field == 1 && kind == Thrift::binary) told.elsewhere = true;
        if (field == 3 && kind == Thrift::structure) {
          read_column(thrift, told);
          return found = true;
        }
        return take(thrift, field, kind, [&](std::int64_t one) -> std::optional<std::int64_t>* {
          switch (one) {
            case 4: return &told.offset_index;
            case 5: return &told.offset_index_bytes;
            case 6: return &told.column_index;
            case 7: return &told.column_index_bytes;
            default: return nullptr;
          }
        });
      },
      2);
  try {
    ATOLL_VALIDATE(found, ValueError, "its metadata are missing, or encrypted");
    return checked(told, leaf, size);
  } catch (const ValueError& error) {
    if (told.path.empty()) raise<ValueError>(fmt::format("column {}: {}", number, error.what()));
    raise<ValueError>(fmt::format("column '{}': {}", told.path, error.what()));
  }
}

ParquetGroup group_of(Thrift& thrift, std::uint64_t number, const std::optional<std::vector<Leaf>>& leaves,
                      std::int64_t size) {
  std::optional<std::int64_t> bytes, rows;
  ParquetGroup group;
  try {
    thrift.for_fields(
        [&](std::int64_t field, unsigned kind) {
          if (field == 1 && kind == Thrift::list) {
            group.columns.clear();
            thrift.for_elements([&](std::uint64_t column, unsigned element) {
              ATOLL_VALIDATE(element == Thrift::structure, ValueError, "column {} is none", column);
              ATOLL_VALIDATE(!leaves || column < leaves->size(), ValueError, "column {} is not in its schema", column);
              group.columns.push_back(column_of(thrift, column, leaves ? &(*leaves)[column] : nullptr, size));
            });
            return true;
          }
          return take(thrift, field, kind, [&](std::int64_t one) {
            return one == 2 ? &bytes : one == 3 ? &rows : nullptr;
          });
        },
        1);
    ATOLL_VALIDATE(rows && *rows >= 0 && *rows < std::int64_t{1} << 48, ValueError, "it declares {} rows",
                   rows.value_or(-1));
    ATOLL_VALIDATE(!leaves || group.columns.size() == leaves->size(), ValueError,
                   "it has {} columns, and its schema {}", group.columns.size(), leaves->size());
    ATOLL_VALIDATE(bytes.value_or(0) >= 0, ValueError, "it declares {} bytes", *bytes);
    std::int64_t most =
        group.columns.empty() ? *rows : 0;  // a row has a value or more of each column, which may be none
    for (const ParquetColumn& column : group.columns) most = std::max(most, column.values);
    ATOLL_VALIDATE(*rows <= most, ValueError, "it declares {} rows, and no column has more than {} values", *rows,
                   most);
  } catch (const ValueError& error) { raise<ValueError>(fmt::format("row group {}, {}", number, error.what())); }
  group.rows = *rows;
  group.bytes = bytes.value_or(0);
  return group;
}

}  // namespace

std::vector<ParquetGroup> read_parquet_footer(std::span<const std::byte> footer, std::int64_t size) {
  std::vector<ParquetGroup> groups;
  std::optional<std::vector<Leaf>> leaves;
  bool compared = true;
  auto read = [&] {
    std::size_t at = 0;
    Thrift thrift(footer, at, "the footer is broken");
    const bool again = leaves.has_value();
    thrift.for_fields([&](std::int64_t field, unsigned kind) {
      if (field == 2 && kind == Thrift::list && !again) {
        ATOLL_VALIDATE(!leaves, ValueError, "it has two schemas");
        leaves = leaves_of(thrift);
        return true;
      }
      if (field != 4 || kind != Thrift::list) return false;
      compared = leaves.has_value();
      groups.clear();
      thrift.for_elements([&](std::uint64_t number, unsigned element) {
        ATOLL_VALIDATE(element == Thrift::structure, ValueError, "row group {} is none", number);
        groups.push_back(group_of(thrift, number, leaves, size));
      });
      return true;
    });
  };
  read();
  if (!compared && leaves) read();  // the schema stood behind its row groups
  return groups;
}

std::string parquet_type_name(std::int32_t type) { return types.at(static_cast<std::size_t>(type)); }
std::string parquet_codec_name(std::int32_t codec) { return codecs.at(static_cast<std::size_t>(codec)); }

}  // namespace atl::table
