// SPDX-License-Identifier: Apache-2.0
// Python code on every PE: a call with bytes and an answer of bytes, and rows that it leaves in a Landing become
// columns.
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
#include <limits>
#include <map>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/coll/collectives.hpp"
#include "atoll/table/kernel/orc/lengths.hpp"
#include "atoll/table/kernel/parquet/footer.hpp"
#include "atoll/table/ops/parquet.hpp"
#include "atoll/table/ops/values.hpp"
#include "commands.hpp"
#include "expr.hpp"
#include "texts.hpp"

namespace atl::python {
namespace {

using table::Chunk;
using table::Landing;
using table::LandingColumn;
using table::Text;

constexpr int text_kind = -1;  // among codes of dtypes
/// In place of numbers of rows: each PE leaves as many as it has of the first input.
const std::vector<std::int64_t> as_inputs{-1};

/// What the program of this process answers to requests: called with bytes and a Landing, it gives bytes whose first is
/// 0 when all went well. It lives as long as the process.
nb::object& program() {
  static auto* object = new nb::object;
  return *object;
}

// -- Arrow's C data interface: two structs whose layout it lays down --

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
static_assert(sizeof(ArrowSchema) == 72);

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
static_assert(sizeof(ArrowArray) == 80);

template <class T>
T* in_capsule(nb::handle capsule, const char* name) {
  auto* found = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (found == nullptr) throw nb::python_error();
  return found;
}

std::size_t width_of(std::string_view format) {
  if (format == "c" || format == "C") return 1;
  if (format == "s" || format == "S") return 2;
  if (format == "i" || format == "I" || format == "f" || format == "tdD" || format == "tts" || format == "ttm")
    return 4;
  if (format == "l" || format == "L" || format == "g" || format == "tdm" || format.starts_with("ts") ||
      format.starts_with("tD") || format == "ttu" || format == "ttn")
    return 8;
  return 0;
}

/// The buffers of an array of Arrow's, taken from the object that exports it.
Chunk chunk_of(nb::handle array, DType dtype) {
  nb::tuple capsules = nb::cast<nb::tuple>(array.attr("__arrow_c_array__")());
  const std::string format = in_capsule<ArrowSchema>(capsules[0], "arrow_schema")->format;
  auto* exported = in_capsule<ArrowArray>(capsules[1], "arrow_array");
  std::shared_ptr<ArrowArray> moved(new ArrowArray(*exported), [](ArrowArray* one) {
    if (one->release != nullptr) one->release(one);
    delete one;
  });
  exported->release = nullptr;
  Chunk chunk;
  chunk.rows = moved->length;
  const std::int64_t first = moved->offset;
  if (moved->null_count != 0 && moved->n_buffers > 0) {
    chunk.valid = static_cast<const std::uint8_t*>(moved->buffers[0]);
    chunk.first_valid = first;
  }
  if (format == "u" || format == "U") {
    chunk.form = format == "u" ? Chunk::Form::text32 : Chunk::Form::text64;
    const std::size_t width = format == "u" ? 4 : 8;
    static constexpr std::int64_t nothing = 0;
    const auto* offsets = static_cast<const std::byte*>(moved->buffers[1]);
    chunk.offsets =
        offsets == nullptr ? static_cast<const void*>(&nothing) : offsets + static_cast<std::size_t>(first) * width;
    chunk.values = moved->buffers[2];
  } else if (format == "b") {
    ATOLL_VALIDATE(dtype == DType::b1, TypeError, "rows are bool, the column {}", array::name_of(dtype));
    chunk.form = Chunk::Form::bits;
    chunk.values = moved->buffers[1];
    chunk.first_bit = first;
  } else {
    const std::size_t width = width_of(format);
    ATOLL_VALIDATE(width != 0 && width == array::size_of(dtype) && dtype != DType::b1, TypeError,
                   "rows of Arrow's type '{}' do not fit into a column of {}", format, array::name_of(dtype));
    chunk.values = static_cast<const std::byte*>(moved->buffers[1]) + static_cast<std::size_t>(first) * width;
  }
  chunk.owner = std::move(moved);
  return chunk;
}

/// What a program gets and where it leaves rows, for as long as it runs.
struct Columns {
  Landing* landing;
  std::vector<LandingColumn> kinds;
  std::vector<Array> inputs;
  array::Engine* engine;

  void add(std::size_t column, std::int64_t place, nb::handle array) {
    ATOLL_VALIDATE(landing != nullptr, Error, "rows come too late: the program has returned");
    ATOLL_VALIDATE(column < kinds.size(), IndexError, "no column {}", column);
    Chunk chunk = chunk_of(array, kinds[column].dtype);
    WithoutGil release;
    landing->add(column, place, std::move(chunk));
  }

