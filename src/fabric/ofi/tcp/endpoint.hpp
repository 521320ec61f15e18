// SPDX-License-Identifier: Apache-2.0
// One endpoint of Atoll's own TCP transport: its peers, a connection to each that is opened at first use, and what
// strangers at its door cost. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/protection.hpp"
#include "connection.hpp"
#include "greeting.hpp"
#include "resources.hpp"
#include "wire.hpp"

namespace atl::fabric::ofi::tcp {

/// What an endpoint is in its job.
struct Identity {
  std::uint32_t pe = 0;
  std::uint32_t lane = 0;  ///< which of the PE's endpoints
  Protection protection = Protection::auth;
  std::int64_t proof_limit_ns = 5'000'000'000;  ///< within which a connecting peer must prove its identity
};

class Endpoint {
 public:
  /// Listens at that address. Throws SetupError.
  Endpoint(const Identity& identity, const void* address, std::size_t address_bytes);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  Resources& resources() { return resources_; }
  const Address& address() const { return address_; }
  /// The number of that peer; those of PEs that are known are the same again.
  std::size_t add_peer(const Address& address);
  std::size_t peers() const { return peers_.size(); }
  // What follows returns 0, EAGAIN when there is no room or no connection yet, or why the peer cannot be reached: a
  // number of errno.

  int send(std::size_t peer, const Connection::Outgoing& what, bool keeps);
  int read(std::size_t peer, const Target& target, std::byte* to, void* context);
  /// That operation, if it is under way, does not touch the caller's memory any more, and completes nevertheless.
  void release(void* context) noexcept;

  /// Takes what has come and sends what waits, from and to whom it is quick to.
  void progress();
  /// Readable when there is something to do. Only after may_sleep() said so.
  int descriptor() const { return events_; }
  bool may_sleep();

 private:
  struct Peer {
    Address address;
    std::string secret;  // in common; empty: not yet computed
    std::unique_ptr<Connection> connection;
    std::uint64_t greeting = 0;     // the attempt to connect; 0: none
    std::int64_t again_at_ns = 0;   // when to try once more; 0: never tried
    std::int64_t give_up_at_ns = 0; // 0: no attempt has failed
    int backoff_ms = 1;
    bool watches_room = false;      // its socket is watched for room, too
    int error = 0;                  // why it cannot be reached
  };

  int watch(int descriptor, std::uint32_t events, std::uint64_t number, int operation);
  void look(int timeout_ms);
  void accept();
  Greeting::Known know(const Hello& hello);
  void connect(std::size_t peer);
  void advance(std::uint64_t number);
  void end_greeting(std::uint64_t number);
  bool prefers_another(const Peer& peer) const;
  void adopt(std::size_t peer, Greeting& greeting);
  void refuse(const Greeting& greeting);
  void fail_attempt(std::size_t peer, const Greeting& greeting);
  void lose(std::size_t peer, int error);
  void receive_rest(Connection& connection);
  template <class Action>
  int attempt(std::size_t peer, Action&& action);
  bool receive(std::size_t peer);
  void receive_stalled();
  void keep_time();
  const std::string& secret_of(Peer& peer);
  std::size_t find(std::uint32_t pe) const;

  Identity identity_;
  KeyPair keys_;
  Address address_{};
  Resources resources_;
  int listener_ = -1;
  int events_ = -1;  // an epoll
  std::vector<Peer> peers_;
  std::map<std::uint32_t, std::size_t> peer_of_pe_;
  std::vector<std::size_t> connected_;  // peers
  std::map<std::uint64_t, std::unique_ptr<Greeting>> greetings_;  // by number, oldest first
  std::uint64_t last_greeting_ = 0;
  std::size_t incoming_ = 0;  // of greetings_
  std::size_t blocked_ = 0;   // whether some connection may have bytes that the kernel did not take
  bool stalled_ = false;      // whether some connection may wait for a posted receive
  std::size_t hot_ = 0;       // the peer that something came from last
  unsigned looks_ = 0;
  std::uint64_t strangers_ = 0;
};

}  // namespace atl::fabric::ofi::tcp
