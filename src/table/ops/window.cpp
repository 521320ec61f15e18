// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/ops/window.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "atoll/array/ops/iteration.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/table/kernel/window/places.hpp"
#include "kernel/window/states.hpp"
#include "ops/halo.hpp"
#include "ops/running.hpp"

namespace atl::table {
namespace {

using array::Array;
using array::Engine;

constexpr std::int64_t ordered_rows = 512;

/// This PE's rows and those around it that its windows reach.
class Around {
 public:
  Around(Engine& engine, const WindowSpec& spec, const Array& x, const Array& y, const Array& segments,
         const Array& times)
      : spec_(spec),
        total_(x->shape.size()),
        x_(engine, x),
        y_(engine, y),
        segments_(engine, segments),
        times_(engine, times) {}
  void close() {
    for (Halo* halo : {&x_, &y_, &segments_, &times_}) halo->close();
  }

  /// Segments and times of what the windows of rows [begin, end) reach.
  WindowRows bounds_of(std::int64_t begin, std::int64_t end) { return order_of(begin_of(begin), end_of(end - 1)); }
  /// The values, too.
  WindowRows of(std::int64_t begin, std::int64_t end) {
    WindowRows rows = bounds_of(begin, end);
    rows.x = x_.rows<double>(rows.first, rows.end());
    rows.y = y_.rows<double>(rows.first, rows.end());
    return rows;
  }

 private:
  WindowRows order_of(std::int64_t begin, std::int64_t end) {
    return {begin,
            end - begin,
            nullptr,
            nullptr,
            segments_.rows<std::int64_t>(begin, end),
            times_.rows<std::int64_t>(begin, end)};
  }
  /// The first row of a row's window, or one before it.
  std::int64_t begin_of(std::int64_t row) {
    if (spec_.frame == Frame::rows) return std::max<std::int64_t>(row - spec_.size, 0);
    for (std::int64_t step = 64;; step *= 4) {
      const std::int64_t begin = std::max<std::int64_t>(row - step, 0);
      if (begin == 0 || WindowBounds(spec_, order_of(begin, row + 1)).is_before(begin, row)) return begin;
    }
  }
  std::int64_t end_of(std::int64_t row) {
    if (!spec_.centred) return row + 1;
    if (spec_.frame == Frame::rows) return std::min(row + spec_.size, total_);
    for (std::int64_t step = 64;; step *= 4) {
      const std::int64_t end = std::min(row + step, total_);
      if (end == total_ || !WindowBounds(spec_, order_of(row, end)).is_within(end - 1, row)) return end;
    }
  }

  WindowSpec spec_;
  std::int64_t total_;
  Halo x_, y_, segments_, times_;
};

Array expanding(Engine& engine, const WindowSpec& spec, const Array& x, const Array& y, const Array& segments) {
  Array result = engine.make(array::DType::f64, x->shape);
  const double* xs = x->data<double>();
  const double* ys = y == nullptr ? nullptr : y->data<double>();
  auto* out = result->data<double>();
  with_state(spec.figure, [&]<class State>(State) {
    const auto add = [=](State& state, std::uint64_t i) { state.add(xs[i], ys == nullptr ? 0 : ys[i]); };
    run<State, State>(engine, *x, segments, add, add,
                      [&, out](const State& state, std::uint64_t i) { out[i] = state.figure(spec); });
  });
  return result;
}

}  // namespace

Array window(Engine& engine, WindowSpec spec, Array x, Array y, Array segments, Array times) {
  engine.begin_operation("window");
  const bool ordered =
      spec.figure == WindowFigure::quantile || spec.figure == WindowFigure::less || spec.figure == WindowFigure::same;
  if (spec.frame == Frame::expanding && !ordered) return expanding(engine, spec, x, y, segments);
  Array result = engine.make(array::DType::f64, x->shape);
  const std::int64_t begin = x->first_row(), end = begin + x->local_rows();
  const bool any = begin < end;
  const std::int64_t total = x->shape.size();
  array::Work work = engine.work();
  Around around(engine, spec, x, y, segments, times);

  std::int64_t widest = 1;
  engine.together([&] {
    if (any) widest = widest_window(work, spec, around.bounds_of(begin, end), begin, end);
  });
  for (const std::int64_t other : engine.allgather_value(widest)) widest = std::max(widest, other);
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::min(widest, total))));
  // Four granules: the overlap that narrow windows read twice is negligible then. Values that are numbered lie in the
  // first-level cache.
  const auto least = 4 * static_cast<std::int64_t>(array::granule_of(x->distribution, x->shape));
  const std::int64_t block = ordered ? std::max(ordered_rows, 4 * power) : std::max(least, power);
  engine.together([&] {
    if (!any) return;
    if (spec.figure == WindowFigure::quantile)
      return window_quantiles(work, spec, around.of(begin, end), begin, end, block, result->data<double>());
    if (ordered) return window_places(work, spec, around.of(begin, end), begin, end, block, result->data<double>());
    slide(work, spec, around.of(begin / block * block, end), begin, end, block, result->data<double>());
  });
  around.close();
  return result;
}