  /// Chunks of Parquet files, described as `_core.pyi` says.
  void add_parquet(nb::list described, nb::handle wanted) {
    ATOLL_VALIDATE(landing != nullptr, Error, "rows come too late: the program has returned");
    std::span<const std::int64_t> rows;
    nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!wanted.is_none()) {
      array = nb::cast<decltype(array)>(wanted);
      rows = {array.data(), array.shape(0)};
    }
    std::vector<table::ParquetPart> parts;
    for (nb::handle one : described) {
      const auto fields = nb::cast<nb::tuple>(one);
      table::ParquetPart part = chunk_of_file(nb::cast<nb::tuple>(fields[2]), nb::cast<std::string>(fields[3]));
      part.column = nb::cast<std::size_t>(fields[0]);
      part.row = nb::cast<std::int64_t>(fields[1]);
      part.divisor = nb::cast<double>(fields[4]);
      if (!fields[5].is_none()) part.codes = nb::cast<std::vector<std::int64_t>>(fields[5]);
      if (!fields[6].is_none()) {
        const auto [begin, end, first] = nb::cast<std::tuple<std::size_t, std::size_t, std::int64_t>>(fields[6]);
        ATOLL_VALIDATE(begin <= end && end <= rows.size(), IndexError, "rows {} to {} of {}", begin, end, rows.size());
        part.wanted = {rows.subspan(begin, end - begin), first};
      }
      check_kind(part);
      parts.push_back(std::move(part));
    }
    WithoutGil release;
    table::land_parquet(*engine, *landing, parts);
  }

  /// Values that lie in files, described as `_core.pyi` says.
  void add_values(
      const std::vector<std::tuple<std::size_t, std::int64_t, std::int64_t, std::string, std::int64_t, std::string>>&
          described) {
    ATOLL_VALIDATE(landing != nullptr, Error, "rows come too late: the program has returned");
    std::vector<table::ValuesPart> parts;
    for (const auto& [column, row, rows, file, offset, name] : described) {
      ATOLL_VALIDATE(column < kinds.size() && !kinds[column].text && kinds[column].dtype != DType::b1, TypeError,
                     "column {} is none of numbers", column);
      ATOLL_VALIDATE(rows >= 0 && offset >= 0, ValueError, "{} rows from byte {}", rows, offset);
      parts.push_back({column, row, rows, file, offset, name});
    }
    WithoutGil release;
    table::land_values(*engine, *landing, parts);
  }

  nb::list parquet_words(nb::list described) {
    std::vector<table::ParquetPart> parts;
    for (nb::handle one : described) {
      const auto fields = nb::cast<nb::tuple>(one);
      parts.push_back(chunk_of_file(nb::cast<nb::tuple>(fields[0]), nb::cast<std::string>(fields[1])));
    }
    std::vector<std::optional<std::vector<std::string>>> found;
    {
      WithoutGil release;
      found = table::parquet_words(*engine, parts);
    }
    nb::list words;
    for (const auto& some : found) {
      if (!some) {
        words.append(nb::none());
        continue;
      }
      nb::list bytes;
      for (const std::string& word : *some) bytes.append(nb::bytes(word.data(), word.size()));
      words.append(bytes);
    }
    return words;
  }

  static table::ParquetPart chunk_of_file(nb::tuple told, std::string name) {
    using Physical = table::ParquetChunk::Physical;
    static const std::map<std::string, Physical> names{{"INT32", Physical::i32},
                                                       {"INT64", Physical::i64},
                                                       {"FLOAT", Physical::f32},
                                                       {"DOUBLE", Physical::f64},
                                                       {"BYTE_ARRAY", Physical::text}};
    const auto [file, offset, bytes, physical, snappy, optional, rows] =
        nb::cast<std::tuple<std::string, std::int64_t, std::int64_t, std::string, bool, bool, std::int64_t>>(told);
    const auto found = names.find(physical);
    ATOLL_VALIDATE(found != names.end(), TypeError, "columns of {} are not decoded here", physical);
    table::ParquetPart part;
    part.place = {file, offset, bytes};
    part.chunk = {found->second, snappy ? table::ParquetChunk::Codec::snappy : table::ParquetChunk::Codec::none,
                  optional, rows};
    part.name = std::move(name);
    return part;
  }

