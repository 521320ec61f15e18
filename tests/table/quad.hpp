// SPDX-License-Identifier: Apache-2.0
// A float with 113 bits of precision, in which tests add up exactly.
#pragma once

namespace atl::table {

#if defined(__x86_64__)
using Quad = __float128;
#else
using Quad = long double;  // of 113 bits on aarch64
static_assert(__LDBL_MANT_DIG__ == 113);
#endif

}  // namespace atl::table
