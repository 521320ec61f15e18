// SPDX-License-Identifier: Apache-2.0
// The start of a connection: both sides prove that they are the PEs that they say (wire.hpp). Nothing but four messages
// of fixed size is read before, and nothing behind them, so that the stream begins where the greeting ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "atoll/base/challenge.hpp"
#include "atoll/base/clock.hpp"
#include "wire.hpp"

namespace atl::fabric::ofi::tcp {

class Greeting {
 public:
  enum class State {
    waiting,  ///< for the other side
    proved,  ///< the other side has, and an initiator is accepted: take_descriptor(), challenge(). A responder calls
             ///< accept() first
    refused,  ///< reason() says why
  };

  /// What the accepting side knows of the process that sent the hello: the common secret, or why to refuse it.
  struct Known {
    std::string secret;
    std::string refusal;
    bool stranger = true;  ///< it is refused because it cannot be of this job
  };
  using Ask = std::function<Known(const Hello&)>;

  /// A connection that has come, and has until then to prove what it is.
  Greeting(int descriptor, Ask ask, Deadline deadline);
  /// A connection to be made, on a socket that connects.
  Greeting(int descriptor, const Hello& hello, std::string secret);
  ~Greeting();
  Greeting(const Greeting&) = delete;
  Greeting& operator=(const Greeting&) = delete;

  /// Reads and sends what there is to.
  State advance();

  /// The responder tells the initiator that it uses this connection. False: it has gone.
  bool accept();

  Side side() const { return side_; }
  const Hello& hello() const { return hello_; }
  const Challenge& challenge() const { return *challenge_; }
  int descriptor() const { return descriptor_; }
  bool is_connected() const { return !connecting_; }
  int take_descriptor();
  const std::string& reason() const { return reason_; }
  /// Why the other side could not be reached, or closed the connection: a number of errno. 0: the peer is not the
  /// expected PE.
  int error() const { return error_; }
  bool stranger() const { return stranger_; }
  /// That side has had its time.
  bool late() const { return deadline_.passed(); }
  const std::string& peer() const { return peer_; }

 private:
  State refuse(std::string why, int error);
  std::optional<State> fill(std::size_t bytes);
  bool send(const void* bytes, std::size_t count);
  State take_hello();
  State take_proof();
  State take_answer();
  State take_acceptance();

  int descriptor_;
  Side side_;
  Ask ask_;
  Hello hello_{};
  std::string secret_;
  std::optional<Challenge> challenge_;
  bool connecting_ = false;
  std::string received_;
  std::string reason_;
  int error_ = 0;
  bool stranger_ = true;
  Deadline deadline_;
  std::string peer_;
};

}  // namespace atl::fabric::ofi::tcp
