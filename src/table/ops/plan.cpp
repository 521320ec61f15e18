// SPDX-License-Identifier: Apache-2.0
#include "ops/plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/table/kernel/words.hpp"

namespace atl::table {
namespace {

using array::dispatch;

constexpr std::size_t finish_share = 4096;  // groups worth a thread

bool is_sum(Statistic statistic) { return statistic == Statistic::sum || statistic == Statistic::mean; }
bool is_spread(Statistic statistic) { return statistic == Statistic::var || statistic == Statistic::std; }
/// Figures that are made of exact sums.
bool needs_window(const Request& request, DType type) {
  return is_spread(request.statistic) || request.statistic == Statistic::mean ||
         request.statistic == Statistic::count || (request.statistic == Statistic::sum && array::is_float(type));
}

Column local(const Array& array) { return {array->dtype, array->bytes()}; }

/// What each group's values add up to, over all bands.
class Pieces {
 public:
  Pieces(const Aggregated& groups, std::span<const StateSpec> specs, const std::vector<std::size_t>& bands)
      : groups_(groups), bands_(bands), sums_(bands.size()) {
    for (std::size_t band : bands) windows_.push_back(specs[band].window);
  }
  Summands of(std::size_t group) {
    rests_.clear();
    for (std::size_t i = 0; i < bands_.size(); ++i) {
      sums_[i] = reinterpret_cast<const ExactSum*>(groups_.states[bands_[i]].data())[group];
      if (!groups_.rests.empty()) add_rests(static_cast<std::uint32_t>(bands_[i]), groups_.keys[group]);
    }
    return {sums_, windows_, rests_};
  }

 private:
  void add_rests(std::uint32_t spec, std::uint64_t key) {
    const auto place = [](const Rest& rest) { return std::pair(rest.spec, rest.key); };
    const auto found = std::ranges::equal_range(groups_.rests, std::pair(spec, key), {}, place);
    for (const Rest& rest : found) rests_.push_back(rest.value);
  }
  const Aggregated& groups_;
  const std::vector<std::size_t>& bands_;
  std::vector<ExactSum> sums_;
  std::vector<SumWindow> windows_;
  std::vector<double> rests_;
};

}  // namespace

Plan::Plan(Engine& engine, const std::vector<Array>& values, const std::vector<Request>& requests, std::uint64_t rows)
    : requests_(requests), rows_(rows) {
  for (const Array& array : values) types_.push_back(array->dtype);
  std::vector<bool> wanted(values.size(), false);
  for (const Request& request : requests)
    if (request.statistic != Statistic::size && needs_window(request, types_[request.column]))
      wanted[request.column] = true;
  std::vector<Spread> mine(values.size(), Spread::none());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (wanted[i]) mine[i] = sample_spread(local(values[i]), static_cast<std::size_t>(values[i]->local_rows()));
  std::vector<Spread> spreads(values.size(), Spread::none());
  for (const auto& part : engine.allgather_vector(mine))
    for (std::size_t i = 0; i < part.size(); ++i) spreads[i].join(part[i]);
  auto spec_of = [&](StateKind kind, const Request& request) {
    StateSpec spec{kind, request.column, wide_of(types_[request.column])};
    spec.skips_nan = request.skips_nan;
    return spec;
  };
  // Some values are larger than those of the sample: four times as large fits. The answer does not depend on it.
  auto sum_spec = [&](StateKind kind, const Request& request) {
    const std::uint32_t column = request.column;
    StateSpec spec = spec_of(kind, request);
    const double largest = spreads[column].magnitude();
    int top = largest == 0 ? 0 : std::ilogb(largest) + 3;
    if (kind == StateKind::square) top *= 2;
    spec.window = SumWindow::below(std::clamp(top, -1074, 1024), rows_, spreads[column].special);
    return spec;
  };
  for (const Request& request : requests) {
    ATOLL_EXPECT(!request.skips_nan || array::is_float(types_[request.column]));
    Source source;
    const DType type = request.statistic == Statistic::size ? DType::i64 : types_[request.column];
    switch (request.statistic) {
      case Statistic::size: break;
      case Statistic::count:
      case Statistic::sum:
      case Statistic::mean:
        if (needs_window(request, type)) source.sums = {need(sum_spec(StateKind::sum, request))};
        else source.state = need({StateKind::total, request.column, wide_of(type)});
        break;
      case Statistic::var:
      case Statistic::std:
        source.sums = {need(sum_spec(StateKind::sum, request))};
        source.squares = {need(sum_spec(StateKind::square, request))};
        break;
      case Statistic::min: source.state = need(spec_of(StateKind::least, request)); break;
      case Statistic::max: source.state = need(spec_of(StateKind::greatest, request)); break;
      case Statistic::bit_and: source.state = need({StateKind::all_bits, request.column, wide_of(type)}); break;
      case Statistic::bit_or: source.state = need({StateKind::any_bits, request.column, wide_of(type)}); break;
      case Statistic::bit_xor: source.state = need({StateKind::odd_bits, request.column, wide_of(type)}); break;
      case Statistic::first: source.state = need({StateKind::first}); break;
      case Statistic::last: source.state = need({StateKind::last}); break;
    }
    sources_.push_back(std::move(source));
  }
  // Exact sums count their rows, too.
  const auto counting = std::find_if(specs_.begin(), specs_.end(),
                                     [](const StateSpec& spec) { return spec.is_sum() && !spec.skips_nan; });
  if (counting != specs_.end()) presence_ = static_cast<std::size_t>(counting - specs_.begin());
  else presence_ = need({StateKind::rows});
}

std::size_t Plan::need(const StateSpec& spec) {
  const bool by_column = spec.needs_column();
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].kind == spec.kind && (!by_column || specs_[i].column == spec.column) && specs_[i].from == spec.from &&
        specs_[i].skips_nan == spec.skips_nan)
      return i;
  specs_.push_back(spec);
  return specs_.size() - 1;
}

