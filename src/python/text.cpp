// SPDX-License-Identifier: Apache-2.0
// Columns of texts.
#include <fmt/format.h>

#include <map>

#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/text/offsets.hpp"
#include "atoll/table/kernel/text/records.hpp"
#include "atoll/table/kernel/text/split.hpp"
#include "atoll/table/kernel/text/utf8.hpp"
#include "atoll/table/operations.hpp"
#include "checks.hpp"
#include "texts.hpp"

namespace atl::python {
namespace {

using array::DriverOnly;
using table::Text;
using table::TextCall;
using Release = nb::call_guard<WithoutGil>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Texts as they come from Python, before they are a column.
struct Loose {
  std::vector<std::int64_t> offsets{0};
  std::string bytes;
  std::vector<std::uint8_t> valid;
  bool all_valid = true;

  void add(std::string_view text) {
    bytes.append(text);
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    valid.push_back(1);
  }
  void add_null() {
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    valid.push_back(0);
    all_valid = false;
  }
  std::int64_t rows() const { return static_cast<std::int64_t>(valid.size()); }
};

Texts column_of(const SessionPtr& session, std::int64_t rows, const std::int64_t* offsets, const char* bytes) {
  return {session, session->call<&table::text_from_buffers, table::Operations>(
                       rows, DriverOnly<const std::int64_t*>{offsets}, DriverOnly<const char*>{bytes})};
}

/// The column, and bytes that say which texts are there (None: all).
nb::object column_of(const SessionPtr& session, const Loose& loose) {
  std::optional<Texts> column;
  {
    WithoutGil release;
    column = column_of(session, loose.rows(), loose.offsets.data(), loose.bytes.data());
  }
  nb::object valid = nb::none();
  if (!loose.all_valid) {
    valid = numpy_empty(Shape{loose.rows()}, DType::b1);
    std::memcpy(nb::cast<nb::ndarray<>>(valid).data(), loose.valid.data(), loose.valid.size());
  }
  return nb::make_tuple(*column, valid);
}

/// What stands for a missing text: None, a float NaN, and the values that Python code passes as `missing`.
bool is_missing(nb::handle value, nb::handle missing) {
  return value.is_none() || value.is(missing) ||
         (PyFloat_Check(value.ptr()) && PyFloat_AsDouble(value.ptr()) != PyFloat_AsDouble(value.ptr()));
}

nb::object from_objects(const SessionPtr& session, nb::sequence values, nb::handle missing) {
  Loose loose;
  const std::size_t count = nb::len(values);
  loose.offsets.reserve(count + 1);
  loose.valid.reserve(count);
  std::size_t row = 0;
  for (nb::handle value : values) {
    if (PyUnicode_Check(value.ptr())) {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
      if (text == nullptr) {
        PyErr_Clear();
        raise<ValueError>(fmt::format("text {} has a surrogate without its pair, which UTF-8 cannot hold", row));
      }
      loose.add({text, static_cast<std::size_t>(size)});
    } else if (is_missing(value, missing)) {
      loose.add_null();
    } else {
      raise<TypeError>(fmt::format("element {} is {}, not a text. Convert it first, with str()", row,
                                   nb::cast<std::string>(nb::repr(value.type()))));
    }
    ++row;
  }
  return column_of(session, loose);
}

/// Texts of a fixed width as NumPy keeps them, padded by zeros: bytes (dtype S) or code points (dtype U).
nb::object from_padded(const SessionPtr& session,
                       nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu> values) {
  Loose loose;
  const std::size_t count = values.shape(0), width = values.shape(1);
  const bool points = values.dtype().bits == 32;
  std::string text;
  for (std::size_t row = 0; row < count; ++row) {
    text.clear();
    if (points) {
      const auto* from = static_cast<const std::uint32_t*>(values.data()) + row * width;
      std::size_t length = width;
      while (length > 0 && from[length - 1] == 0) --length;
      for (std::size_t i = 0; i < length; ++i) {
        ATOLL_VALIDATE(from[i] < 0x110000 && (from[i] < 0xd800 || from[i] > 0xdfff), ValueError,
                       "text {} has the code point 0x{:x}, which UTF-8 cannot hold", row, from[i]);
        char one[4];
        text.append(one, table::put_point(one, from[i]));
      }
    } else {
      const auto* from = static_cast<const char*>(values.data()) + row * width;
      std::size_t length = width;
      while (length > 0 && from[length - 1] == 0) --length;
      text.assign(from, length);
      const std::size_t valid = table::valid_bytes(text);
      ATOLL_VALIDATE(
          valid == length, ValueError,
          "text {} is not UTF-8: byte 0x{:02x} at position {}. Decode it first, from the encoding that it has", row,
          static_cast<unsigned char>(text[valid]), valid);
    }
    loose.add(text);
  }
  return column_of(session, loose);
}

/// Arrow's buffers, of texts or of any bytes. With one PE they are used where they lie, which `owner` keeps, if what is
/// behind them may be read.
Texts from_buffers(const SessionPtr& session, Offsets offsets, Bytes bytes, nb::object owner, bool binary) {
  const auto rows = static_cast<std::int64_t>(offsets.shape(0)) - 1;
  ATOLL_VALIDATE(rows >= 0, ValueError, "n texts have n + 1 offsets");
  const table::TextView view{offsets.data(), reinterpret_cast<const char*>(bytes.data()),
                             static_cast<std::size_t>(rows)};
  std::shared_ptr<void> owned = hold(std::move(owner));
  WithoutGil release;
  const auto lock = session->hold();
  array::Engine& engine = session->engine();
  (binary ? table::check_offsets : table::check_texts)(engine.work(), view, static_cast<std::int64_t>(bytes.shape(0)));
  if (engine.npes() == 1 && readable_past_end(view.bytes, bytes.shape(0))) {
    const Shape all_offsets{rows + 1}, all_bytes{static_cast<std::int64_t>(bytes.shape(0))};
    return {session,
            {engine.wrap(DType::i64, all_offsets, const_cast<std::int64_t*>(view.offsets), owned),
             engine.wrap(DType::u8, all_bytes, const_cast<char*>(view.bytes), owned)}};
  }
  return column_of(session, rows, view.offsets, view.bytes);
}

/// Offsets and bytes as NumPy arrays: with one PE the column's own memory, which must not be changed.
nb::object buffers_of(const Texts& x) {
  if (x.session->engine().npes() == 1) {
    const auto& [offsets, bytes] = x.text;
    return nb::make_tuple(numpy_view(offsets->bytes(), offsets->shape, DType::i64, offsets->storage.owner),
                          numpy_view(bytes->bytes(), bytes->shape, DType::u8, bytes->storage.owner));
  }
  std::int64_t size = 0;
  {
    WithoutGil release;
    size = x.session->call<&table::text_bytes, table::Operations>(x.text);
  }
  nb::object offsets = numpy_empty(Shape{x.rows + 1}, DType::i64), bytes = numpy_empty(Shape{size}, DType::u8);
  auto* offset_data = static_cast<std::int64_t*>(nb::cast<nb::ndarray<>>(offsets).data());
  auto* byte_data = static_cast<char*>(nb::cast<nb::ndarray<>>(bytes).data());
  WithoutGil release;
  x.session->call<&table::text_to_buffers, table::Operations>(x.text, DriverOnly<std::int64_t*>{offset_data},
                                                              DriverOnly<char*>{byte_data});
  WithGil acquire;
  return nb::make_tuple(offsets, bytes);
}

/// Python strings of Arrow's buffers; `null` where a byte of `valid` (when there is one) is 0.
nb::list to_objects(Offsets offsets, Bytes bytes,
                    std::optional<nb::ndarray<const bool, nb::ndim<1>, nb::c_contig>> valid, nb::handle null) {
  nb::list result;
  const std::size_t count = offsets.shape(0) - 1;
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  for (std::size_t i = 0; i < count; ++i) {
    if (valid && !valid->data()[i]) {
      result.append(null);
      continue;
    }
    const std::int64_t begin = offsets.data()[i], size = offsets.data()[i + 1] - begin;
    result.append(nb::steal(PyUnicode_DecodeUTF8(text + begin, static_cast<Py_ssize_t>(size), nullptr)));
  }
  return result;
}

table::Comparison to_comparison(const std::string& name) {
  using table::Comparison;
  static const std::map<std::string, Comparison> names{
      {"equal", Comparison::equal}, {"less", Comparison::less}, {"less_equal", Comparison::less_equal}};
  return names.at(name);
}

TextCall to_call(const std::string& name, const std::vector<nb::bytes>& texts, std::vector<std::int64_t> numbers) {
  TextCall call{name, {}, std::move(numbers)};
  for (const nb::bytes& text : texts) call.texts.emplace_back(text.c_str(), text.size());
  return call;
}

void bind_buffers(nb::module_& m) {
  m.def("text_from_objects", &from_objects, nb::arg("session"), nb::arg("values"), nb::arg("missing").none());
  m.def("text_from_padded", &from_padded);
  m.def("text_from_buffers", &from_buffers, nb::arg("session"), nb::arg("offsets"), nb::arg("bytes"),
        nb::arg("owner").none(), nb::arg("binary") = false);
  m.def("text_buffers", &buffers_of);
  m.def("text_to_objects", &to_objects, nb::arg("offsets"), nb::arg("bytes"), nb::arg("valid").none(),
        nb::arg("null").none());
  m.def("scan_records", [](Bytes bytes, char quote, char delimiter) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.shape(0));
    std::array<table::RecordScan, table::record_states> scans;
    {
      WithoutGil release;
      scans = table::scan_records(text, quote, delimiter);
    }
    nb::list result;
    for (const table::RecordScan& scan : scans) result.append(nb::make_tuple(static_cast<int>(scan.end), scan.first));
    return result;
  });
}

