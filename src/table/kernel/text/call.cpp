// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/call.hpp"

#include <fmt/format.h>

#include "atoll/base/raise.hpp"
#include "kernel/text/families.hpp"

namespace atl::table {

Measure make_measure(const TextCall& call) {
  for (const auto& family : {comparing_measures(), class_measures(), finding_measures(), splitting_measures(),
                             regex_measures(), number_measures(), date_measures()})
    for (const MeasureEntry& entry : family)
      if (entry.name == call.name) return entry.make(call);
  raise<ValueError>(fmt::format("texts have no '{}'", call.name));
}

TextMap make_text_map(const TextCall& call) {
  for (const auto& family :
       {case_maps(), cutting_maps(), making_maps(), splitting_maps(), regex_maps(), wrapping_maps(), codec_maps()})
    for (const TextMapEntry& entry : family)
      if (entry.name == call.name) return entry.make(call);
  raise<ValueError>(fmt::format("texts have no '{}'", call.name));
}

}  // namespace atl::table
