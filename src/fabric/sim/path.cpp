// SPDX-License-Identifier: Apache-2.0
#include "path.hpp"

#include <algorithm>

namespace atl::fabric {

std::unique_ptr<Parcel> SimulatedPath::parcel(Parcel::Kind kind, PeId to, HeapOffset at) const {
  auto made = std::make_unique<Parcel>();
  made->kind = kind;
  made->from = simulation_.acting();
  made->to = to;
  made->at = at;
  return made;
}

void SimulatedPath::fill(Parcel& parcel, const void* from, std::size_t bytes) {
  const auto* data = static_cast<const std::byte*>(from);
  parcel.data.assign(data, data + bytes);
  parcel.bytes = bytes;
}

void SimulatedPath::put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::put, pe, to);
  fill(*made, from, bytes);
  made->counted = true;
  simulation_.send(std::move(made), Simulation::Order::free);
}

void SimulatedPath::put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) {
  if (!simulation_.reads_late()) return put(pe, to, from, bytes);
  // Reads the source as late as permitted, which reveals programs that change it before quiet().
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::put, pe, to);
  made->late = from;
  made->bytes = bytes;
  made->counted = true;
  simulation_.send(std::move(made), Simulation::Order::free);
}

void SimulatedPath::put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                               std::uint64_t value, AtomicOp how) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::put, pe, to);
  fill(*made, from, bytes);
  made->counted = made->signals = true;
  made->signal = signal;
  made->value = value;
  made->op = how;
  simulation_.send(std::move(made), Simulation::Order::kept);
}

void SimulatedPath::deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                            std::uint64_t value) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::put, pe, to);
  fill(*made, from, bytes);
  made->signals = true;
  made->signal = signal;
  made->value = value;
  simulation_.send(std::move(made), Simulation::Order::kept);
}

void SimulatedPath::get(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::get, pe, from);
  made->into = to;
  made->bytes = bytes;
  simulation_.ask(std::move(made));
}

void SimulatedPath::get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::get, pe, from);
  made->into = to;
  made->bytes = bytes;
  made->counted = true;
  simulation_.send(std::move(made), Simulation::Order::free);
}

std::uint64_t SimulatedPath::atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                                    std::uint64_t expected) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::atomic, pe, at);
  made->op = op;
  made->width = static_cast<std::uint8_t>(width);
  made->value = operand;
  made->expected = expected;
  return simulation_.ask(std::move(made));
}

void SimulatedPath::update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::update, pe, at);
  made->op = op;
  made->width = static_cast<std::uint8_t>(width);
  made->value = operand;
  made->counted = true;
  simulation_.send(std::move(made), Simulation::Order::kept);
}

Status SimulatedPath::try_send(PeId pe, MessageLabel label, const MessageParts& parts) {
  if (!simulation_.takes_more(pe)) return Status::try_again;
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::message, pe, HeapOffset(0));
  made->label = label;
  made->bytes = parts.size();
  made->data.resize(parts.size());
  parts.copy_to(made->data.data());
  simulation_.send(std::move(made), Simulation::Order::kept);
  return Status::ok;
}

void SimulatedPath::post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) {
  simulation_.begin_operation();
  auto made = parcel(Parcel::Kind::post, pe, HeapOffset(0));
  made->from = self;
  made->label.kind = kind;
  fill(*made, payload.data(), payload.size());
  simulation_.send(std::move(made), Simulation::Order::kept);
}

void SimulatedPath::ring(PeId pe) {
  simulation_.begin_operation();
  simulation_.send(parcel(Parcel::Kind::ring, pe, HeapOffset(0)), Simulation::Order::kept);
}

bool SimulatedPath::progress(const Inbox::Taker*) {
  if (simulation_.push_waiting(simulation_.acting())) return true;
  simulation_.look_idle();
  return false;
}

void SimulatedPath::tell(const News& news) noexcept {
  for (std::uint32_t node = 0; node < simulation_.jobs().size(); ++node)
    if (node != node_) simulation_.jobs()[node]->hear(news);
}

bool SimulatedPath::has_left(PeId pe) {
  return simulation_.job_of(pe).record(pe).state.load(std::memory_order_relaxed) ==
         static_cast<std::uint32_t>(PeState::finalized);
}

}  // namespace atl::fabric
