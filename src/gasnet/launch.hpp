// SPDX-License-Identifier: Apache-2.0
// Programs that are started without a launcher, but for several ranks, as those of GASNet's smp conduit are.
#pragma once

#include "failure.hpp"

namespace atl::gasnet {

/// When GASNET_PSHM_NODES asks for several ranks and no launcher has started this process: replaces the program by
/// atoll-run, which starts it again on that many ranks. Returns otherwise.
void launch_ranks(Call call);

}  // namespace atl::gasnet
