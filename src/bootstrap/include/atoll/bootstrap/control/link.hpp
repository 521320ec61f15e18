// SPDX-License-Identifier: Apache-2.0
// A connection of an event loop: frames go out and come in without ever blocking. Once it is protected, what goes is
// cut into records: | offset | bytes | field | valid when                   |
// |--------|-------|-------|------------------------------|
// |   0    |   4   | bytes | length of the body, 1 … 65,536 |
// |   4    | bytes | body  | part of the frames           |
// |  4 + bytes | 16 | tag  | of the body and its number   |
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "atoll/base/protection.hpp"
#include "atoll/bootstrap/control/frame.hpp"

namespace atl::runtime {

class Link {
 public:
  /// Owns the connected stream socket.
  explicit Link(int descriptor, std::size_t longest = longest_frame);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Queues a frame and writes what the kernel takes. On a broken connection nothing happens: receive() tells.
  void send(FrameKind kind, std::string_view body = {});
  /// After poll() said that the socket is writable.
  void flush();
  /// Reads what has come. False: the other side has closed, or the connection is broken; frames that came before it did
  /// are still there for next().
  bool receive();
  /// The next whole frame. Throws SetupError when what came is none.
  std::optional<Frame> next();

  /// Everything from now on is protected, both ways, with these keys of this side and of the other.
  void protect(const StreamKeys& own, const StreamKeys& other, Protection protection);

  /// Frames up to this size from now on.
  void allow(std::size_t longest) { longest_ = longest; }
  /// Has the kernel ask the other host's kernel for a sign of life whenever the connection is quiet. `limit_ns` 0:
  /// never.
  void keep_alive(std::int64_t limit_ns);
  /// True when the other host has not acknowledged anything for the limit given to keep_alive. A process that is
  /// stopped or busy there does not matter: its kernel answers.
  bool peer_is_gone() const;
  /// No more will be sent.
  void close_sending();

  int descriptor() const { return descriptor_; }
  short wanted_events() const;
  std::size_t unsent_bytes() const { return outgoing_.size() - sent_; }
  /// Why receive() gave false: "it closed the connection", "Connection reset by peer".
  const std::string& fault() const { return fault_; }

 private:
  int descriptor_;
  std::size_t longest_;
  std::int64_t silence_limit_ns_ = 0;
  void queue(std::string_view bytes);
  bool open_records();

  std::string outgoing_, incoming_;
  std::string sealed_;  // what has come and is not yet opened
  std::optional<Seal> sealing_, opening_;
  std::size_t sent_ = 0, parsed_ = 0;
  std::string fault_;
};

}  // namespace atl::runtime