  /// TypeError when what a chunk holds, or becomes, does not fit into its column.
  void check_kind(const table::ParquetPart& part) const {
    using Physical = table::ParquetChunk::Physical;
    ATOLL_VALIDATE(part.column < kinds.size(), IndexError, "no column {}", part.column);
    const LandingColumn& kind = kinds[part.column];
    const Physical physical = part.chunk.physical;
    const bool narrow = physical == Physical::i32 || physical == Physical::f32,
               whole = physical == Physical::i32 || physical == Physical::i64;
    bool fits = false;
    if (part.codes)
      fits = physical == Physical::text && !kind.text &&
             (kind.dtype == DType::i8 || kind.dtype == DType::i16 || kind.dtype == DType::i32);
    else if (part.divisor != 0) fits = whole && !kind.text && kind.dtype == DType::f64;
    else if (physical == Physical::text || kind.text) fits = physical == Physical::text && kind.text;
    else
      fits =
          array::size_of(kind.dtype) == (narrow ? 4u : 8u) || (physical == Physical::i32 && kind.dtype == DType::i64);
    ATOLL_VALIDATE(fits, TypeError, "rows of {} do not fit into a column of {}", part.name,
                   kind.text ? "text" : array::name_of(kind.dtype));
  }

  /// This PE's rows of the arrays, where they lie: not to be changed.
  /// For tests: `callback(operation)` at every look of this PE's kernels for an interrupt. None: as before.
  void watch_every_poll(nb::object callback) { watch_polls(*engine, std::move(callback), nb::none()); }

  nb::list rows() const {
    nb::list views;
    for (const Array& array : inputs)
      views.append(
          numpy_view(array->bytes(), array->shape.with_rows(array->local_rows()), array->dtype, array->storage.owner));
    return views;
  }
};

/// A file's row groups, as its footer has them.
struct Groups {
  std::vector<table::ParquetGroup> groups;
};

std::string run_here(const std::string& request, Landing& landing, const std::vector<LandingColumn>& kinds,
                     std::vector<Array> inputs, array::Engine& engine) {
  WithGil gil;
  nb::object columns = nb::cast(Columns{&landing, kinds, std::move(inputs), &engine});
  std::string answer;
  try {
    ATOLL_VALIDATE(program().is_valid(), Error, "this process has no program");
    const auto bytes = nb::cast<nb::bytes>(program()(nb::bytes(request.data(), request.size()), columns));
    answer.assign(bytes.c_str(), bytes.size());
  } catch (nb::python_error& error) { answer = std::string("\2") + error.what(); } catch (const std::exception& error) {
    answer = std::string("\2") + error.what();
  }
  nb::cast<Columns&>(columns).landing = nullptr;
  nb::cast<Columns&>(columns).inputs.clear();
  return answer;
}

}  // namespace

std::vector<Array> run_everywhere(array::Engine& engine, array::DriverOnly<Answers*> answers, std::string request,
                                  std::vector<Array> inputs, std::vector<LandingColumn> kinds,
                                  std::vector<std::int64_t> rows) {
  if (rows == as_inputs) {
    rows.resize(engine.npes());
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) rows[pe] = inputs.at(0)->distribution.count(pe);
  }
  engine.begin_operation("program");
  Landing landing(engine, kinds, std::move(rows));
  std::string mine;
  engine.before_agreement([&] {
    mine = stay_when_python_ends([&] { return run_here(request, landing, kinds, std::move(inputs), engine); });
  });
  // Its exception is the one that all PEs raise, whatever comes of the programs of the others.
  if (engine.pe() == 0 && !mine.starts_with('\0')) engine.stop_others();
  // However long another PE's program takes, as long as its process runs.
  engine.communicator().set_timeout_seconds(std::numeric_limits<double>::infinity());
  const auto all = engine.allgather_bytes(std::as_bytes(std::span(mine)));
  engine.communicator().set_timeout_seconds(config::seconds(config::Variable::peer_timeout));
  bool failed = false;
  for (const auto& one : all) failed |= one.empty() || one[0] != std::byte{0};
  if (answers.value != nullptr) *answers.value = all;
  if (failed) {
    landing.give_up();
    throw ProgramFailed("a program has failed");
  }
  return landing.finish();
}

