// SPDX-License-Identifier: Apache-2.0
#include "socket.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"

namespace atl::fabric::ofi::tcp {
namespace {

constexpr int most_waiting = 1024;

std::uint16_t port_limit(const char* name) {
  std::string text = config::launcher_variable(name);
  std::uint16_t port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port;
}

// Both families have it at the same place.
void set_port(sockaddr_storage& address, std::uint16_t port) {
  reinterpret_cast<sockaddr_in&>(address).sin_port = htons(port);
}

void send_at_once(int descriptor) {
  int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

}  // namespace

int listen_at(const void* address, std::size_t bytes, Address& bound) {
  sockaddr_storage own{};
  ATOLL_VALIDATE(address != nullptr && bytes <= sizeof(bound.socket), SetupError,
                 "an interface of the network has no TCP address that "
                 "Atoll knows. Choose another (ATOLL_FABRIC_INTERFACES)?");
  std::memcpy(&own, address, bytes);
  int listener = ::socket(own.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) throw_errno("cannot make a socket for other hosts (socket)");
  std::uint32_t low = port_limit("FI_TCP_PORT_LOW_RANGE"), high = port_limit("FI_TCP_PORT_HIGH_RANGE");
  if (low == 0 || high < low) low = high = 0;
  int status = -1;
  for (std::uint32_t port = low; port <= high && status != 0; ++port) {
    set_port(own, static_cast<std::uint16_t>(port));
    status = ::bind(listener, reinterpret_cast<const sockaddr*>(&own), static_cast<socklen_t>(bytes));
  }
  socklen_t length = sizeof(own);
  if (status != 0 || ::listen(listener, most_waiting) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&own), &length) != 0) {
    int why = errno;
    ::close(listener);
    raise<SetupError>(
        fmt::format("cannot listen for other hosts ({}). Are the ports taken (FI_TCP_PORT_LOW_RANGE, "
                    "FI_TCP_PORT_HIGH_RANGE), or is the interface the wrong one (ATOLL_FABRIC_INTERFACES)?",
                    std::strerror(why)));
  }
  std::memcpy(bound.socket, &own, length);
  bound.socket_bytes = length;
  return listener;
}

int start_connecting(const Address& to) {
  sockaddr_storage address{};
  if (to.socket_bytes > sizeof(to.socket)) return errno = EINVAL, -1;
  std::memcpy(&address, to.socket, to.socket_bytes);
  int descriptor = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  send_at_once(descriptor);
  if (::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), to.socket_bytes) == 0 || errno == EINPROGRESS)
    return descriptor;
  int why = errno;
  ::close(descriptor);
  errno = why;
  return -1;
}

int connected(int descriptor) {
  int error = 0;
  socklen_t bytes = sizeof(error);
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

int accept_from(int listener) {
  int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor >= 0) send_at_once(descriptor);
  return descriptor;
}

std::string peer_of(int descriptor) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof(address);
  char text[INET6_ADDRSTRLEN] = "?";
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return text;
  bool six = address.ss_family == AF_INET6;
  const void* host = six ? static_cast<const void*>(&reinterpret_cast<sockaddr_in6&>(address).sin6_addr)
                         : static_cast<const void*>(&reinterpret_cast<sockaddr_in&>(address).sin_addr);
  ::inet_ntop(address.ss_family, host, text, sizeof(text));
  std::uint16_t port = ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  return six ? fmt::format("[{}]:{}", text, port) : fmt::format("{}:{}", text, port);
}

}  // namespace atl::fabric::ofi::tcp