std::vector<std::size_t> Plan::add_bands(std::size_t spec, int top, double least, bool special) {
  // From the largest magnitudes down; the first band keeps the place of the one sum, and takes infinities and NaN.
  const int bits = SumWindow::band_bits(rows_);
  const StateSpec whole = specs_[spec];
  std::vector<std::size_t> bands{spec};
  for (;; top -= bits) {
    const bool first = bands.size() == 1;
    const bool last = least >= std::ldexp(1.0, std::max(top - bits, -1074)) || bands.size() == SumWindow::most_bands;
    StateSpec& band = specs_[bands.back()];
    band.below = first ? std::numeric_limits<double>::infinity() : std::ldexp(1.0, top);
    band.from = last ? 0 : std::ldexp(1.0, top - bits);
    band.window = SumWindow::below(top, rows_, first && special);
    if (last) return bands;
    specs_.push_back(whole);
    bands.push_back(specs_.size() - 1);
  }
}

void Plan::add_bands(Engine& engine, const std::vector<Array>& values) {
  const std::size_t known = specs_.size();
  for (std::size_t spec = 0; spec < known; ++spec) {
    if (!specs_[spec].is_sum()) continue;
    const Array& column = values[specs_[spec].column];
    const auto n = static_cast<std::size_t>(column->local_rows());
    Spread spread;
    double least = 0;
    engine.interruptibly(column->shape.size(), [&] {
      spread = spread_of(engine.work(), local(column), n);
      least = least_magnitude(engine.work(), local(column), n);
    });
    for (const Spread& other : engine.allgather_value(spread)) spread.join(other);
    for (double other : engine.allgather_value(least)) least = std::min(least, other);
    int top = spread.magnitude() == 0 ? 0 : std::ilogb(spread.magnitude()) + 1;
    if (specs_[spec].kind == StateKind::square) {
      top = std::min(2 * top, 1024);
      least = std::ldexp(least * least, -106);  // the last bit of its square
    }
    const std::vector<std::size_t> bands = add_bands(spec, top, least, spread.special);
    for (Source& source : sources_) {
      if (source.sums == std::vector{spec}) source.sums = bands;
      if (source.squares == std::vector{spec}) source.squares = bands;
    }
  }
}

DType Plan::result_type(std::size_t request) const {
  const Request& wanted = requests_[request];
  if (wanted.statistic == Statistic::size || wanted.statistic == Statistic::count) return DType::i64;
  const DType type = types_[wanted.column];
  if (is_sum(wanted.statistic) || is_spread(wanted.statistic)) {
    if (array::is_float(type)) return type;
    if (wanted.statistic != Statistic::sum) return DType::f64;
    return array::is_unsigned(type) ? DType::u64 : DType::i64;
  }
  if (wanted.statistic == Statistic::first || wanted.statistic == Statistic::last) return DType::i64;
  return type;
}