namespace {

void bind_formats(nb::module_& m) {
  nb::class_<Groups>(m, "ParquetFooter")
      .def(
          "__init__",
          [](Groups* made, nb::bytes footer, std::int64_t size) {
            new (made) Groups{
                table::read_parquet_footer({reinterpret_cast<const std::byte*>(footer.c_str()), footer.size()}, size)};
          },
          nb::arg("footer"), nb::arg("size"))
      .def_prop_ro("groups",
                   [](const Groups& footer) {
                     nb::list found;
                     for (const table::ParquetGroup& group : footer.groups)
                       found.append(nb::make_tuple(group.bytes, group.rows));
                     return found;
                   })
      .def(
          "chunk",
          [](const Groups& footer, std::size_t group, std::size_t column) {
            const std::vector<table::ParquetGroup>& groups = footer.groups;
            ATOLL_VALIDATE(group < groups.size() && column < groups[group].columns.size(), ValueError,
                           "row group {} has no column {}", group, column);
            const table::ParquetColumn& one = groups[group].columns[column];
            return nb::make_tuple(table::parquet_type_name(one.type), table::parquet_codec_name(one.codec), one.decoded,
                                  one.dictionary, one.offset, one.packed, one.unpacked, one.bloom_filter,
                                  nb::make_tuple(one.offset_index, one.offset_index_bytes),
                                  nb::make_tuple(one.column_index, one.column_index_bytes));
          },
          nb::arg("group"), nb::arg("column"));
  m.def(
      "sum_orc_lengths",
      [](nb::bytes stream, int version, std::uint64_t count) {
        ATOLL_VALIDATE(version == 1 || version == 2, ValueError, "ORC's runs are of version 1 or 2, not {}", version);
        return table::sum_orc_lengths({reinterpret_cast<const std::byte*>(stream.c_str()), stream.size()},
                                      static_cast<table::OrcRuns>(version), count);
      },
      nb::arg("stream"), nb::arg("version"), nb::arg("count"));
}

void bind_programs(nb::module_& m) {
  nb::class_<Columns>(m, "Landing")
      .def("add", &Columns::add, nb::arg("column"), nb::arg("place"), nb::arg("array"))
      .def("add_parquet", &Columns::add_parquet, nb::arg("parts"), nb::arg("wanted").none())
      .def("add_values", &Columns::add_values, nb::arg("parts"))
      .def("parquet_words", &Columns::parquet_words, nb::arg("parts"))
      .def("rows", &Columns::rows)
      .def_prop_ro("pe", [](const Columns& c) { return c.engine->pe(); })
      .def_prop_ro("interrupted", [](const Columns& c) { return c.engine->is_interrupted(); })
      .def("watch_every_poll", &Columns::watch_every_poll, nb::arg("callback").none())
      .def("stats", [](const Columns& c) { return stats_of(*c.engine); });
  m.def("set_program", [](nb::object callable) { program() = std::move(callable); });
  m.def(
      "run_everywhere",
      [](const SessionPtr& session, nb::bytes request, nb::sequence inputs, const std::vector<int>& kinds,
         const std::vector<std::int64_t>& rows) {
        std::vector<LandingColumn> columns;
        for (int kind : kinds)
          columns.push_back(kind == text_kind ? LandingColumn{DType::u8, true} : LandingColumn{to_dtype(kind), false});
        const std::string sent(request.c_str(), request.size());
        std::vector<Expr> given;
        std::vector<Text> texts;
        for (nb::handle input : inputs) {
          if (nb::isinstance<Texts>(input)) texts.push_back(nb::cast<const Texts&>(input).in(session));
          else given.push_back(nb::cast<Expr>(input));
        }
        Answers answers;
        std::vector<Array> arrays;
        {
          WithoutGil release;
          std::vector<Array> used;
          for (const Expr& input : given) used.push_back(input.value_in(session));
          for (const Text& text : texts) {
            session->spread(text);  // together: each PE has the offsets of its own strings
            used.insert(used.end(), {text.offsets, text.bytes});
          }
          try {
            arrays = session->call<&run_everywhere, Commands>(array::DriverOnly<Answers*>{&answers}, sent,
                                                              std::move(used), columns, rows);
          } catch (const ProgramFailed&) {  // the answers say how
            session->engine().rethrow_pending();
          }
        }
        nb::list replies, made;
        for (const auto& answer : answers)
          replies.append(nb::bytes(reinterpret_cast<const char*>(answer.data()), answer.size()));
        auto one = [&](const Array& array) -> nb::object {
          if (array == nullptr) return nb::none();
          return nb::cast(Expr{session, array::make_stored(array)});
        };
        std::size_t at = 0;
        for (const LandingColumn& kind : columns) {
          if (arrays.empty()) break;
          if (kind.text) {
            made.append(nb::make_tuple(Texts{session, {arrays[at], arrays[at + 1]}}, one(arrays[at + 2])));
            at += 3;
          } else {
            made.append(nb::make_tuple(one(arrays[at]), one(arrays[at + 1])));
            at += 2;
          }
        }
        return nb::make_tuple(replies, made);
      },
      nb::arg("session"), nb::arg("request"), nb::arg("inputs"), nb::arg("kinds"), nb::arg("rows"));
}

}  // namespace

void bind_everywhere(nb::module_& m) {
  bind_formats(m);
  bind_programs(m);
}

}  // namespace atl::python
