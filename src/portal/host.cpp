// SPDX-License-Identifier: Apache-2.0
// The interfaces of a PE, by number, and the dispatch of messages to them.
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "atoll/runtime/messenger.hpp"
#include "atoll/runtime/one_sided.hpp"
#include "state.hpp"

namespace atl::runtime {

struct PortalHost::Registry {
  explicit Registry(Context& context) : context(context), pe(context) {}

  Context& context;
  Parts pe;
  HandlerId handler{};
  SpinLock lock;  // held while a handler runs: closing an interface waits for it
  std::array<std::unique_ptr<PortalInterface>, most_interfaces> interfaces;

  void receive(PeId source, std::span<const std::byte> payload) {
    if (payload.size() < sizeof(portal::Answer)) return;
    auto number = static_cast<std::uint8_t>(payload[1]);
    SpinGuard guard(lock);
    PortalInterface* interface = number < most_interfaces ? interfaces[number].get() : nullptr;
    if (interface != nullptr) [[likely]]
      return interface->hear(source, payload);
    portal::Demand request;
    if (static_cast<portal::Kind>(payload[0]) != portal::Kind::request || !portal::read(payload, request)) return;
    if (request.cookie == UINT32_MAX || pe.one_sided.endpoint().has_left(source)) return;
    portal::Answer answer;
    answer.interface = number;
    answer.failure = Failure::undeliverable;
    answer.cookie = request.cookie;
    pe.messenger.send(source, handler, std::as_bytes(std::span(&answer, 1)));
  }
};

PortalHost::PortalHost(Context& context) : registry_(std::make_shared<Registry>(context)) {
  registry_->handler = registry_->pe.messenger.register_handler(
      [registry = registry_](Context&, PeId source, std::span<const std::byte> payload) {
        registry->receive(source, payload);
      });
}

PortalHost::~PortalHost() {
  for (std::uint8_t number = 0; number < most_interfaces; ++number) close(number);
}

PortalInterface& PortalHost::open(std::uint8_t number, std::uint32_t uid, const PortalLimits& limits) {
  ATOLL_EXPECT(number < most_interfaces && registry_->interfaces[number] == nullptr);
  auto made = std::make_unique<PortalInterface>(registry_->context, registry_->handler, number, uid, limits);
  SpinGuard guard(registry_->lock);
  registry_->interfaces[number] = std::move(made);
  return *registry_->interfaces[number];
}

void PortalHost::close(std::uint8_t number) {
  std::unique_ptr<PortalInterface> closed;
  SpinGuard guard(registry_->lock);
  closed = std::move(registry_->interfaces[number]);
}

PortalInterface* PortalHost::interface(std::uint8_t number) const { return registry_->interfaces[number].get(); }

}  // namespace atl::runtime