void bind_rows(nb::module_& m) {
  m.def(
      "text_take",
      [](const Texts& x, const Expr& rows) {
        const Array indices = rows.value_in(x.session);
        ATOLL_VALIDATE(indices->dtype == DType::i64 && indices->shape.ndim() == 1, IndexError,
                       "texts are taken by int64 of one dimension");
        return Texts{x.session, x.session->call<&table::text_take, table::Operations>(x.text, indices)};
      },
      Release());
  m.def(
      "text_slice",
      [](const Texts& x, std::int64_t start, std::int64_t step, std::int64_t count) {
        const array::Slice slice{start, step, count};
        require_slice(slice, x.rows);
        return Texts{x.session, x.session->call<&table::text_slice, table::Operations>(x.text, slice)};
      },
      Release());
  m.def(
      "text_concatenate",
      [](const std::vector<Texts>& parts) {
        ATOLL_VALIDATE(!parts.empty(), ValueError, "need at least one column to concatenate");
        std::vector<Text> texts;
        for (const Texts& part : parts) texts.push_back(part.in(parts[0].session));
        return Texts{parts[0].session, parts[0].session->call<&table::text_concatenate, table::Operations>(texts)};
      },
      Release());
  m.def(
      "text_where",
      [](const Expr& mask, const Texts& yes, const Texts& no) {
        const Array chosen = mask.value_in(yes.session);
        ATOLL_VALIDATE(chosen->dtype == DType::b1 && chosen->shape.ndim() == 1 && chosen->shape.size() == yes.rows &&
                           yes.rows == no.rows,
                       ValueError, "where needs a mask and texts of one length, got {}, {} and {}",
                       chosen->shape.size(), yes.rows, no.rows);
        return Texts{yes.session,
                     yes.session->call<&table::text_where, table::Operations>(chosen, yes.text, no.in(yes.session))};
      },
      Release());
  m.def(
      "text_runs",
      [](const Texts& x, const Expr& starts, const Expr& lengths) {
        const Array begins = starts.value_in(x.session), counts = lengths.value_in(x.session);
        ATOLL_VALIDATE(begins->dtype == DType::i64 && counts->dtype == DType::i64 && begins->shape.ndim() == 1 &&
                           begins->shape == counts->shape,
                       ValueError, "runs are given by two int64 arrays of one length");
        return Texts{x.session, x.session->call<&table::text_runs, table::Operations>(x.text, begins, counts)};
      },
      Release());
  m.def(
      "text_repeat",
      [](const Texts& x, const Expr& counts) {
        const Array times = counts.value_in(x.session);
        ATOLL_VALIDATE(times->dtype == DType::i64 && times->shape.ndim() == 1 && times->shape.size() == x.rows,
                       ValueError, "repeat needs a number for each text");
        return Texts{x.session, x.session->call<&table::text_repeat, table::Operations>(x.text, times)};
      },
      Release());
}

