// SPDX-License-Identifier: Apache-2.0
// Validation of input and environment.
#pragma once

#include <fmt/format.h>

#include "atoll/base/raise.hpp"

/// Bad input or environment: always on. ATOLL_VALIDATE(n >= 0, ValueError, "negative size {}", n)
#define ATOLL_VALIDATE(condition, Exception, ...) \
  do { \
    if (!(condition)) [[unlikely]] \
      ::atl::raise<::atl::Exception>(::fmt::format(__VA_ARGS__)); \
  } while (0)
