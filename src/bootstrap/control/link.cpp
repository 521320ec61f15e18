// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/control/link.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace atl::runtime {
namespace {

// What one call of receive() takes, so that one busy connection does not keep the others waiting.
constexpr std::size_t bite_bytes = std::size_t{256} << 10;
constexpr std::int64_t least_silence_ns = 3'000'000'000;
constexpr std::size_t record_length_bytes = 4, most_record = 65536;

}  // namespace

Link::Link(int descriptor, std::size_t longest) : descriptor_(descriptor), longest_(longest) {
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
  ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
  int on = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));  // refused by other than TCP, which needs none
}

Link::~Link() { ::close(descriptor_); }

void Link::send(FrameKind kind, std::string_view body) {
  if (!fault_.empty()) return;
  if (!sealing_) {
    outgoing_ += frame_header(kind, body.size());
    outgoing_ += body;
  } else {
    queue(frame_header(kind, body.size()).append(body));
  }
  flush();
}

void Link::protect(const StreamKeys& own, const StreamKeys& other, Protection protection) {
  if (protection == Protection::none) return;
  sealing_.emplace(own, protection);
  opening_.emplace(other, protection);
  sealed_ = incoming_.substr(parsed_);
  incoming_.clear();
  parsed_ = 0;
}

void Link::queue(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most_record))) {
    std::string_view part = bytes.substr(0, most_record);
    outgoing_ += Packer().number(static_cast<std::uint32_t>(part.size())).body();
    std::size_t at = outgoing_.size();
    outgoing_.append(part).resize(at + part.size() + Seal::tag_bytes);
    auto* body = reinterpret_cast<std::byte*>(outgoing_.data() + at);
    sealing_->close(body, part.size(), body + part.size());
  }
}

// False: what came is not what the other side has sent.
bool Link::open_records() {
  std::size_t at = 0;
  for (; sealed_.size() - at >= record_length_bytes;) {
    std::size_t length = Unpacker(std::string_view(sealed_).substr(at)).number();
    if (length == 0 || length > most_record) return false;
    if (sealed_.size() - at - record_length_bytes < length + Seal::tag_bytes) break;
    auto* body = reinterpret_cast<std::byte*>(sealed_.data() + at + record_length_bytes);
    if (!opening_->open(body, length, body + length)) return false;
    incoming_.append(reinterpret_cast<const char*>(body), length);
    at += record_length_bytes + length + Seal::tag_bytes;
  }
  sealed_.erase(0, at);
  return true;
}

void Link::flush() {
  while (sent_ < outgoing_.size()) {
    ssize_t sent = ::send(descriptor_, outgoing_.data() + sent_, outgoing_.size() - sent_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      // Broken: receive() will find the same, after earlier frames. Unsent data are dropped, as there is no reader.
      if (errno != EAGAIN) sent_ = outgoing_.size();
      break;
    }
    sent_ += static_cast<std::size_t>(sent);
  }
  if (sent_ == outgoing_.size() || sent_ > bite_bytes) {
    outgoing_.erase(0, sent_);
    sent_ = 0;
  }
}

bool Link::receive() {
  if (!fault_.empty()) return false;
  for (std::size_t taken = 0; taken < bite_bytes;) {
    char bytes[65536];
    ssize_t got = ::recv(descriptor_, bytes, sizeof(bytes), 0);
    if (got > 0) {
      taken += static_cast<std::size_t>(got);
      (opening_ ? sealed_ : incoming_).append(bytes, static_cast<std::size_t>(got));
      if (opening_ && !open_records()) {
        fault_ = "what came from it was changed on its way, or forged";
        return false;
      }
    } else if (got == 0) {
      fault_ = "it closed the connection";
      return false;
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno != EINTR) {
      fault_ = std::strerror(errno);
      return false;
    }
  }
  return true;
}

std::optional<Frame> Link::next() {
  std::string_view rest = std::string_view(incoming_).substr(parsed_);
  FrameHeader header;
  if (rest.size() >= frame_header_bytes) header = parse_frame_header(rest.substr(0, frame_header_bytes), longest_);
  if (rest.size() < frame_header_bytes || rest.size() - frame_header_bytes < header.body_bytes) {
    incoming_.erase(0, parsed_);
    parsed_ = 0;
    return std::nullopt;
  }
  parsed_ += frame_header_bytes + header.body_bytes;
  return Frame{header.kind, std::string(rest.substr(frame_header_bytes, header.body_bytes))};
}

void Link::keep_alive(std::int64_t limit_ns) {
  if (limit_ns == 0) return;
  // The kernel asks a few times within the limit, and counts in seconds.
  silence_limit_ns_ = std::max(limit_ns, least_silence_ns);
  int on = 1, seconds = static_cast<int>(std::clamp<std::int64_t>(limit_ns / 4'000'000'000, 1, 3600)), tries = 4;
  ::setsockopt(descriptor_, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof(tries));
}

// The kernel alone would send unacknowledged bytes again for a quarter of an hour.
bool Link::peer_is_gone() const {
  if (silence_limit_ns_ == 0) return false;
  tcp_info info{};
  socklen_t bytes = sizeof(info);
  if (::getsockopt(descriptor_, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return false;
  return std::int64_t{info.tcpi_last_ack_recv} * 1'000'000 > silence_limit_ns_;
}

void Link::close_sending() { ::shutdown(descriptor_, SHUT_WR); }

short Link::wanted_events() const { return static_cast<short>(unsent_bytes() == 0 ? POLLIN : POLLIN | POLLOUT); }

}  // namespace atl::runtime
