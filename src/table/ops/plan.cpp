// SPDX-License-Identifier: Apache-2.0
#include "ops/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "atoll/table/kernel/words.hpp"

namespace atl::table {
namespace {

using array::dispatch;

bool is_sum(Statistic statistic) { return statistic == Statistic::sum || statistic == Statistic::mean; }
bool is_spread(Statistic statistic) { return statistic == Statistic::var || statistic == Statistic::std; }
/// Figures that are made of exact sums.
bool needs_window(const Request& request, DType type) {
  return is_spread(request.statistic) || request.statistic == Statistic::mean ||
         (request.statistic == Statistic::sum && array::is_float(type));
}

Column local(const Array& array) { return {array->dtype, array->bytes()}; }

}  // namespace

Plan::Plan(Engine& engine, const std::vector<Array>& values, const std::vector<Request>& requests, std::uint64_t rows)
    : requests_(requests), rows_(rows) {
  for (const Array& array : values) types_.push_back(array->dtype);
  std::vector<bool> wanted(values.size(), false);
  for (const Request& request : requests)
    if (request.statistic != Statistic::size && needs_window(request, types_[request.column])) wanted[request.column] = true;
  std::vector<Spread> mine(values.size(), Spread::none());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (wanted[i]) mine[i] = spread_of(engine.work(), local(values[i]), static_cast<std::size_t>(values[i]->local_rows()));
  spreads_.assign(values.size(), Spread::none());
  for (const auto& part : engine.allgather_vector(mine))
    for (std::size_t i = 0; i < part.size(); ++i) spreads_[i].join(part[i]);

  for (const Request& request : requests) {
    Source source;
    const DType type = request.statistic == Statistic::size ? DType::i64 : types_[request.column];
    switch (request.statistic) {
      case Statistic::size: break;
      case Statistic::sum:
      case Statistic::mean:
        if (needs_window(request, type)) source.sums = {need(sum_spec(StateKind::sum, request.column))};
        else source.state = need({StateKind::total, request.column, wide_of(type)});
        break;
      case Statistic::var:
      case Statistic::std:
        source.deviation = need(sum_spec(StateKind::deviation, request.column));
        source.square = need(sum_spec(StateKind::square, request.column));
        break;
      case Statistic::min: source.state = need({StateKind::least, request.column, wide_of(type)}); break;
      case Statistic::max: source.state = need({StateKind::greatest, request.column, wide_of(type)}); break;
      case Statistic::first: source.state = need({StateKind::first}); break;
      case Statistic::last: source.state = need({StateKind::last}); break;
    }
    sources_.push_back(std::move(source));
  }
  // Exact sums count their rows, too.
  const auto counting = std::find_if(specs_.begin(), specs_.end(), [](const StateSpec& spec) { return spec.is_sum(); });
  if (counting != specs_.end()) presence_ = static_cast<std::size_t>(counting - specs_.begin());
  else presence_ = need({StateKind::rows});
}

std::size_t Plan::need(const StateSpec& spec) {
  const bool by_column = spec.needs_column();
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].kind == spec.kind && (!by_column || specs_[i].column == spec.column) && specs_[i].from == spec.from) return i;
  specs_.push_back(spec);
  return specs_.size() - 1;
}

StateSpec Plan::sum_spec(StateKind kind, std::uint32_t column) const {
  const Spread& spread = spreads_[column];
  StateSpec spec{kind, column, wide_of(types_[column])};
  double largest = spread.magnitude();
  if (kind != StateKind::sum && spread.least <= spread.greatest) {
    spec.centre = spread.least / 2 + spread.greatest / 2;
    largest = std::max(spread.greatest - spec.centre, spec.centre - spread.least);
    if (kind == StateKind::square) largest *= largest;
    if (!std::isfinite(largest)) largest = std::numeric_limits<double>::max();
  }
  // Squares may overflow where values do not.
  const bool special = spread.special || largest > 1e300;
  spec.window = SumWindow::of(largest, rows_, special);
  return spec;
}

bool Plan::unsettled(const Aggregated& groups) const {
  if (!groups.lost) return false;
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (specs_[i].kind != StateKind::sum) continue;  // variances are as good as their largest deviation allows
    const auto* sums = reinterpret_cast<const ExactSum*>(groups.states[i].data());
    for (std::size_t group = 0; group < groups.count; ++group)
      if (!sums[group].settled(specs_[i].window)) return true;
  }
  return false;
}

