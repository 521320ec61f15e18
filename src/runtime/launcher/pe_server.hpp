// SPDX-License-Identifier: Apache-2.0
// An agent's service to the PEs of its host: the other end of each PE's Bootstrap, and the table of what all PEs of the
// job have published. A PE's messages stay on its host; of an exchange the launcher sees one message per host.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../control/link.hpp"
#include "../control/order.hpp"
#include "descriptor.hpp"

namespace atl::runtime {

class PeServer {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_joined(std::uint32_t pe) = 0;
    /// All PEs of this host are in an exchange, and have published this since the last.
    virtual void on_exchange(const std::vector<PublishedEntry>& entries) = 0;
    virtual void on_abort(std::uint32_t pe, std::uint32_t status, const std::string& why) = 0;
    /// A PE does not reach another one any more.
    virtual void on_loss(std::uint32_t pe, std::uint32_t lost, const std::string& how) = 0;
    /// A PE reports how the program handles deaths.
    virtual void on_survival(std::uint32_t how) = 0;
    /// A PE's wait timed out, and all PEs of this host have arrived: answer_late() is to follow.
    virtual void on_late_hosts(std::uint32_t pe) = 0;
  };
  PeServer(const Order& order, Listener& listener);

  /// The PE's end of its connection.
  Descriptor open(std::uint32_t index);

  /// Adds what is to be polled; afterwards serve() takes the same part of the list.
  void watch(std::vector<pollfd>& list);
  void serve(const pollfd* list, std::size_t count);
  /// Takes what this PE had said before it ended.
  void serve(std::uint32_t index);
  void close(std::uint32_t index) { seats_[index].link.reset(); }

  /// What all PEs of the job have published: the exchange is over.
  void complete(const std::vector<PublishedEntry>& entries);
  void answer_late(std::uint32_t pe, const std::string& whom);
  /// That a PE has died, and how: every wait ends.
  void tell_failure(std::uint32_t pe, const std::string& host, const std::string& how);

  /// That the job goes on without a PE, or what the program does about deaths: as the launcher says it.
  void pass_on(const Frame& frame);

  /// Whether a PE of this host has asked for the job, and is therefore notified of failures.
  bool anybody_joined() const { return anybody_joined_; }
  bool has_finalized(std::uint32_t index) const { return seats_[index].finalized; }

 private:
  struct Seat {
    std::unique_ptr<Link> link;
    bool finalized = false;
    bool waiting = false;
    std::string key;  // whose values it wants when the exchange is over
  };
  void take(std::uint32_t index, const Frame& frame);
  void take_exchange(std::uint32_t index, Unpacker& reader);
  std::string found(std::uint32_t rank, const std::string& key) const;
  std::string late_pes() const;

  const Order& order_;
  Listener& listener_;
  std::vector<Seat> seats_;
  bool anybody_joined_ = false;
  std::vector<std::uint32_t> watched_;
  std::vector<PublishedEntry> published_;
  std::map<std::string, std::map<std::uint32_t, std::string>, std::less<>> table_;  // key, rank
};

}  // namespace atl::runtime
