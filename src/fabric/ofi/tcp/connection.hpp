// SPDX-License-Identifier: Apache-2.0
// One authenticated connection to a peer: messages, writes and reads as commands in a stream of records.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>

#include "resources.hpp"
#include "stream.hpp"
#include "wire.hpp"

namespace atl::fabric::ofi::tcp {

class Connection {
 public:
  static constexpr std::size_t most_parts = 4;

  /// One message or command to be sent: its parts, and where the data go.
  struct Outgoing {
    Command command{};
    std::array<Target, most_targets> targets{};
    std::array<iovec, most_parts> parts{};
    std::size_t part_count = 0;
    void* context = nullptr;  ///< null: no completion is wanted
    std::uint64_t flags = 0;  ///< of its completion
    enum class Until { copied, answered } until = Until::copied;
  };

  Connection(Resources& resources, std::unique_ptr<Stream> stream)
      : resources_(resources), stream_(std::move(stream)) {}

  int descriptor() const { return stream_->descriptor(); }
  /// Whether it takes another operation.
  bool has_room() const { return queue_.size() < most_queued; }
  /// Bytes wait for the kernel to take them.
  bool is_blocked() const { return stream_->has_unsent() || !queue_.empty(); }
  /// Whether received bytes wait because no receive is posted.
  bool is_stalled() const { return stalled_; }
  // What follows returns 0, or a number of errno: it is broken. EBADMSG: what came is not what the peer has sent.

  /// When there is room. `keeps`: whether its parts stay as they are until its completion; else they are copied.
  int send(const Outgoing& what, bool keeps);
  /// The parts of a read that was sent: where its data go.
  void expect_data(std::byte* to, std::size_t bytes, void* context) { reads_.push_back({to, bytes, context}); }
  /// Sends what waits.
  int pump();
  /// Takes what has come. `any` becomes whether anything has.
  int receive(bool& any);
  /// Sends what is left of that operation from a copy, and drops what comes for it.
  int release(void* context);
  /// All that is under way fails.
  void give_up(int error);

 private:
  static constexpr std::size_t most_queued = 256;

  struct Queued {
    Outgoing what;
    std::unique_ptr<std::byte[]> copy = nullptr;
    bool begun = false;
    std::size_t part = 0, done = 0;  // the next byte
  };
  struct Read {
    std::byte* to;  // null: cancelled, its data are discarded
    std::size_t bytes;
    void* context;
  };
  struct Piece {
    std::byte* to;  // null: dropped
    std::size_t bytes;
  };

  void seal_next();
  static void copy_rest(Queued& what);
  void finish(const Outgoing& what);
  int take_records();
  int take(std::span<const std::byte> body, bool& wait);
  int begin(std::span<const std::byte>& body, bool& wait);
  int begin_write(std::span<const std::byte> targets);
  int begin_read(std::span<const std::byte> targets);
  void end_command();

  Resources& resources_;
  std::unique_ptr<Stream> stream_;
  std::deque<Queued> queue_;
  std::size_t burst_ = 0;         // data sealed since the queue was empty: records and batches grow with it
  std::deque<void*> unanswered_;  // contexts of writes, in order
  std::deque<Read> reads_;        // in order
  std::uint64_t delivered_ = 0;   // writes of the peer's that it is to be told of
  bool stalled_ = false;
  // The command whose data come.
  Command incoming_{};
  std::array<Piece, most_targets> pieces_{};
  std::size_t piece_ = 0, piece_count_ = 0;
  std::uint64_t left_ = 0;
  void* receiving_ = nullptr;  // context of the receive that a message fills
};

}  // namespace atl::fabric::ofi::tcp
