// SPDX-License-Identifier: Apache-2.0
// How the launcher and an agent make sure of one another: both know the job's secret, and prove it without telling it
// (base/challenge.hpp). What follows the agent's proof is protected as the launcher says (ATOLL_NETWORK_SECURITY
// there), under keys of this connection alone.
//
// hello, agent to launcher:
// | offset | bytes | field   | valid when                        |
// |--------|-------|---------|-----------------------------------|
// |   0    |   8   | magic   | "ATOLLRDV"                        |
// |   8    |   4   | version | rendezvous_version                |
// |  12    |   4   | host    | index of the host: below the hosts of the job |
// |  16    |  32   | nonce   | random                            |
// challenge, launcher to agent:
// |   0    |   4   | protection | Protection: of what follows    |
// |   4    |  32   | nonce   | random                            |
// |  36    |  32   | proof   | Challenge::proof_of the responder; protection and nonce are its nonce |
// proof, agent to launcher:
// |   0    |  32   | proof   | Challenge::proof_of the initiator |
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "atoll/base/challenge.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/bootstrap/control/link.hpp"

namespace atl::runtime {

inline constexpr std::size_t secret_bytes = 32;
/// The job's secret, as 64 hexadecimal digits on one line: how it goes to an agent's standard input.
std::string make_secret();

/// The launcher's side, for one connection.
class Greeting {
 public:
  Greeting(int descriptor, std::string peer, const std::string& secret, std::uint32_t hosts);

  /// Call when the connection is readable, until there is a verdict.
  void advance();
  /// The host that has proved to be one of ours. Then take_link().
  std::optional<std::uint32_t> host() const { return verified_ ? std::optional(host_) : std::nullopt; }
  /// Why not: the connection is to be dropped, and this line said. Empty: not yet known.
  const std::string& refusal() const { return refusal_; }
  bool late() const { return deadline_.passed(); }
  /// It has not said anything that makes sense so far.
  bool silent() const { return !challenge_; }
  void refuse(const std::string& why);
  /// The same without telling the other side, which may come again.
  void drop(const std::string& why) { refusal_ = why; }
  std::unique_ptr<Link> take_link();
  const Link& link() const { return *link_; }
  const std::string& peer() const { return peer_; }

 private:
  void take(const Frame& frame);

  std::unique_ptr<Link> link_;
  std::string peer_;
  const std::string& secret_;
  std::uint32_t hosts_;
  Protection protection_;
  Deadline deadline_;
  std::string hello_;
  std::optional<Challenge> challenge_;  // once it has said hello
  std::uint32_t host_ = 0;
  bool verified_ = false;
  std::string refusal_;
};

/// The agent's side: connects to the first of `addresses` that answers and proves itself. Blocks until the deadline;
/// comes again, for about two seconds, where a connection is closed without an answer. Throws SetupError or
/// TimeoutError, naming the addresses and why each failed; SetupError also, within a second, when the end of the file
/// `starter` says that the process that started the agent has given it up. -1: there is no such file.
std::unique_ptr<Link> greet_launcher(const std::vector<std::string>& addresses, std::uint16_t port,
                                     const std::string& secret, std::uint32_t host, Deadline deadline,
                                     int starter = -1);

}  // namespace atl::runtime
