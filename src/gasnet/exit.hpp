// SPDX-License-Identifier: Apache-2.0
// How a rank ends, and the job with it.
#pragma once

#include "failure.hpp"

namespace atl::gasnet {

class Library;

/// From now on a return from main() is gasnet_exit() with its status.
void prepare_exit(Library& library);
/// gasnet_exit(): from any thread, also in handlers. Ranks that come to it together end together; where others do not
/// come within a second, the job ends without them.
[[noreturn]] void leave(Call call, int status);

}  // namespace atl::gasnet
