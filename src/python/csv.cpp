// SPDX-License-Identifier: Apache-2.0
// Text of separated values to Arrow's buffers, and rows to text.
#include <nanobind/stl/optional.h>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/csv/fields.hpp"
#include "atoll/table/kernel/csv/parse.hpp"
#include "atoll/table/kernel/csv/write.hpp"
#include "convert.hpp"

namespace atl::python {
namespace {

using table::CsvKind;

SystemMemory& memory() {
  static SystemMemory one;
  return one;
}

nb::object fault_of(const std::optional<table::CsvFault>& fault) {
  if (!fault) return nb::none();
  // What it shows of the file may be cut within a letter, or be no UTF-8 at all.
  nb::object text =
      nb::steal(PyUnicode_DecodeUTF8(fault->text.data(), static_cast<Py_ssize_t>(fault->text.size()), "replace"));
  return nb::make_tuple(text, fault->at, fault->column);
}

/// A part of a buffer that the table keeps, as bytes; None when there is none.
nb::object view_of(const std::shared_ptr<table::CsvTable>& table, const void* data, std::size_t bytes) {
  if (data == nullptr) return nb::none();
  return numpy_view(const_cast<void*>(data), Shape{static_cast<std::int64_t>(bytes)}, DType::u8, table);
}

nb::tuple parsed(const table::CsvText& text, const table::CsvDialect& dialect, const std::vector<int>& kinds) {
  std::vector<CsvKind> wanted;
  for (int kind : kinds) {
    ATOLL_VALIDATE(kind >= 0 && kind <= static_cast<int>(CsvKind::text), ValueError, "no kind of columns: {}", kind);
    wanted.push_back(static_cast<CsvKind>(kind));
  }
  std::shared_ptr<table::CsvTable> table;
  {
    WithoutGil release;
    table = std::make_shared<table::CsvTable>(parse_csv(memory(), text, dialect, wanted));
  }
  nb::list columns;
  const auto rows = static_cast<std::size_t>(table->rows);
  for (std::size_t i = 0; i < table->columns.size(); ++i) {
    const table::CsvColumn& column = table->columns[i];
    const bool is_text = wanted[i] == CsvKind::text;
    const std::size_t bytes =
        is_text ? static_cast<std::size_t>(column.offsets[rows]) : rows * (wanted[i] == CsvKind::b1 ? 1 : 8);
    columns.append(nb::make_tuple(view_of(table, column.values.data(), bytes),
                                  view_of(table, column.offsets.data(), 8 * (rows + 1)),
                                  view_of(table, column.valid.data(), (rows + 7) / 8), column.missing));
  }
  return nb::make_tuple(table->rows, table->skipped, columns, fault_of(table->fault));
}

/// Lines that have been written, as bytes.
struct Lines {
  table::RowText text{memory()};
};

/// Columns as tuples: values (a NumPy array; of texts bytes), offsets or None, valid or None, whether texts are
/// verbatim, what stands before.
void fill_lines(Lines& lines, nb::list columns, bool json, char separator, char quote, const std::string& missing,
                const std::string& end, std::size_t begin, std::size_t stop) {
  using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  using Valid = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  std::vector<table::RowColumn> rows;
  for (nb::handle one : columns) {
    const auto told = nb::cast<nb::tuple>(one);
    const auto values = nb::cast<ReadOnlyArray>(told[0]);
    table::RowColumn column;
    column.dtype = dtype_of_ndarray(values);
    column.values = values.data();
    std::size_t count = values.ndim() == 1 ? values.shape(0) : 0;
    if (!told[1].is_none()) {
      const auto offsets = nb::cast<Offsets>(told[1]);
      column.offsets = offsets.data();
      count = offsets.shape(0) == 0 ? 0 : offsets.shape(0) - 1;
    }
    if (!told[2].is_none()) {
      const auto valid = nb::cast<Valid>(told[2]);
      column.valid = valid.data();
      count = std::min(count, valid.shape(0));
    }
    ATOLL_VALIDATE(begin <= stop && stop <= count, IndexError, "rows {} to {} of {}", begin, stop, count);
    column.verbatim = nb::cast<bool>(told[3]);
    column.before = nb::cast<std::string>(told[4]);
    rows.push_back(std::move(column));
  }
  WithoutGil release;  // `columns` keeps what they look at
  lines.text.clear();
  write_rows(rows, {json, separator, quote, missing, end}, begin, stop, lines.text);
}

}  // namespace

void bind_csv(nb::module_& m) {
  nb::class_<Lines>(m, "Lines").def(nb::init<>()).def("fill", &fill_lines).def_prop_ro("data", [](const Lines& lines) {
    const std::string_view text = lines.text.text();
    return nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(text.data(), {text.size()}, nb::find(lines));
  });
  nb::class_<table::CsvDialect>(m, "CsvDialect")
      .def(
          "__init__",
          [](table::CsvDialect* made, char separator, std::optional<char> quote, char decimal, bool skip_bad,
             std::vector<std::string> missing, std::vector<std::string> yes, std::vector<std::string> no) {
            new (made) table::CsvDialect{separator,          quote,          decimal,      skip_bad,
                                         std::move(missing), std::move(yes), std::move(no)};
          },
          nb::arg("separator"), nb::arg("quote").none(), nb::arg("decimal"), nb::arg("skip_bad"), nb::arg("missing"),
          nb::arg("yes"), nb::arg("no"));
  nb::class_<table::CsvText>(m, "CsvText")
      .def("__init__", [](table::CsvText* made, std::size_t size) { new (made) table::CsvText(memory(), size); })
      .def("resize", &table::CsvText::resize)
      .def(
          "survey",
          [](const table::CsvText& text, std::optional<char> quote, char separator) {
            std::array<table::RecordSurvey, 2> surveys;
            {
              WithoutGil release;
              surveys =
                  table::survey_records({separator, quote.value_or('"'), quote.has_value()}, text.data(), text.size());
            }
            nb::list result;
            for (const table::RecordSurvey& survey : surveys)
              result.append(nb::make_tuple(survey.known ? static_cast<int>(survey.end) : -1, survey.first,
                                           survey.countable ? survey.lines : -1));
            return result;
          },
          nb::arg("quote").none(), nb::arg("separator"))
      .def_prop_ro("room",
                   [](const table::CsvText& text) {
                     return nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(text.data(), {text.size()},
                                                                              nb::find(text));
                   })
      .def("parse", &parsed)
      .def("guess", [](const table::CsvText& text, const table::CsvDialect& dialect, std::size_t columns) {
        std::optional<table::CsvFault> fault;
        std::vector<CsvKind> kinds;
        {
          WithoutGil release;
          kinds = guess_csv(text, dialect, columns, fault);
        }
        std::vector<int> codes;
        for (CsvKind kind : kinds) codes.push_back(static_cast<int>(kind));
        return nb::make_tuple(codes, fault_of(fault));
      });
}

}  // namespace atl::python
