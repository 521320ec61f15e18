// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/date/map.hpp"

#include <fmt/format.h>

#include "atoll/base/validate.hpp"
#include "kernel/date/families.hpp"

namespace atl::table {

DateMap make_date_map(const TextCall& call) {
  ATOLL_VALIDATE(!call.numbers.empty() && call.numbers[0] > 0, ValueError, "'{}' of moments needs their unit",
                 call.name);
  for (const auto& family : {part_maps(), step_maps(), zone_maps(), business_maps()})
    for (const DateMapEntry& entry : family)
      if (entry.name == call.name) return entry.make(call);
  raise<ValueError>(fmt::format("moments have no '{}'", call.name));
}

}  // namespace atl::table
