// SPDX-License-Identifier: Apache-2.0
// RemotePath over a Simulation: one for each node.
#pragma once

#include "simulation.hpp"

namespace atl::fabric {

class SimulatedPath : public RemotePath {
 public:
  SimulatedPath(Simulation& simulation, std::uint32_t node) : simulation_(simulation), node_(node) {}

  void put(PeId pe, HeapOffset to, const void* from, std::size_t bytes) override;
  void put_nbi(PeId pe, HeapOffset to, const void* from, std::size_t bytes) override;
  void put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal, std::uint64_t value,
                  AtomicOp how) override;
  void deliver(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
               std::uint64_t value) override;
  void get(void* to, PeId pe, HeapOffset from, std::size_t bytes) override;
  void get_nbi(void* to, PeId pe, HeapOffset from, std::size_t bytes) override;
  std::uint64_t atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand,
                       std::uint64_t expected) override;
  void update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) override;
  std::size_t longest_message() const override { return message_bytes; }
  Status try_send(PeId pe, MessageLabel label, const MessageParts& parts) override;
  void post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) override;
  void ring(PeId pe) override;
  void fence() override { simulation_.fence(); }
  void quiet() override { simulation_.quiet(); }
  bool progress(const Inbox::Taker*) override;
  void tell(const News& news) noexcept override;
  bool has_left(PeId pe) override;

 private:
  std::unique_ptr<Parcel> parcel(Parcel::Kind kind, PeId to, HeapOffset at) const;
  static void fill(Parcel& parcel, const void* from, std::size_t bytes);

  Simulation& simulation_;
  std::uint32_t node_;
};

}  // namespace atl::fabric
