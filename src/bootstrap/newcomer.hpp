// SPDX-License-Identifier: Apache-2.0
// Guests of a job of several nodes, as its processes come to know them.
#pragma once

#include "atoll/bootstrap/guests.hpp"

namespace atl::runtime {

/// A PE of this process may send to this guest from now on. Throws SetupError when it does not fit the job.
void admit(fabric::Job& job, const Newcomer& one);

}  // namespace atl::runtime
