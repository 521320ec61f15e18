// SPDX-License-Identifier: Apache-2.0
// Strings beside strings.
#pragma once

#include "atoll/array/kernel/work.hpp"
#include "atoll/table/kernel/text/view.hpp"

namespace atl::table {

/// The others are these, negated or with sides exchanged.
enum class Comparison : std::uint8_t { equal, less, less_equal };

/// out[i] = a[i] compared with b[i], by bytes, which is by code points; both of one length.
void compare_texts(const array::Work& work, const TextView& a, const TextView& b, Comparison comparison, bool* out);

}  // namespace atl::table
