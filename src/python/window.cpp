// SPDX-License-Identifier: Apache-2.0
// Windows, running figures and as-of joins.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <optional>

#include "atoll/base/validate.hpp"
#include "atoll/table/operations.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

using Release = nb::call_guard<WithoutGil>;
using MaybeExpr = std::optional<Expr>;

template <class Enum, std::size_t n>
Enum choice(const std::string& name, const std::array<const char*, n>& names, const char* what) {
  for (std::size_t i = 0; i < n; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  raise<ValueError>(fmt::format("unknown {} '{}'", what, name));
}

/// A column of `rows` rows of that type, or none.
Array column_of(const MaybeExpr& column, const SessionPtr& session, array::DType type, std::int64_t rows) {
  if (!column) return nullptr;
  const Array& array = column->value_in(session);
  ATOLL_VALIDATE(array->shape.ndim() == 1 && array->shape.size() == rows, ValueError,
                 "columns must be 1-dimensional and of one length, got {} beside {} rows", array->shape.to_string(),
                 rows);
  ATOLL_VALIDATE(array->dtype == type, TypeError, "the column is {}, not {}", array::name_of(array->dtype),
                 array::name_of(type));
  return array;
}

std::int64_t rows_of(const Expr& column) {
  const Array& array = column.value();
  ATOLL_VALIDATE(array->shape.ndim() == 1, ValueError, "a column is 1-dimensional, got shape {}",
                 array->shape.to_string());
  return array->shape.size();
}

void bind_windows(nb::module_& m) {
  using array::DType;
  m.def(
      "window",
      [](const Expr& x, const MaybeExpr& y, const MaybeExpr& segments, const MaybeExpr& times,
         const std::string& figure, const std::string& frame, std::int64_t size, const std::string& closed,
         bool centred, std::int64_t min_periods, int ddof, double q, const std::string& interpolation) {
        table::WindowSpec spec;
        spec.figure = choice<table::WindowFigure>(figure,
                                                  std::array{"sum", "mean", "var", "std", "skew", "kurt", "min", "max",
                                                             "cov", "corr", "quantile", "less", "same"},
                                                  "figure");
        spec.frame = choice<table::Frame>(frame, std::array{"rows", "range", "expanding"}, "frame");
        spec.interpolation = choice<table::Interpolation>(
            interpolation, std::array{"linear", "lower", "higher", "midpoint", "nearest"}, "interpolation");
        spec.size = size;
        spec.left_closed = closed == "left" || closed == "both";
        spec.right_closed = closed == "right" || closed == "both";
        spec.centred = centred;
        spec.min_periods = min_periods;
        spec.ddof = ddof;
        spec.q = q;
        const std::int64_t rows = rows_of(x);
        const bool pairs = spec.figure == table::WindowFigure::cov || spec.figure == table::WindowFigure::corr;
        ATOLL_VALIDATE(
            size > 0 && (y.has_value() || !pairs) && (times.has_value() || spec.frame != table::Frame::range),
            ValueError, "no such window");
        return stored(
            x, x.session->call<&table::window, table::Operations>(
                   spec, column_of(x, x.session, DType::f64, rows), column_of(y, x.session, DType::f64, rows),
                   column_of(segments, x.session, DType::i64, rows), column_of(times, x.session, DType::i64, rows)));
      },
      nb::arg("x"), nb::arg("y").none(), nb::arg("segments").none(), nb::arg("times").none(), nb::arg("figure"),
      nb::arg("frame"), nb::arg("size"), nb::arg("closed"), nb::arg("centred"), nb::arg("min_periods"), nb::arg("ddof"),
      nb::arg("q"), nb::arg("interpolation"), Release());
  m.def(
      "cumulate",
      [](const Expr& x, const MaybeExpr& segments, const std::string& kind, bool skips_nan) {
        const std::int64_t rows = rows_of(x);
        const auto of = choice<table::Cumulation>(kind, std::array{"sum", "prod", "min", "max"}, "running figure");
        const bool begins = segments && segments->value_in(x.session)->dtype == DType::b1;
        return stored(
            x, x.session->call<&table::cumulate, table::Operations>(
                   x.value(), column_of(segments, x.session, begins ? DType::b1 : DType::i64, rows), of, skips_nan));
      },
      nb::arg("x"), nb::arg("segments").none(), nb::arg("kind"), nb::arg("skips_nan"), Release());
}

void bind_decay(nb::module_& m) {
  using array::DType;
  m.def(
      "decay",
      [](const Expr& x, const MaybeExpr& segments, const MaybeExpr& times, const std::string& figure, bool adjusted,
         bool ignore_gaps, double alpha, double halflife, std::int64_t min_periods, bool bias) {
        table::DecaySpec spec;
        spec.figure = choice<table::DecayFigure>(figure, std::array{"mean", "var", "std"}, "figure");
        spec.weights = adjusted ? table::DecayWeights::adjusted : table::DecayWeights::recursive;
        spec.gaps = ignore_gaps ? table::DecayGaps::ignore : table::DecayGaps::count;
        spec.alpha = alpha;
        spec.halflife = halflife;
        spec.min_periods = min_periods;
        spec.bias = bias;
        const std::int64_t rows = rows_of(x);
        return stored(
            x, x.session->call<&table::decay, table::Operations>(spec, column_of(x, x.session, DType::f64, rows),
                                                                 column_of(segments, x.session, DType::i64, rows),
                                                                 column_of(times, x.session, DType::i64, rows)));
      },
      nb::arg("x"), nb::arg("segments").none(), nb::arg("times").none(), nb::arg("figure"), nb::arg("adjusted"),
      nb::arg("ignore_gaps"), nb::arg("alpha"), nb::arg("halflife"), nb::arg("min_periods"), nb::arg("bias"),
      Release());
}

void bind_positions(nb::module_& m) {
  using array::DType;
  m.def(
      "group_places",
      [](const Expr& groups, std::int64_t count) {
        const Array& array = groups.value();
        ATOLL_VALIDATE(array->shape.ndim() == 1 && array->dtype == DType::i64 && count >= 0, ValueError,
                       "groups are numbers of rows");
        return stored(groups, groups.session->call<&table::group_places, table::Operations>(array, count));
      },
      Release());
  m.def(
      "asof_rows",
      [](const Expr& left, const MaybeExpr& left_by, const Expr& right, const MaybeExpr& right_by,
         const std::string& direction, bool exact, double tolerance) {
        const auto way =
            choice<table::AsofDirection>(direction, std::array{"backward", "forward", "nearest"}, "direction");
        const DType type = left.node->dtype;
        ATOLL_VALIDATE(type == DType::i64 || type == DType::u64 || type == DType::f64, TypeError,
                       "as-of keys are int64, uint64 or float64, not {}", array::name_of(type));
        ATOLL_VALIDATE(left_by.has_value() == right_by.has_value(), ValueError,
                       "both sides have values of by, or none");
        const std::int64_t n = rows_of(left), m = rows_of(right);
        return stored(
            left, left.session->call<&table::asof_rows, table::Operations>(
                      left.value(), column_of(left_by, left.session, DType::i64, n),
                      column_of(right, left.session, type, m), column_of(right_by, left.session, DType::i64, m), way,
                      exact ? table::ExactMatches::allowed : table::ExactMatches::refused, tolerance));
      },
      nb::arg("left"), nb::arg("left_by").none(), nb::arg("right"), nb::arg("right_by").none(), nb::arg("direction"),
      nb::arg("exact"), nb::arg("tolerance"), Release());
}

}  // namespace

void bind_window(nb::module_& m) {
  bind_windows(m);
  bind_decay(m);
  bind_positions(m);
}

}  // namespace atl::python