void bind_order(nb::module_& m) {
  m.def(
      "text_argsort",
      [](const Texts& x) {
        return Expr{x.session, array::make_stored(x.session->call<&table::text_argsort, table::Operations>(x.text))};
      },
      Release());
  m.def(
      "text_sort",
      [](const Texts& x) { return Texts{x.session, x.session->call<&table::text_sort, table::Operations>(x.text)}; },
      Release());
  m.def("text_number", [](const Texts& x, bool numbers) {
    table::Numbering result;
    {
      WithoutGil release;
      result = x.session->call<&table::text_number, table::Operations>(
          x.text, numbers ? table::Numbers::yes : table::Numbers::no);
    }
    return nb::make_tuple(numbers ? nb::cast(Expr{x.session, array::make_stored(result.numbers)}) : nb::none(),
                          Expr{x.session, array::make_stored(result.first)}, Texts{x.session, result.distinct});
  });
  m.def(
      "text_hash",
      [](const Texts& x) {
        std::vector<Array> hashes = x.session->call<&table::text_hash, table::Operations>(x.text);
        return std::make_pair(Expr{x.session, array::make_stored(hashes[0])},
                              Expr{x.session, array::make_stored(hashes[1])});
      },
      Release());
  m.def(
      "text_compare",
      [](const Texts& a, const Texts& b, const std::string& how) {
        ATOLL_VALIDATE(a.rows == b.rows, ValueError, "columns of {} and {} rows cannot be compared", a.rows, b.rows);
        return Expr{a.session, array::make_stored(a.session->call<&table::text_compare, table::Operations>(
                                   a.text, b.in(a.session), to_comparison(how)))};
      },
      Release());
}