// How many rows the spec has counted, an exact sum or that of presence.
double Plan::rows_of(const Aggregated& groups, std::size_t spec, std::size_t group) const {
  const std::byte* states = groups.states[spec].data();
  if (specs_[spec].is_sum()) return static_cast<double>(reinterpret_cast<const ExactSum*>(states)[group].rows);
  return static_cast<double>(reinterpret_cast<const std::uint64_t*>(states)[group]);
}

void Plan::add_up(array::Work work, const Aggregated& groups) {
  std::map<std::vector<std::size_t>, unsigned> wanted;
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (is_sum(requests_[i].statistic) && !sources_[i].sums.empty()) ++wanted[sources_[i].sums];
  for (const auto& [sums, times] : wanted) {
    if (times == 1) continue;
    Buffer<double> totals(work.memory, groups.count);
    array::Polling(work).for_pieces(groups.count, finish_share,
                                    [&, &sums = sums](std::size_t begin, std::size_t end, unsigned) {
                                      add_up_range(groups, sums, begin, end, totals.data() + begin);
                                    });
    totals_[sums] = std::move(totals);
  }
}

void Plan::add_up_range(const Aggregated& groups, const std::vector<std::size_t>& sums, std::size_t begin,
                        std::size_t end, double* out) const {
  if (sums.size() == 1 && groups.rests.empty()) {
    values_of(reinterpret_cast<const ExactSum*>(groups.states[sums[0]].data()) + begin, end - begin,
              specs_[sums[0]].window, out);
    return;
  }
  Pieces pieces(groups, specs_, sums);
  for (std::size_t group = begin; group < end; ++group) out[group - begin] = value_of(pieces.of(group));
}

void Plan::finish(ThreadPool& threads, const Aggregated& groups, std::size_t request, void* out) const {
  threads.for_ranges(groups.count, finish_share, [&](std::size_t begin, std::size_t end, unsigned) {
    finish_range(groups, request, begin, end, out);
  });
}

void Plan::finish_range(const Aggregated& groups, std::size_t request, std::size_t begin, std::size_t end,
                        void* out) const {
  const Request& wanted = requests_[request];
  const Source& source = sources_[request];
  dispatch(result_type(request), [&](auto type) {
    using T = typename decltype(type)::type;
    T* result = static_cast<T*>(out);
    if (source.sums.empty() && wanted.statistic != Statistic::size) {
      const auto* words = reinterpret_cast<const std::uint64_t*>(groups.states[source.state].data());
      for (std::size_t group = begin; group < end; ++group) result[group] = from_word<T>(words[group]);
      return;
    }
    if (is_spread(wanted.statistic)) {
      Pieces sums(groups, specs_, source.sums), squares(groups, specs_, source.squares);
      for (std::size_t group = begin; group < end; ++group) {
        const double rows = rows_of(groups, source.sums[0], group);
        const double value = rows > wanted.ddof
                                 ? deviations_of(sums.of(group), squares.of(group)) / (rows - wanted.ddof)
                                 : std::numeric_limits<double>::quiet_NaN();
        result[group] = static_cast<T>(wanted.statistic == Statistic::std ? std::sqrt(value) : value);
      }
      return;
    }
    const auto known = totals_.find(source.sums);
    double added[block_rows];
    for (std::size_t at = begin; at < end; at += block_rows) {
      const std::size_t n = std::min(block_rows, end - at);
      const double* totals = added;
      if (source.sums.empty() || wanted.statistic == Statistic::count) {
      } else if (known != totals_.end()) totals = known->second.data() + at;
      else add_up_range(groups, source.sums, at, at + n, added);
      for (std::size_t i = 0; i < n; ++i) {
        switch (wanted.statistic) {
          case Statistic::sum: result[at + i] = static_cast<T>(totals[i]); break;
          case Statistic::mean:
            result[at + i] = static_cast<T>(totals[i] / rows_of(groups, source.sums[0], at + i));
            break;
          case Statistic::count: result[at + i] = static_cast<T>(rows_of(groups, source.sums[0], at + i)); break;
          default: result[at + i] = static_cast<T>(rows_of(groups, presence_, at + i)); break;
        }
      }
    }
  });
}

}  // namespace atl::table
