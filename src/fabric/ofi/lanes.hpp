// SPDX-License-Identifier: Apache-2.0
// A RemotePath of several endpoints, so that threads do not wait for one another. Each thread uses one of them for
// puts, gets and updates. Messages, posts, news and all operations of handlers use the first. When endpoints have
// different interfaces, long transfers are divided among them.
//
// Order. Operations of a thread stay in order, as on one endpoint: a thread that sends a message uses the first
// endpoint from then on. fence() and quiet() apply to the process: when several endpoints have been used, both wait for
// all of them.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "path.hpp"

namespace atl::fabric::ofi {

class Lanes final : public RemotePath, public Borrower, public Queueing, public Growing {
 public:
  /// At least two paths; the first `interfaces` of them (at least 1) have different interfaces.
  Lanes(std::vector<std::unique_ptr<Path>> paths, std::size_t interfaces);
  ~Lanes() override;

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
  void queue_put(PeId pe, HeapOffset to, const void* from, std::size_t bytes, QueuedCompletion* completion) override;
  void queue_put_signal(PeId pe, HeapOffset to, const void* from, std::size_t bytes, HeapOffset signal,
                        std::uint64_t value, AtomicOp how) override;
  void queue_get(void* to, PeId pe, HeapOffset from, std::size_t bytes, QueuedCompletion* completion) override;
  void queue_update(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand) override;
  void queue_atomic(AtomicOp op, unsigned width, PeId pe, HeapOffset at, std::uint64_t operand, std::uint64_t expected,
                    void* old) override;
  std::size_t longest_message() const override { return first().longest_message(); }
  Inbox* inbox() override { return first().inbox(); }
  Status try_send(PeId pe, MessageLabel label, const MessageParts& parts) override;
  void post(PeId self, PeId pe, std::uint16_t kind, std::span<const std::byte> payload) override;
  void ring(PeId pe) override;
  void fence() override;
  void quiet() override;
  void admit(PeId pe, const std::string& card) override {
    for (auto& path : paths_) path->admit(pe, card);
  }
  void dismiss(PeId pe) override {
    for (auto& path : paths_) path->dismiss(pe);
  }
  bool has_left(PeId pe) override { return first().has_left(pe); }
  bool progress(const Inbox::Taker* taker) override;
  void abandon() noexcept override;
  void stop_polling() override;
  void tell(const News& news) noexcept override { first().tell(news); }

 private:
  Path& first() const { return *paths_[0]; }
  std::size_t own();
  Path& own_path() { return *paths_[own()]; }
  Path& in_order();
  Path& for_messages();
  Path& turn_to_first();
  void settle();
  bool divides(std::size_t bytes) const {
    return interfaces_ > 1 && bytes >= 2 * least_part && !first().is_held_here();
  }
  template <class Start>
  void divide(std::size_t bytes, Start&& start);

  // Dividing shorter parts takes longer than sending them.
  static constexpr std::size_t least_part = std::size_t{256} << 10;

  std::vector<std::unique_ptr<Path>> paths_;
  std::size_t interfaces_;
  std::atomic<unsigned> looks_{0};  // number of polls with arrivals
  std::atomic<bool> several_{false};  // whether this process has used an endpoint other than the first
};

}  // namespace atl::fabric::ofi
