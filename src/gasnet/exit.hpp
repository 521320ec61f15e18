// SPDX-License-Identifier: Apache-2.0
// The end of a rank and of the job.
#pragma once

#include "failure.hpp"

namespace atl::gasnet {

class Library;

/// Makes a return from main() equal to gasnet_exit() with its status.
void prepare_exit(Library& library);
/// gasnet_exit(): callable from any thread, also in handlers. Ranks that call it within a second of each other end
/// together; otherwise the job ends the remaining ranks.
[[noreturn]] void leave(Call call, int status);

}  // namespace atl::gasnet
