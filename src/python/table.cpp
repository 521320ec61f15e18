// SPDX-License-Identifier: Apache-2.0
// Operations on columns.
#include <nanobind/stl/tuple.h>

#include <map>

#include "atoll/base/validate.hpp"
#include "atoll/table/operations.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

using Release = nb::call_guard<WithoutGil>;

table::Statistic to_statistic(const std::string& name) {
  using table::Statistic;
  static const std::map<std::string, Statistic> names{
      {"size", Statistic::size},     {"count", Statistic::count},     {"sum", Statistic::sum},
      {"mean", Statistic::mean},     {"var", Statistic::var},         {"std", Statistic::std},
      {"min", Statistic::min},       {"max", Statistic::max},         {"bit_and", Statistic::bit_and},
      {"bit_or", Statistic::bit_or}, {"bit_xor", Statistic::bit_xor}, {"first", Statistic::first},
      {"last", Statistic::last}};
  const auto found = names.find(name);
  ATOLL_VALIDATE(found != names.end(), ValueError, "no statistic '{}'", name);
  return found->second;
}

std::vector<Array> columns_of(const std::vector<Expr>& columns, const SessionPtr& session, std::int64_t rows) {
  std::vector<Array> arrays;
  for (const Expr& column : columns) {
    const Array array = column.value_in(session);
    ATOLL_VALIDATE(array->shape.ndim() == 1 && array->shape.size() == rows, ValueError,
                   "columns must be 1-dimensional and of one length, got {} beside {} rows", array->shape.to_string(),
                   rows);
    arrays.push_back(array);
  }
  return arrays;
}

}  // namespace

void bind_table(nb::module_& m) {
  m.def("group_by", [](const std::vector<Expr>& keys, const std::vector<Expr>& values,
                       const std::vector<std::tuple<std::string, std::uint32_t, int, bool>>& wanted) {
    ATOLL_VALIDATE(!keys.empty(), ValueError, "a group-by needs at least one key");
    std::vector<table::Request> requests;
    for (const auto& [statistic, column, ddof, skips_nan] : wanted) {
      requests.push_back({to_statistic(statistic), column, ddof, skips_nan});
      ATOLL_VALIDATE(requests.back().statistic == table::Statistic::size || column < values.size(), IndexError,
                     "no column {}", column);
      const bool bits = statistic.starts_with("bit_");
      ATOLL_VALIDATE(!bits || !array::is_float(values[column].node->dtype), TypeError,
                     "{} is for integers and bool, not for {}", statistic, array::name_of(values[column].node->dtype));
      ATOLL_VALIDATE(!skips_nan || array::is_float(values[column].node->dtype), TypeError,
                     "NaN is skipped of floats, not of {}", array::name_of(values[column].node->dtype));
    }
    const SessionPtr session = keys[0].session;
    std::vector<Array> results;
    {
      WithoutGil release;
      const std::int64_t rows = keys[0].value()->shape.size();
      results = session->call<&table::group_by, table::Operations>(columns_of(keys, session, rows),
                                                                   columns_of(values, session, rows), requests);
    }
    std::vector<Expr> made;
    for (Array& result : results) made.push_back(stored(keys[0], std::move(result)));
    return made;
  });
  m.def(
      "join_rows",
      [](const std::vector<Expr>& left, const std::vector<Expr>& right, const std::string& kind) {
        using table::JoinKind;
        static const std::map<std::string, JoinKind> kinds{
            {"inner", JoinKind::inner}, {"left", JoinKind::left}, {"semi", JoinKind::semi}, {"anti", JoinKind::anti}};
        ATOLL_VALIDATE(!left.empty() && left.size() == right.size(), ValueError,
                       "a join needs as many keys on the left as on the right, and one at least");
        const SessionPtr session = left[0].session;
        const std::vector<Array> lefts = columns_of(left, session, left[0].value()->shape.size());
        const std::vector<Array> rights = columns_of(right, session, right[0].value()->shape.size());
        for (std::size_t i = 0; i < left.size(); ++i)
          ATOLL_VALIDATE(lefts[i]->dtype == rights[i]->dtype, TypeError, "key {} is {} on the left and {} on the right",
                         i, array::name_of(lefts[i]->dtype), array::name_of(rights[i]->dtype));
        std::vector<Expr> made;
        for (Array& rows : session->call<&table::join_rows, table::Operations>(lefts, rights, kinds.at(kind)))
          made.push_back(stored(left[0], std::move(rows)));
        return made;
      },
      Release());
  m.def(
      "key_bits",
      [](const std::vector<Expr>& keys) {
        ATOLL_VALIDATE(!keys.empty(), ValueError, "no keys");
        return keys[0].session->call<&table::key_bits, table::Operations>(
            columns_of(keys, keys[0].session, keys[0].value()->shape.size()));
      },
      Release());
}

}  // namespace atl::python
