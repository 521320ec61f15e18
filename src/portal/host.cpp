// SPDX-License-Identifier: Apache-2.0
// Which interface a message is for.
#include <cstring>

#include "atoll/base/assertion.hpp"
#include "state.hpp"

namespace atl::runtime {

struct PortalHost::Desk {
  explicit Desk(Context& context) : context(context) {}

  Context& context;
  HandlerId handler{};
  SpinLock lock;  // held while a handler runs: closing an interface waits for it
  std::array<std::unique_ptr<PortalInterface>, most_interfaces> interfaces;

  void hear(PeId source, std::span<const std::byte> payload) {
    if (payload.size() < sizeof(portal::Answer)) return;
    auto number = static_cast<std::uint8_t>(payload[1]);
    SpinGuard guard(lock);
    PortalInterface* interface = number < most_interfaces ? interfaces[number].get() : nullptr;
    if (interface != nullptr) [[likely]]
      return interface->hear(source, payload);
    portal::Demand request;
    if (static_cast<portal::Kind>(payload[0]) != portal::Kind::request || !portal::read(payload, request)) return;
    if (request.cookie == UINT32_MAX || context.endpoint().has_left(source)) return;
    portal::Answer answer;
    answer.interface = number;
    answer.failure = Failure::undeliverable;
    answer.cookie = request.cookie;
    context.send(source, handler, std::as_bytes(std::span(&answer, 1)));
  }
};

PortalHost::PortalHost(Context& context) : desk_(std::make_shared<Desk>(context)) {
  desk_->handler = context.register_handler(
      [desk = desk_](Context&, PeId source, std::span<const std::byte> payload) { desk->hear(source, payload); });
}

PortalHost::~PortalHost() {
  for (std::uint8_t number = 0; number < most_interfaces; ++number) close(number);
}

PortalInterface& PortalHost::open(std::uint8_t number, std::uint32_t uid, const PortalLimits& limits) {
  ATOLL_EXPECT(number < most_interfaces && desk_->interfaces[number] == nullptr);
  auto made = std::make_unique<PortalInterface>(desk_->context, desk_->handler, number, uid, limits);
  SpinGuard guard(desk_->lock);
  desk_->interfaces[number] = std::move(made);
  return *desk_->interfaces[number];
}

void PortalHost::close(std::uint8_t number) {
  std::unique_ptr<PortalInterface> closed;
  SpinGuard guard(desk_->lock);
  closed = std::move(desk_->interfaces[number]);
}

PortalInterface* PortalHost::interface(std::uint8_t number) const { return desk_->interfaces[number].get(); }

}  // namespace atl::runtime
