// SPDX-License-Identifier: Apache-2.0
// A connected socket as two streams of protected records. Outgoing data is copied into a buffer and sealed there,
// because the memory it comes from may change meanwhile; what comes is opened in a buffer before anybody looks at it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "atoll/base/protection.hpp"
#include "wire.hpp"

namespace atl::fabric::ofi::tcp {

class Stream {
 public:
  /// Owns the socket.
  Stream(int descriptor, const StreamKeys& out, const StreamKeys& in, Protection protection);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  int descriptor() const { return descriptor_; }

  /// Whether another record of any size fits.
  bool has_room() const { return room_ - out_end_ >= record_bytes(most_record); }
  /// Where the body of the next record is to be written, when there is room; then seal() it.
  std::byte* next_body() { return out_.get() + out_end_ + length_bytes; }
  void seal(std::size_t bytes);
  bool has_unsent() const { return out_begin_ != out_end_; }
  std::size_t unsent_bytes() const { return out_end_ - out_begin_; }
  // What follows returns 0, or a number of errno: the connection is broken. EBADMSG: somebody has changed what was
  // sent.

  /// Gives the kernel what it takes.
  int flush();
  /// Takes what has come, as far as there is room. `any` becomes whether that was something.
  int receive(bool& any);
  /// The body of the next record that has come whole, and is what the other side sent; empty: none.
  int next_record(std::span<const std::byte>& body);
  /// It has been looked at.
  void drop_record();

 private:
  static constexpr std::size_t length_bytes = sizeof(std::uint32_t);
  std::size_t record_bytes(std::size_t body) const { return length_bytes + body + tag_bytes_; }

  int descriptor_;
  std::size_t tag_bytes_;
  Seal sealing_, opening_;
  std::size_t room_;                        // of each buffer
  std::unique_ptr<std::byte[]> out_, in_;  // untouched pages cost nothing
  std::size_t out_begin_ = 0, out_end_ = 0, in_begin_ = 0, in_end_ = 0;
  std::size_t opened_bytes_ = 0;  // of the body at in_begin_; 0: it has not been opened
};

}  // namespace atl::fabric::ofi::tcp
