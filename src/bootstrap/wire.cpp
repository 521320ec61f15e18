// SPDX-License-Identifier: Apache-2.0
#include "wire.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"

namespace atl::runtime {
namespace {

// A line or a count beyond this is not ours.
constexpr std::size_t longest_message = std::size_t{1} << 28;

void await(int descriptor, short what, Deadline deadline, const std::string& whose) {
  for (;;) {
    std::int64_t left = deadline.remaining_ns();
    ATOLL_VALIDATE(left > 0, TimeoutError, "{} did not answer in time", whose);
    pollfd ready{descriptor, what, 0};
    int limit_ms = static_cast<int>(std::min<std::int64_t>(left / 1'000'000 + 1, 3'600'000));
    if (::poll(&ready, 1, limit_ms) > 0) return;
  }
}

}  // namespace

Wire::Wire(int descriptor, std::string whose) : descriptor_(descriptor), whose_(std::move(whose)) {
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
}

Wire::Wire(Wire&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      whose_(std::move(other.whose_)),
      buffer_(std::move(other.buffer_)) {}

Wire& Wire::operator=(Wire&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(whose_, other.whose_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

Wire::~Wire() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Wire::write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      await(descriptor_, POLLOUT, deadline, whose_);
    } else if (errno != EINTR) {
      throw_errno(fmt::format("{} is gone", whose_));
    }
  }
}

void Wire::fill(Deadline deadline) {
  char bytes[65536];
  for (;;) {
    ssize_t got = ::recv(descriptor_, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got > 0) {
      buffer_.append(bytes, static_cast<std::size_t>(got));
      return;
    }
    ATOLL_VALIDATE(got != 0, SetupError, "{} has closed the connection", whose_);
    if (errno == EAGAIN) await(descriptor_, POLLIN, deadline, whose_);
    else if (errno != EINTR) throw_errno(fmt::format("{} is gone", whose_));
  }
}

std::string Wire::read_line(Deadline deadline) {
  std::size_t end, seen = 0;
  while ((end = buffer_.find('\n', seen)) == std::string::npos) {
    seen = buffer_.size();
    ATOLL_VALIDATE(seen < longest_message, SetupError, "{} sends a line without end", whose_);
    fill(deadline);
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

std::string Wire::read_exactly(std::size_t bytes, Deadline deadline) {
  ATOLL_VALIDATE(bytes <= longest_message, SetupError, "{} announces {} bytes: it speaks another protocol", whose_,
                 bytes);
  while (buffer_.size() < bytes) fill(deadline);
  std::string found = buffer_.substr(0, bytes);
  buffer_.erase(0, bytes);
  return found;
}

}  // namespace atl::runtime
