// SPDX-License-Identifier: Apache-2.0
// Joining the network: an endpoint of our own, then everybody's cards.
#include "atoll/fabric/network.hpp"

#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "path.hpp"

namespace atl::fabric {
namespace ofi {
namespace {

Card read_card(std::uint32_t pe, const std::string& host, const std::string& bytes) {
  Card card{};
  bool known = bytes.size() == sizeof(card);
  if (known) std::memcpy(&card, bytes.data(), sizeof(card));
  ATOLL_VALIDATE(known && card.magic != __builtin_bswap64(card_magic), SetupError,
                 "PE {} on {} has another byte order than this PE: Atoll's jobs need one", pe, host);
  ATOLL_VALIDATE(card.magic == card_magic && card.version == wire_version && card.address_bytes <= sizeof(card.address),
                 SetupError, "PE {} on {} speaks another version of Atoll's network protocol ({} instead of {}). Use one version "
                 "on all nodes", pe, host, card.version, wire_version);
  return card;
}

class End final : public NetworkEnd {
 public:
  End(Job& job, PeId self)
      : job_(job), self_(self), device_(std::make_unique<Device>(job.segment(self), job.segment_bytes())), card_(device_->card()) {}

  std::string card() const override { return std::string(reinterpret_cast<const char*>(&card_), sizeof(card_)); }

  void connect(const std::vector<std::string>& cards, std::vector<std::string> hosts) override {
    std::vector<RemoteMemory> peers(job_.npes());
    const std::string& host = hosts[self_.value()];
    for (std::uint32_t pe = 0; pe < job_.npes(); ++pe) {
      if (job_.is_local(PeId(pe))) continue;
      Card card = read_card(pe, hosts[pe], cards[pe]);
      ATOLL_VALIDATE(std::string_view(card.provider) == card_.provider, SetupError,
                     "PE {} on {} uses the network by '{}', PE {} on {} by '{}'. Set ATOLL_FABRIC_PROVIDER to one that all nodes have",
                     self_.value(), host, card_.provider, pe, hosts[pe], card.provider);
      ATOLL_VALIDATE(card.segment_bytes == card_.segment_bytes, SetupError,
                     "PE {} on {} has a segment of {}, PE {} on {} one of {}. Set ATOLL_HEAP_SIZE alike on all nodes", self_.value(),
                     host, format_bytes(card_.segment_bytes), pe, hosts[pe], format_bytes(card.segment_bytes));
      fi_addr_t address = device_->add_peer(card);
      ATOLL_VALIDATE(address != FI_ADDR_UNSPEC, SetupError,
                     "PE {} on {} has an address that the network of PE {} on {} cannot use. Name one interface to both: FI_TCP_IFACE",
                     pe, hosts[pe], self_.value(), host);
      peers[pe] = {address, card.segment_base, card.segment_key, card.has_rma == 1 && card_.has_rma == 1};
    }
    job_.connect(std::make_unique<Path>(job_, self_, std::move(device_), std::move(peers), std::move(hosts)));
  }

 private:
  Job& job_;
  PeId self_;
  std::unique_ptr<Device> device_;
  Card card_;
};

}  // namespace
}  // namespace ofi

std::unique_ptr<NetworkEnd> open_network(Job& job, PeId self) { return std::make_unique<ofi::End>(job, self); }

std::string describe_network() {
  try {
    std::uint32_t version = ofi::library().version();
    return fmt::format("libfabric {}.{}, {}", FI_MAJOR(version), FI_MINOR(version), ofi::provider_name(*ofi::choose_provider()));
  } catch (const Error& error) {
    return fmt::format("none: {}", error.what());
  }
}

}  // namespace atl::fabric
