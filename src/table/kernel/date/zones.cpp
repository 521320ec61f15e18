// SPDX-License-Identifier: Apache-2.0
// Between UTC and the clocks of time zones.
#include "atoll/table/kernel/date/zone.hpp"

#include "kernel/date/families.hpp"

namespace atl::table {
namespace {

std::int64_t plus(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? no_time : sum;
}

Zone zone_of(const TextCall& call, std::size_t from) {
  return {std::span(call.numbers).subspan(from), std::max<std::int64_t>(call.numbers[0] / 86'400, 1)};
}

/// numbers: the zone. What its clock shows.
DateMap to_zone(const TextCall& call) {
  return {array::DType::i64, [zone = zone_of(call, 1)](const std::int64_t* values, std::size_t n, void* out) {
            std::size_t near = 0;
            for (std::size_t i = 0; i < n; ++i) {
              near = zone.interval(values[i], near);
              static_cast<std::int64_t*>(out)[i] = plus(values[i], zone.offset(near));
            }
          }};
}

enum class Twice { none, first, second };
enum class Never { none, forward, backward };

/// numbers: Twice, Never, the zone. When its clock shows that.
DateMap from_zone(const TextCall& call) {
  const Twice twice = static_cast<Twice>(call.numbers.at(1));
  const Never never = static_cast<Never>(call.numbers.at(2));
  return {array::DType::i64, [=, zone = zone_of(call, 3)](const std::int64_t* values, std::size_t n, void* out) {
            auto* results = static_cast<std::int64_t*>(out);
            std::size_t before = 0, after = 0;
            for (std::size_t i = 0; i < n; ++i) {
              const std::int64_t local = values[i];
              before = zone.interval_before(local, before);
              after = zone.interval_after(local, after);
              if (before == after) {
                results[i] = plus(local, -zone.offset(before));
              } else if (before < after) {  // shown twice
                results[i] =
                    twice == Twice::none ? no_time : plus(local, -zone.offset(twice == Twice::first ? before : after));
              } else {  // left out
                const std::int64_t change = zone.change(after);
                results[i] = never == Never::none ? no_time : never == Never::forward ? change : change - 1;
              }
            }
          }};
}

constexpr DateMapEntry entries[] = {{"to_zone", to_zone}, {"from_zone", from_zone}};

}  // namespace

std::span<const DateMapEntry> zone_maps() { return entries; }

}  // namespace atl::table
