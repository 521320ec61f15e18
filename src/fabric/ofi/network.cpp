// SPDX-License-Identifier: Apache-2.0
// Joining the network: endpoints of our own, then everybody's cards.
#include "atoll/fabric/network.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/raise.hpp"
#include "interfaces.hpp"
#include "lanes.hpp"

namespace atl::fabric {
namespace ofi {
namespace {

constexpr std::size_t most_by_itself = 4;

// As many as threads may use at once, and one for each interface.
std::size_t endpoints_of(const Job& job, std::size_t interfaces) {
  auto wanted = static_cast<std::size_t>(config::integer(config::Variable::fabric_endpoints));
  if (wanted == 0) wanted = std::clamp<std::size_t>(job.control().threads_per_pe, 1, most_by_itself);
  return std::max(wanted, interfaces);
}

// Each endpoint talks to the one of its number: as many are used as all PEs have. At most `most`.
std::size_t common_endpoints(const std::vector<std::string>& cards, std::size_t most) {
  for (const std::string& card : cards)
    if (!card.empty()) most = std::min(most, std::max<std::size_t>(card.size() / sizeof(Card), 1));
  return most;
}

class End final : public NetworkEnd {
 public:
  End(Job& job, PeId self, const std::vector<std::string>& cards) : job_(job), self_(self) {
    std::vector<Info> interfaces = interfaces_for(job.place_of(self));
    interfaces_ = interfaces.size();
    const std::size_t endpoints =
        cards.empty() ? endpoints_of(job, interfaces_) : common_endpoints(cards, cards[0].size() / sizeof(Card));
    for (std::size_t i = 0; i < endpoints; ++i) {
      Info info(library().dupinfo(interfaces[i % interfaces_].get()));
      if (!info) raise<MemoryError>("no memory for the network's description");
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

  void connect(const std::vector<std::string>& cards) override {
    const std::size_t count = common_endpoints(cards, cards_.size());
    std::vector<std::unique_ptr<Path>> paths;
    for (std::size_t i = 0; i < count; ++i)
      paths.push_back(std::make_unique<Path>(job_, self_, std::move(devices_[i]), cards, i));
    devices_.clear();
    if (count == 1) job_.connect(std::move(paths[0]));
    else job_.connect(std::make_unique<Lanes>(std::move(paths), std::min(interfaces_, count)));
  }

 private:
  Job& job_;
  PeId self_;
  std::size_t interfaces_ = 0;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<Card> cards_;
};

}  // namespace
}  // namespace ofi

std::unique_ptr<NetworkEnd> open_network(Job& job, PeId self, const std::vector<std::string>& cards) {
  return std::make_unique<ofi::End>(job, self, cards);
}

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
