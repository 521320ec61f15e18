// SPDX-License-Identifier: Apache-2.0
#include "atoll/sim/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "atoll/base/random.hpp"
#include "atoll/base/validate.hpp"

namespace atl::sim {
namespace {

using coll::PlanStep;
using Kind = PlanStep::Kind;
using Steps = std::vector<PlanStep>;

// Exchanges that are under way at once.
constexpr std::uint64_t window = 16;

std::uint32_t wrapped(std::uint64_t pe, std::uint32_t pes) { return static_cast<std::uint32_t>(pe % pes); }

void work(Steps& steps, Time ps) {
  if (ps != 0) steps.push_back({Kind::compute, 0, ps});
}

// A square of PEs, or the nearest that there is.
std::uint32_t side_of(std::uint32_t pes) {
  std::uint32_t side = 1;
  for (std::uint32_t one = 1; one * one <= pes; ++one)
    if (pes % one == 0) side = one;
  return pes / side;
}

// Both neighbours along each axis of a box of PEs; all faces at once.
void halo(const PatternOptions& options, std::uint32_t pe, Steps& steps) {
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::uint32_t rest = options.pes;
  for (std::uint32_t factor = 2; rest > 1; ++factor)
    for (; rest % factor == 0; rest /= factor) *std::min_element(size.begin(), size.end()) *= factor;
  work(steps, options.compute_ps);
  for (bool sends : {true, false})
    for (std::uint32_t axis = 0, stride = 1; axis < 3; stride *= size[axis++]) {
      if (size[axis] == 1) continue;
      const std::uint32_t at = pe / stride % size[axis];
      for (std::uint32_t step : {1u, size[axis] - 1}) {
        const std::uint32_t peer = pe - at * stride + (at + step) % size[axis] * stride;
        steps.push_back({sends ? Kind::send : Kind::recv, peer, options.bytes});
      }
    }
  steps.push_back({Kind::join, 0, 0});
}

// Two transposes: among the PEs of a row of the square, and of a column. Each is sent in pieces, while the next is
// computed.
void fft(const PatternOptions& options, std::uint32_t pe, Steps& steps, std::uint64_t pieces) {
  const std::uint32_t columns = side_of(options.pes), rows = options.pes / columns;
  for (bool along_row : {true, false}) {
    const std::uint32_t peers = along_row ? columns : rows, own = along_row ? pe % columns : pe / columns;
    const std::uint64_t bytes = std::max<std::uint64_t>(1, options.bytes / peers / pieces);
    auto peer_of = [&](std::uint32_t other) {
      return along_row ? pe / columns * columns + other : other * columns + pe % columns;
    };
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      work(steps, options.compute_ps / (2 * pieces));
      for (std::uint32_t i = 1; i < peers; ++i) steps.push_back({Kind::send, peer_of((own + i) % peers), bytes});
    }
    for (std::uint64_t piece = 0; piece < pieces; ++piece)
      for (std::uint32_t i = 1; i < peers; ++i)
        steps.push_back({Kind::recv, peer_of((own + peers - i) % peers), bytes});
    steps.push_back({Kind::join, 0, 0});
  }
}

// Samples are told round. Then each PE's part of every other's data crosses, once for each item: a sample sort has one,
// a radix sort one for each digit. Then it is put in order.
void sort(const PatternOptions& options, std::uint32_t pe, Steps& steps) {
  const std::uint32_t n = options.pes;
  work(steps, options.compute_ps / 2);
  for (std::uint32_t distance = 1; distance < n; distance *= 2) {
    steps.push_back({Kind::put, wrapped(pe + distance, n), 8 * std::min<std::uint64_t>(distance, 128)});
    steps.push_back({Kind::take, wrapped(pe + n - distance, n), 8 * std::min<std::uint64_t>(distance, 128)});
  }
  const std::uint64_t bytes = std::max<std::uint64_t>(1, options.bytes / n);
  for (std::uint64_t exchange = 0; exchange < options.items; ++exchange)
    for (std::uint32_t first = 1; first < n; first += window) {
      const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(n, first + window));
      work(steps, options.peer_ps * (last - first));
      for (std::uint32_t i = first; i < last; ++i) steps.push_back({Kind::send, wrapped(pe + i, n), bytes});
      for (std::uint32_t i = first; i < last; ++i) steps.push_back({Kind::recv, wrapped(pe + n - i, n), bytes});
      steps.push_back({Kind::join, 0, 0});
    }
  work(steps, options.compute_ps / 2);
}

// Requests to PEs at random distances, and their answers; one message for each element, or for each PE's.
void indexgather(const PatternOptions& options, std::uint32_t pe, Steps& steps, bool aggregated) {
  const std::uint32_t n = options.pes;
  if (n == 1) return;
  const std::uint64_t messages = aggregated ? std::min<std::uint64_t>(n - 1, options.items) : options.items;
  const std::uint64_t bytes = 8 * std::max<std::uint64_t>(1, options.items / messages);
  auto distance = [&](std::uint64_t i) {
    return static_cast<std::uint32_t>(1 +
                                      (aggregated ? i * ((n - 1) / messages) : to_bounded(random_bits(17, i), n - 1)));
  };
  work(steps, options.compute_ps);
  for (std::uint64_t first = 0; first < messages; first += window) {
    const std::uint64_t last = std::min(messages, first + window);
    for (std::uint64_t i = first; i < last; ++i) steps.push_back({Kind::put, wrapped(pe + distance(i), n), bytes});
    for (std::uint64_t i = first; i < last; ++i) {
      steps.push_back({Kind::take, wrapped(pe + n - distance(i), n), bytes});
      steps.push_back({Kind::put, wrapped(pe + n - distance(i), n), bytes});
    }
    for (std::uint64_t i = first; i < last; ++i) steps.push_back({Kind::take, wrapped(pe + distance(i), n), bytes});
  }
}

}  // namespace

std::vector<std::pair<std::string_view, std::vector<std::string_view>>> known_patterns() {
  return {{"halo", {"neighbours"}},
          {"fft", {"slabs", "packed"}},
          {"sort", {"exchange"}},
          {"indexgather", {"straight", "aggregated"}}};
}

bool is_pattern(std::string_view name) {
  const auto known = known_patterns();
  return std::any_of(known.begin(), known.end(), [&](const auto& one) { return one.first == name; });
}

std::string_view form_of(const PatternOptions& options) {
  for (const auto& [name, forms] : known_patterns()) {
    if (name != options.name) continue;
    if (options.form == "auto") return forms.front();
    std::string accepted;
    for (std::string_view form : forms) {
      if (form == options.form) return form;
      accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", form);
    }
    raise<ValueError>(fmt::format("{} has no form '{}'. Accepted: {}", name, options.form, accepted));
  }
  raise<ValueError>(fmt::format("'{}' is not a pattern", options.name));
}

Writer pattern(const PatternOptions& options) {
  ATOLL_VALIDATE(options.items >= 1, ValueError, "{}: 0 items: at least 1 is accepted", options.name);
  const std::string_view form = form_of(options);
  return [options, form](int rank, Steps& steps) {
    const auto pe = static_cast<std::uint32_t>(rank);
    steps.clear();
    if (options.name == "halo") halo(options, pe, steps);
    if (options.name == "fft") fft(options, pe, steps, form == "packed" ? 1 : options.items);
    if (options.name == "sort") sort(options, pe, steps);
    if (options.name == "indexgather") indexgather(options, pe, steps, form == "aggregated");
  };
}

}  // namespace atl::sim
