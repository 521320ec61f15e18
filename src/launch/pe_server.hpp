// SPDX-License-Identifier: Apache-2.0
// An agent's service to the PEs of its host: the other end of each PE's Bootstrap, and the table of what all PEs of the
// job have published. A PE's messages stay on its host; of an exchange the launcher sees one message per host.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/bootstrap/control/link.hpp"
#include "atoll/fabric/job.hpp"
#include "descriptor.hpp"
#include "order.hpp"

namespace atl::runtime {

class PeServer {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_joined(std::uint32_t pe) = 0;
    /// All PEs of this host are in an exchange, and have published this since the last.
    virtual void on_exchange(std::vector<PublishedEntry> entries) = 0;
    virtual void on_abort(std::uint32_t pe, std::uint32_t status, const std::string& why) = 0;
    /// A PE does not reach another one any more.
    virtual void on_loss(std::uint32_t pe, std::uint32_t lost, const std::string& how) = 0;
    /// A PE reports how the program handles deaths.
    virtual void on_survival(std::uint32_t how) = 0;
    /// A PE asks for further processes: a GuestWish.
    virtual void on_spawn(std::uint32_t pe, std::string_view wish) = 0;
    /// A PE does not want these guests.
    virtual void on_give_up(std::uint32_t pe, std::uint32_t first, std::uint32_t count) = 0;
    /// A guest has come, with a card for all others.
    virtual void on_newcomer(std::uint32_t pe, const std::string& card) = 0;
    /// All PEs of this host know the newcomers whose first is `first`, or one objects.
    virtual void on_admitted(std::uint32_t first, const std::string& objection) = 0;
    /// A guest looks for the memory of its node, which is made for the first. Returns its join_name(). Throws Error.
    virtual std::string on_memory(const fabric::JobOptions& options) = 0;
    /// A PE's wait timed out, and all PEs of this host have arrived: answer_late() is to follow.
    virtual void on_late_hosts(std::uint32_t pe) = 0;
  };
  PeServer(const Order& order, Listener& listener);

  /// A seat for one more PE, a guest of the cohort whose first is `cohort`: the next index.
  void add(std::uint32_t pe, std::uint32_t cohort);
  std::uint32_t pe_of(std::uint32_t index) const { return seats_[index].pe; }
  /// None: it is not on this host.
  std::optional<std::uint32_t> index_of(std::uint32_t pe) const;
  /// The PE's end of its connection.
  Descriptor open(std::uint32_t index);

  /// Adds what is to be polled; afterwards serve() takes the same part of the list.
  void watch(std::vector<pollfd>& list);
  void serve(const pollfd* list, std::size_t count);
  /// Takes what this PE had said before it ended.
  void serve(std::uint32_t index);
  void serve_all();
  void close(std::uint32_t index);

  /// What all PEs of the job have published: the exchange is over.
  void complete(const std::vector<PublishedEntry>& entries);
  void answer_late(std::uint32_t pe, const std::string& whom);
  /// That all PEs of this host are about to be killed.
  void tell_ending();
  /// That a PE has died, and how: every wait ends.
  void tell_failure(std::uint32_t pe, const std::string& host, const std::string& how);

  /// Tells all PEs but those of that cohort of its guests, then on_admitted().
  void introduce(std::uint32_t cohort, std::vector<std::string> cards);
  /// Tells the guests of that cohort of all others, and that all others know them; `gone`: PEs that are not there any
  /// more.
  void admit(std::uint32_t cohort, const std::vector<std::uint32_t>& gone);
  /// To one PE.
  void send(std::uint32_t pe, FrameKind kind, std::string_view body);
  /// That the job goes on without a PE, or what the program does about deaths: as the launcher says it.
  void pass_on(const Frame& frame);

  /// Whether a PE of this host has asked for the job, and is therefore notified of failures.
  bool anybody_joined() const { return anybody_joined_; }
  bool has_finalized(std::uint32_t index) const { return seats_[index].finalized; }

 private:
  struct Seat {
    std::uint32_t pe = 0;
    std::optional<std::uint32_t> cohort = {};  // none: one of those that the job began with
    std::unique_ptr<Link> link = nullptr;
    bool joined = false;
    bool finalized = false;
    bool waiting = false;
    std::string key = {};  // whose values it wants when the exchange is over
  };
  void take(std::uint32_t index, const Frame& frame);
  void take_exchange(std::uint32_t index, Unpacker& reader);
  void take_confirmation(std::uint32_t index, std::uint32_t cohort, const std::string& objection);
  std::string values_of(const std::string& key) const;
  std::string found(std::uint32_t rank, const std::string& key) const;
  std::string find_memory(const fabric::JobOptions& options);
  std::string late_pes() const;

  const Order& order_;
  Listener& listener_;
  std::vector<Seat> seats_;
  bool anybody_joined_ = false;
  std::vector<std::uint32_t> watched_;
  std::vector<PublishedEntry> published_;
  std::map<std::string, std::map<std::uint32_t, std::string>, std::less<>> table_;  // key, rank
  std::vector<std::string> guests_;  // cards of the guests that have come, on all hosts, and are not known to be gone
  std::uint32_t introduced_ = 0;  // the cohort that PEs are to confirm
  std::set<std::uint32_t> unconfirmed_;  // seats that have not
};

}  // namespace atl::runtime
