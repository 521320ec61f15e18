// SPDX-License-Identifier: Apache-2.0
// What every way into a network is opened of.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <string_view>

#include "library.hpp"
#include "tcp/provider.hpp"

namespace atl::fabric::ofi {

/// In the order in which they are opened; they are closed the other way round.
struct Station {
  Owned<fid_fabric> fabric;
  Owned<fid_domain> domain;
  Owned<fid_av> peers;
  Owned<fid_cq> completions;
  Owned<fid_ep> endpoint;  ///< enabled, bound to the others
};

/// Opens all of it. Throws SetupError that says what could not be opened; `queue` is what completions are to be like,
/// `queue_words` what such a queue is called, `purpose` ends the sentences. The caller keeps the signals. Atoll's own
/// transport is opened for `identity`.
Station open_station(const fi_info& info, const tcp::Identity& identity, fi_cq_attr queue, std::string_view queue_words,
                     std::string_view purpose = "");

}  // namespace atl::fabric::ofi
