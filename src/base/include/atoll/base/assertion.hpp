// SPDX-License-Identifier: Apache-2.0
// Assertions of invariants: on in debug, CI and simulation.
#pragma once

namespace atl::detail {
[[noreturn]] void assertion_failed(const char* kind, const char* condition, const char* file, int line);
}

#ifdef ATOLL_CHECKS
#define ATOLL_CHECK_(kind, condition) \
  do { \
    if (!(condition)) [[unlikely]] \
      ::atl::detail::assertion_failed(kind, #condition, __FILE__, __LINE__); \
  } while (0)
#else
#define ATOLL_CHECK_(kind, condition) ((void)sizeof(bool(condition)))
#endif
#define ATOLL_EXPECT(condition) ATOLL_CHECK_("precondition", condition)
#define ATOLL_ASSERT(condition) ATOLL_CHECK_("assertion", condition)
#define ATOLL_ENSURE(condition) ATOLL_CHECK_("postcondition", condition)
