// SPDX-License-Identifier: Apache-2.0
// The families of operations on texts: a file each.
#pragma once

#include <span>

#include "atoll/table/kernel/text/call.hpp"

namespace atl::table {

std::span<const MeasureEntry> comparing_measures();
std::span<const MeasureEntry> class_measures();
std::span<const MeasureEntry> finding_measures();
std::span<const MeasureEntry> splitting_measures();
std::span<const MeasureEntry> regex_measures();
std::span<const MeasureEntry> number_measures();
std::span<const MeasureEntry> date_measures();

std::span<const TextMapEntry> case_maps();
std::span<const TextMapEntry> cutting_maps();
std::span<const TextMapEntry> making_maps();
std::span<const TextMapEntry> splitting_maps();
std::span<const TextMapEntry> regex_maps();
std::span<const TextMapEntry> wrapping_maps();
std::span<const TextMapEntry> codec_maps();

}  // namespace atl::table
