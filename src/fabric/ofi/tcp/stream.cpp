// SPDX-License-Identifier: Apache-2.0
#include "stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace atl::fabric::ofi::tcp {
namespace {

// Of each direction: more than is sealed for one call of the kernel, and little enough to stay in the cache.
constexpr std::size_t buffered_records = 4;

}  // namespace

Stream::Stream(int descriptor, const StreamKeys& out, const StreamKeys& in, Protection protection)
    : descriptor_(descriptor),
      tag_bytes_(protection == Protection::none ? 0 : Seal::tag_bytes),
      sealing_(out, protection),
      opening_(in, protection),
      room_(buffered_records * record_bytes(most_record)),
      out_(std::make_unique_for_overwrite<std::byte[]>(room_)),
      in_(std::make_unique_for_overwrite<std::byte[]>(room_)) {}

Stream::~Stream() { ::close(descriptor_); }

void Stream::seal(std::size_t bytes) {
  const Seal::Tag tag = sealing_.faster_tag(bytes);
  const auto length = static_cast<std::uint32_t>(bytes) | (tag == Seal::Tag::poly1305 ? poly1305_bit : 0);
  std::byte* body = next_body();
  std::memcpy(body - length_bytes, &length, length_bytes);
  sealing_.close(body, bytes, body + bytes, tag);
  out_end_ += record_bytes(bytes);
}

int Stream::flush() {
  while (out_begin_ != out_end_) {
    ssize_t sent = ::send(descriptor_, out_.get() + out_begin_, out_end_ - out_begin_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return errno == EPIPE ? ECONNRESET : errno;
    if (sent < 0) break;
    out_begin_ += static_cast<std::size_t>(sent);
  }
  sealing_.prepare();  // what was sent is on its way
  if (out_begin_ == out_end_) out_begin_ = out_end_ = 0;
  else if (out_begin_ >= room_ / 2) {
    std::memmove(out_.get(), out_.get() + out_begin_, out_end_ - out_begin_);
    out_end_ -= std::exchange(out_begin_, 0);
  }
  return 0;
}

int Stream::receive(bool& any) {
  any = false;
  if (room_ - in_end_ < record_bytes(most_record)) {
    std::memmove(in_.get(), in_.get() + in_begin_, in_end_ - in_begin_);
    in_end_ -= std::exchange(in_begin_, 0);
  }
  if (in_end_ == room_) return 0;
  ssize_t got = ::recv(descriptor_, in_.get() + in_end_, room_ - in_end_, MSG_DONTWAIT);
  if (got == 0) return ECONNRESET;
  if (got < 0 && errno != EAGAIN && errno != EINTR) return errno;
  if (got < 0) {
    opening_.prepare();  // there is nothing else to do
    return 0;
  }
  in_end_ += static_cast<std::size_t>(got);
  any = true;
  return 0;
}

int Stream::next_record(std::span<const std::byte>& body) {
  body = {};
  std::byte* at = in_.get() + in_begin_ + length_bytes;
  if (opened_bytes_ == 0) {
    if (in_end_ - in_begin_ < length_bytes) return 0;
    std::uint32_t length = 0;
    std::memcpy(&length, in_.get() + in_begin_, length_bytes);
    const auto tag = (length & poly1305_bit) != 0 ? Seal::Tag::poly1305 : Seal::Tag::gmac;
    length &= ~poly1305_bit;
    // The tag vouches for the length, too. Until it is here, nothing longer than a record is waited for.
    if (length == 0 || length > most_record) return EBADMSG;
    if (in_end_ - in_begin_ < record_bytes(length)) return 0;
    if (!opening_.open(at, length, at + length, tag)) return EBADMSG;
    opened_bytes_ = length;
  }
  body = {at, opened_bytes_};
  return 0;
}

void Stream::drop_record() {
  in_begin_ += record_bytes(std::exchange(opened_bytes_, 0));
  if (in_begin_ == in_end_) in_begin_ = in_end_ = 0;
}

}  // namespace atl::fabric::ofi::tcp