Array cumulate(Engine& engine, Array values, Array segments, Cumulation kind, bool skips_nan) {
  engine.begin_operation("scan");
  Array result = engine.make(values->dtype, values->shape);
  array::dispatch(values->dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const T* in = values->data<T>();
    T* out = result->data<T>();
    const auto with = [&]<class State>(State) {
      const auto add = [in](State& state, std::uint64_t i) { state.add(in[i]); };
      const auto put = [out](const State& state, std::uint64_t i) { out[i] = state.value; };
      if constexpr (std::is_floating_point_v<T>) {
        if (skips_nan) {
          const auto add_there = [in](State& state, std::uint64_t i) {
            state.add(in[i] == in[i] ? in[i] : State::start());
          };
          const auto put_there = [in, out](const State& state, std::uint64_t i) {
            out[i] = in[i] == in[i] ? state.value : in[i];
          };
          return run<State, State>(engine, *values, segments, add_there, add_there, put_there);
        }
      }
      run<State, State>(engine, *values, segments, add, add, put);
    };
    switch (kind) {
      case Cumulation::sum: return with(CumulationState<T, Cumulation::sum>{});
      case Cumulation::prod: return with(CumulationState<T, Cumulation::prod>{});
      case Cumulation::min: return with(CumulationState<T, Cumulation::min>{});
      case Cumulation::max: return with(CumulationState<T, Cumulation::max>{});
    }
  });
  return result;
}

Array decay(Engine& engine, DecaySpec spec, Array x, Array segments, Array times) {
  engine.begin_operation("window");
  Array result = engine.make(array::DType::f64, x->shape);
  const std::int64_t first_time = times == nullptr ? 0 : before(engine, *times);
  const double* xs = x->data<double>();
  const std::int64_t* ts = times == nullptr ? nullptr : times->data<std::int64_t>();
  auto* out = result->data<double>();
  const auto row = [&](std::uint64_t i) {
    const bool passes = xs[i] == xs[i] || spec.gaps == DecayGaps::count;
    if (ts == nullptr) return DecayRow{passes ? 1 - spec.alpha : 1, xs[i]};
    const std::int64_t last = i == 0 ? first_time : ts[i - 1];
    return DecayRow{std::exp2(-static_cast<double>(ts[i] - last) / spec.halflife), xs[i]};
  };
  const auto with = [&]<class State, class Running>(State, Running*) {
    const auto add = [&](auto& state, std::uint64_t i) { state.add(row(i), spec.alpha); };
    run<State, Running>(engine, *x, segments, add, add, [&](const Running& state, std::uint64_t i) {
      out[i] = decay_figure(spec, state.total(), state.count);
    });
  };
  if (spec.weights == DecayWeights::adjusted) with(AdjustedDecay{}, static_cast<AdjustedDecay*>(nullptr));
  else with(RecursiveDecay{}, static_cast<RunningRecursive*>(nullptr));
  return result;
}

Array group_places(Engine& engine, Array groups, std::int64_t count) {
  engine.begin_operation("window");
  Array result = engine.make(array::DType::i64, groups->shape);
  array::Work work = engine.work();
  std::optional<GroupPlaces> places;
  engine.together([&] {
    const std::span<const std::int64_t> mine(groups->data<std::int64_t>(),
                                             static_cast<std::size_t>(groups->local_rows()));
    ATOLL_VALIDATE(std::ranges::all_of(mine, [&](std::int64_t group) { return group >= 0 && group < count; }),
                   IndexError, "a group's number is not among {} groups", count);
    places.emplace(work, groups->data<std::int64_t>(), static_cast<std::size_t>(groups->local_rows()),
                   static_cast<std::size_t>(count));
  });
  // A group's rows are behind those of smaller groups, and behind its own on PEs before this one.
  std::vector<std::int64_t> first(static_cast<std::size_t>(count)), all(first.size());
  const auto counts = engine.allgather_vector(places->counts());
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe)
    for (std::size_t group = 0; group < all.size(); ++group) {
      if (pe < engine.pe()) first[group] += counts[pe][group];
      all[group] += counts[pe][group];
    }
  std::int64_t rows = 0;
  for (std::size_t group = 0; group < all.size(); ++group) {
    first[group] += rows;
    rows += all[group];
  }
  engine.interruptibly(groups->shape.size(),
                       [&] { places->write(work, std::move(first), result->data<std::int64_t>()); });
  return result;
}

}  // namespace atl::table
