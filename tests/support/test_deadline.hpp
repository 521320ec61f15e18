// SPDX-License-Identifier: Apache-2.0
// The deadline of a wait that ends at once unless something is wrong.
#pragma once

#include "atoll/base/clock.hpp"

namespace atl {

/// A quarter of the time after which the watchdog ends a test: sanitizers and other work on the machine delay what a
/// test waits for by more than 10 s.
inline Deadline test_deadline() { return Deadline::after_seconds(ATOLL_TEST_SECONDS / 4.0); }

}  // namespace atl
