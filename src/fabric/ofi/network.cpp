// SPDX-License-Identifier: Apache-2.0
// Joining the network: endpoints of our own, then everybody's cards.
#include "atoll/fabric/network.hpp"

#include <algorithm>
#include <cstring>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "interfaces.hpp"
#include "lanes.hpp"

namespace atl::fabric {
namespace ofi {
namespace {

// The `i`th of those that a process has sent.
Card read_card(std::uint32_t pe, const std::string& host, const std::string& bytes, std::size_t i) {
  Card card{};
  bool known = bytes.size() % sizeof(card) == 0 && bytes.size() > i * sizeof(card);
  if (known) std::memcpy(&card, bytes.data() + i * sizeof(card), sizeof(card));
  ATOLL_VALIDATE(known && card.magic != __builtin_bswap64(card_magic), SetupError,
                 "PE {} on {} has another byte order than this PE: Atoll's jobs need one", pe, host);
  ATOLL_VALIDATE(card.magic == card_magic && card.version == wire_version && card.address_bytes <= sizeof(card.address),
                 SetupError,
                 "PE {} on {} speaks another version of Atoll's network protocol ({} instead of {}). Use one version "
                 "on all nodes",
                 pe, host, card.version, wire_version);
  return card;
}

constexpr std::size_t most_by_itself = 4;

// As many as threads may use at once, and one for each interface.
std::size_t endpoints_of(const Job& job, std::size_t interfaces) {
  auto wanted = static_cast<std::size_t>(config::integer(config::Variable::fabric_endpoints));
  if (wanted == 0) wanted = std::clamp<std::size_t>(job.control().threads_per_pe, 1, most_by_itself);
  return std::max(wanted, interfaces);
}

class End final : public NetworkEnd {
 public:
  End(Job& job, PeId self) : job_(job), self_(self) {
    std::vector<Info> interfaces = interfaces_for(job.place_of(self));
    interfaces_ = interfaces.size();
    for (std::size_t i = 0; i < endpoints_of(job, interfaces_); ++i) {
      Info info(library().dupinfo(interfaces[i % interfaces_].get()));
      if (!info) throw MemoryError("no memory for the network's description");
      tcp::Identity identity{
          .pe = self.value(), .lane = static_cast<std::uint32_t>(i), .protection = network_protection()};
      devices_.push_back(
          std::make_unique<Device>(std::move(info), identity, job.segment(self), job.segment_bytes(), job.npes()));
      cards_.push_back(devices_.back()->card());
    }
  }

  std::string card() const override {
    return std::string(reinterpret_cast<const char*>(cards_.data()), cards_.size() * sizeof(Card));
  }

  void connect(const std::vector<std::string>& cards, std::vector<std::string> hosts) override {
    // Each endpoint talks to the one of its number: as many are used as all have.
    std::size_t count = cards_.size();
    for (const std::string& card : cards) count = std::min(count, std::max<std::size_t>(card.size() / sizeof(Card), 1));
    std::vector<std::unique_ptr<Path>> paths;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<RemoteMemory> peers = meet(i, cards, hosts);
      paths.push_back(std::make_unique<Path>(job_, self_, std::move(devices_[i]), std::move(peers), hosts,
                                             i == 0 ? Path::Role::first : Path::Role::further));
    }
    devices_.clear();
    if (count == 1) job_.connect(std::move(paths[0]));
    else job_.connect(std::make_unique<Lanes>(std::move(paths), std::min(interfaces_, count)));
  }

 private:
  // Tells endpoint `i` of all others of its number.
  std::vector<RemoteMemory> meet(std::size_t i, const std::vector<std::string>& cards,
                                 const std::vector<std::string>& hosts) {
    std::vector<RemoteMemory> peers(job_.npes());
    const std::string& host = hosts[self_.value()];
    const Card& own = cards_[i];
    for (std::uint32_t pe = 0; pe < job_.npes(); ++pe) {
      if (job_.is_local(PeId(pe))) continue;
      Card card = read_card(pe, hosts[pe], cards[pe], i);
      ATOLL_VALIDATE(
          std::string_view(card.provider) == own.provider, SetupError,
          "PE {} on {} uses the network by '{}', PE {} on {} by '{}'. Set ATOLL_NETWORK_SECURITY alike on all nodes, and "
          "ATOLL_FABRIC_PROVIDER to one that all have",
          self_.value(), host, own.provider, pe, hosts[pe], card.provider);
      ATOLL_VALIDATE(card.segment_bytes == own.segment_bytes, SetupError,
                     "PE {} on {} has a segment of {}, PE {} on {} one of {}. Set ATOLL_HEAP_SIZE alike on all nodes",
                     self_.value(), host, format_bytes(own.segment_bytes), pe, hosts[pe],
                     format_bytes(card.segment_bytes));
      fi_addr_t address = devices_[i]->add_peer(card);
      ATOLL_VALIDATE(
          address != FI_ADDR_UNSPEC, SetupError,
          "PE {} on {} has an address that the network of PE {} on {} cannot use. Name one interface to both: "
          "ATOLL_FABRIC_INTERFACES",
          pe, hosts[pe], self_.value(), host);
      bool reachable = card.has_rma == 1 && own.has_rma == 1, slots = card.has_slots == 1 && own.has_slots == 1;
      peers[pe] = {.address = address,
                   .tag = card.tag,
                   .reachable = reachable,
                   .has_slots = slots,
                   .base = card.segment_base,
                   .key = card.segment_key,
                   .slots_base = card.slots_base,
                   .slots_key = card.slots_key,
                   .longest_message = card.longest_message};
    }
    return peers;
  }

  Job& job_;
  PeId self_;
  std::size_t interfaces_ = 0;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<Card> cards_;
};

}  // namespace
}  // namespace ofi

std::unique_ptr<NetworkEnd> open_network(Job& job, PeId self) { return std::make_unique<ofi::End>(job, self); }

std::vector<std::string> network_interfaces() {
  std::vector<std::string> names;
  for (const ofi::Info& one : ofi::find_provider()) names.push_back(ofi::interface_name(*one));
  return names;
}

std::string describe_network() {
  try {
    std::uint32_t version = ofi::library().version();
    return fmt::format("libfabric {}.{}, {}", FI_MAJOR(version), FI_MINOR(version),
                       ofi::provider_name(*ofi::find_provider()[0]));
  } catch (const Error& error) { return fmt::format("none: {}", error.what()); }
}

}  // namespace atl::fabric