void bind_calls(nb::module_& m) {
  m.def("text_measure", [](const Texts& x, const std::string& name, const std::vector<nb::bytes>& texts,
                           std::vector<std::int64_t> numbers) {
    const TextCall call = to_call(name, texts, std::move(numbers));
    (void)table::make_measure(call);  // what it throws, it throws here
    WithoutGil release;
    return Expr{x.session, array::make_stored(x.session->call<&table::text_measure, table::Operations>(x.text, call))};
  });
  m.def("text_map", [](const Texts& x, const std::string& name, const std::vector<nb::bytes>& texts,
                       std::vector<std::int64_t> numbers) {
    const TextCall call = to_call(name, texts, std::move(numbers));
    (void)table::make_text_map(call);
    WithoutGil release;
    return Texts{x.session, x.session->call<&table::text_map, table::Operations>(x.text, call)};
  });
  m.def("text_parts", [](const Texts& x, const std::string& name, const std::vector<nb::bytes>& texts,
                         std::vector<std::int64_t> numbers) {
    const TextCall call = to_call(name, texts, std::move(numbers));
    (void)table::make_splitter(call);
    table::Parts result;
    {
      WithoutGil release;
      result = x.session->call<&table::text_parts, table::Operations>(x.text, call);
    }
    return nb::make_tuple(Expr{x.session, array::make_stored(result.counts)}, Texts{x.session, result.parts});
  });
  m.def("text_join", [](const std::vector<Texts>& columns, nb::bytes separator) {
    ATOLL_VALIDATE(!columns.empty(), ValueError, "need at least one column to join");
    std::vector<Text> texts;
    for (const Texts& column : columns) {
      ATOLL_VALIDATE(column.rows == columns[0].rows, ValueError, "columns of {} and {} rows do not go together",
                     columns[0].rows, column.rows);
      texts.push_back(column.in(columns[0].session));
    }
    const std::string between(separator.c_str(), separator.size());
    WithoutGil release;
    return Texts{columns[0].session, columns[0].session->call<&table::text_join, table::Operations>(texts, between)};
  });
}

void bind_conversions(nb::module_& m) {
  m.def(
      "text_of_numbers",
      [](const Expr& values) {
        const Array numbers = require_axes(values.value(), 1, 1, "an array of numbers");
        return Texts{values.session, values.session->call<&table::text_of_numbers, table::Operations>(numbers)};
      },
      Release());
  m.def("date_map", [](const Expr& values, const std::string& name, std::vector<std::int64_t> numbers) {
    const TextCall call{name, {}, std::move(numbers)};
    (void)table::make_date_map(call);
    WithoutGil release;
    const Array dates = require_column(values.value(), DType::i64, "dates");
    return Expr{values.session,
                array::make_stored(values.session->call<&table::date_map, table::Operations>(dates, call))};
  });
  m.def("date_to_text", [](const Expr& values, const std::vector<nb::bytes>& texts, std::vector<std::int64_t> numbers) {
    const TextCall call = to_call("", texts, std::move(numbers));
    (void)table::make_date_writer(call);
    WithoutGil release;
    const Array dates = require_column(values.value(), DType::i64, "dates");
    return Texts{values.session, values.session->call<&table::date_to_text, table::Operations>(dates, call)};
  });
}

}  // namespace

void bind_text(nb::module_& m) {
  nb::class_<Texts>(m, "Texts")
      .def_prop_ro("rows", [](const Texts& x) { return x.rows; })
      .def_prop_ro("session", [](const Texts& x) { return x.session; })
      .def_prop_ro("nbytes", [](Texts& x) {
        const auto ask = [&x] {
          const WithoutGil release;
          return x.session->call<&table::text_bytes, table::Operations>(x.text);
        };
        if (!x.bytes) x.bytes = ask();
        return *x.bytes;
      });
  bind_buffers(m);
  bind_rows(m);
  bind_order(m);
  bind_calls(m);
  bind_conversions(m);
}

}  // namespace atl::python