void Plan::add_bands(Engine& engine, const std::vector<Array>& values) {
  const int bits = SumWindow::band_bits(rows_);
  for (std::size_t column = 0; column < values.size(); ++column) {
    const auto of_column = [&](const StateSpec& spec) { return spec.kind == StateKind::sum && spec.column == column; };
    const auto first = std::find_if(specs_.begin(), specs_.end(), of_column);
    if (first == specs_.end()) continue;
    const auto index = static_cast<std::size_t>(first - specs_.begin());
    double least = least_magnitude(engine.work(), local(values[column]), static_cast<std::size_t>(values[column]->local_rows()));
    for (double other : engine.allgather_value(least)) least = std::min(least, other);
    // From the largest down; the first keeps its place and takes infinities and NaN. The last takes all that is left.
    std::vector<std::size_t> bands{index};
    const double scale = specs_[index].window.scale;
    int top = std::ilogb(std::max(spreads_[column].magnitude(), std::numeric_limits<double>::denorm_min())) + 1;
    for (;;) {
      const bool last = least >= std::ldexp(1.0, std::max(top - bits, -1074)) || bands.size() == SumWindow::most_bands;
      StateSpec band = specs_[index];
      band.below = bands.size() == 1 ? std::numeric_limits<double>::infinity() : std::ldexp(1.0, top);
      band.from = last ? 0 : std::ldexp(1.0, top - bits);
      band.window = SumWindow::below(top, rows_, bands.size() == 1 && spreads_[column].special, scale);
      specs_[bands.back()] = band;
      if (last) break;
      specs_.push_back(band);  // takes the next band's place
      bands.push_back(specs_.size() - 1);
      top -= bits;
    }
    for (Source& source : sources_)
      if (source.sums == std::vector<std::size_t>{index}) source.sums = bands;
  }
}

DType Plan::result_type(std::size_t request) const {
  const Request& wanted = requests_[request];
  if (wanted.statistic == Statistic::size) return DType::i64;
  const DType type = types_[wanted.column];
  if (is_sum(wanted.statistic) || is_spread(wanted.statistic)) {
    if (array::is_float(type)) return type;
    if (wanted.statistic != Statistic::sum) return DType::f64;
    return array::is_unsigned(type) ? DType::u64 : DType::i64;
  }
  if (wanted.statistic == Statistic::first || wanted.statistic == Statistic::last) return DType::i64;
  return type;
}

double Plan::rows_of(const Aggregated& groups, std::size_t group) const {
  const std::byte* states = groups.states[presence_].data();
  if (specs_[presence_].is_sum()) return reinterpret_cast<const ExactSum*>(states)[group].rows;
  return static_cast<double>(reinterpret_cast<const std::uint64_t*>(states)[group]);
}

void Plan::finish(const Aggregated& groups, std::size_t request, void* out) const {
  const Request& wanted = requests_[request];
  const Source& source = sources_[request];
  auto sum_at = [&](std::size_t spec, std::size_t group) {
    return reinterpret_cast<const ExactSum*>(groups.states[spec].data())[group];
  };
  dispatch(result_type(request), [&](auto type) {
    using T = typename decltype(type)::type;
    T* result = static_cast<T*>(out);
    if (!is_spread(wanted.statistic) && source.sums.empty() && wanted.statistic != Statistic::size) {
      const auto* words = reinterpret_cast<const std::uint64_t*>(groups.states[source.state].data());
      for (std::size_t group = 0; group < groups.count; ++group) result[group] = from_word<T>(words[group]);
      return;
    }
    std::vector<ExactSum> bands(source.sums.size());
    for (std::size_t group = 0; group < groups.count; ++group) {
      const double rows = rows_of(groups, group);
      double value = rows;
      if (!source.sums.empty()) {
        for (std::size_t i = 0; i < bands.size(); ++i) bands[i] = sum_at(source.sums[i], group);
        value = value_of(bands, specs_[source.sums[0]].window.scale);
        if (wanted.statistic == Statistic::mean) value /= rows;
      } else if (is_spread(wanted.statistic)) {
        const double deviation = value_of({{sum_at(source.deviation, group)}}, specs_[source.deviation].window.scale);
        const double square = value_of({{sum_at(source.square, group)}}, specs_[source.square].window.scale);
        const double rest = square - deviation * (deviation / rows);
        value = rows > wanted.ddof ? (rest < 0 ? 0 : rest) / (rows - wanted.ddof) : std::numeric_limits<double>::quiet_NaN();
        if (wanted.statistic == Statistic::std) value = std::sqrt(value);
      }
      result[group] = static_cast<T>(value);
    }
  });
}

}  // namespace atl::table
