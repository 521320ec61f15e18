// SPDX-License-Identifier: Apache-2.0
#include "station.hpp"

#include <string>

namespace atl::fabric::ofi {

Station open_station(const fi_info& info, const tcp::Identity& identity, fi_cq_attr queue, std::string_view queue_words,
                     std::string_view purpose) {
  auto opened = [&](int status, std::string_view what) {
    check(status, info, std::string("cannot open ").append(what).append(purpose));
  };
  // libfabric does not change it, but does not say so.
  auto* asked = const_cast<fi_info*>(&info);
  Station station;
  fid_fabric* fabric = nullptr;
  if (tcp::is_own(info)) fabric = tcp::open_fabric(identity);
  else opened(library().fabric(info.fabric_attr, &fabric, nullptr), "it");
  station.fabric.reset(fabric);
  fid_domain* domain = nullptr;
  opened(::fi_domain(fabric, asked, &domain, nullptr), "a domain");
  station.domain.reset(domain);
  fi_av_attr table{};
  table.type = FI_AV_TABLE;
  fid_av* peers = nullptr;
  opened(::fi_av_open(domain, &table, &peers, nullptr), "a table of addresses");
  station.peers.reset(peers);
  fid_cq* completions = nullptr;
  opened(::fi_cq_open(domain, &queue, &completions, nullptr), queue_words);
  station.completions.reset(completions);
  fid_ep* endpoint = nullptr;
  opened(::fi_endpoint(domain, asked, &endpoint, nullptr), "an endpoint");
  station.endpoint.reset(endpoint);
  check(::fi_ep_bind(endpoint, &peers->fid, 0), info, "cannot bind addresses");
  check(::fi_ep_bind(endpoint, &completions->fid, FI_TRANSMIT | FI_RECV), info, "cannot bind completions");
  check(::fi_enable(endpoint), info, "cannot enable the endpoint");
  return station;
}

}  // namespace atl::fabric::ofi
