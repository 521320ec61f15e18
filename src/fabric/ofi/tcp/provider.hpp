// SPDX-License-Identifier: Apache-2.0
// Atoll's own TCP transport as a provider of libfabric's interface: what ofi/device.cpp uses of that, and no more. It
// takes the place of libfabric's tcp, which cannot tell members of the job from strangers.
#pragma once

#include <rdma/fabric.h>

#include "endpoint.hpp"

namespace atl::fabric::ofi::tcp {

/// Whether libfabric's provider of that name sends over TCP.
bool is_replaced(const char* provider);

/// Turns the description of such a provider into that of Atoll's own, over the same interface.
void describe(fi_info& info, Protection protection);
/// Whether it is one of those.
bool is_own(const fi_info& info);

/// Opens it: as fi_fabric, for an endpoint of this identity.
fid_fabric* open_fabric(const Identity& identity);

}  // namespace atl::fabric::ofi::tcp
