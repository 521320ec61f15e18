// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/control/address.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/base/raise.hpp"

namespace atl::runtime {
namespace {

using Resolved = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Resolved resolve(const std::string& name, std::uint16_t port, int flags, std::string& fault) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  int code = ::getaddrinfo(name.empty() ? nullptr : name.c_str(), fmt::format("{}", port).c_str(), &hints, &found);
  if (code != 0) fault = code == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(code);
  return {code == 0 ? found : nullptr, &::freeaddrinfo};
}

std::string numeric(const sockaddr* address, socklen_t bytes) {
  char text[NI_MAXHOST];
  return ::getnameinfo(address, bytes, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0 ? text : "?";
}

std::uint16_t port_in(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  if (address->sa_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return false;
}

struct Interface {
  std::string name;
  std::string address;
  bool loopback;
};

std::vector<Interface> interfaces() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) throw_errno("cannot list the network interfaces");
  std::vector<Interface> found;
  for (ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    // Only hosts of one cable know a link-local address, and only with their own interface's name.
    if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<sockaddr_in6*>(one->ifa_addr)->sin6_addr))
      continue;
    socklen_t bytes = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    found.push_back({one->ifa_name, numeric(one->ifa_addr, bytes), is_loopback(one->ifa_addr)});
  }
  ::freeifaddrs(list);
  return found;
}

}  // namespace

bool is_this_host(const std::string& name) {
  char own[HOST_NAME_MAX + 1] = {};
  if (::gethostname(own, sizeof(own) - 1) == 0 && name == own) return true;
  std::string fault;
  if (name == "localhost") return true;
  Resolved found = resolve(name, 0, AI_NUMERICHOST, fault);
  return found && is_loopback(found->ai_addr);
}

std::optional<std::string> address_towards(const std::string& host) {
  std::string fault;
  Resolved found = resolve(host, 9, 0, fault);  // any port: nothing is sent
  for (addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    int descriptor = ::socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) continue;
    sockaddr_storage own{};
    socklen_t bytes = sizeof(own);
    bool known = ::connect(descriptor, one->ai_addr, one->ai_addrlen) == 0 &&
                 ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &bytes) == 0;
    ::close(descriptor);
    if (known) return numeric(reinterpret_cast<sockaddr*>(&own), bytes);
  }
  return std::nullopt;
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> found;
  for (const Interface& one : interfaces())
    if (!one.loopback) found.push_back(one.address);
  return found;
}

std::string own_address(const std::string& wanted) {
  std::string fault, known;
  Resolved resolved = resolve(wanted, 0, 0, fault);
  std::string numbers = resolved ? numeric(resolved->ai_addr, resolved->ai_addrlen) : "";
  for (const Interface& one : interfaces()) {
    if (wanted == one.name || wanted == one.address || numbers == one.address) return one.address;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", one.address, one.name);
  }
  raise<ValueError>(fmt::format("--address '{}' is not an address of this host. It has: {}", wanted, known));
}

int listen_on(const std::string& address, std::uint16_t port) {
  std::string fault;
  // "::" hears IPv4 as well, where the kernel has IPv6 at all.
  for (const std::string& one : address.empty() ? std::vector<std::string>{"::", "0.0.0.0"} : std::vector{address}) {
    Resolved found = resolve(one, port, AI_NUMERICHOST, fault);
    int descriptor = found ? ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (descriptor < 0) {
      if (found) fault = std::strerror(errno);
      continue;
    }
    int on = 1, off = 0;
    ::setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (found->ai_family == AF_INET6) ::setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (::bind(descriptor, found->ai_addr, found->ai_addrlen) == 0 && ::listen(descriptor, 1024) == 0)
      return descriptor;
    fault = std::strerror(errno);
    ::close(descriptor);
  }
  raise<SetupError>(fmt::format("cannot listen on {}: {}. Choose another with --port or --address",
                                with_port(address.empty() ? "any address" : address, port), fault));
}

std::uint16_t port_of(int listener) {
  sockaddr_storage own{};
  socklen_t bytes = sizeof(own);
  if (::getsockname(listener, reinterpret_cast<sockaddr*>(&own), &bytes) != 0)
    throw_errno("cannot tell on which port we listen");
  return port_in(own);
}

int connect_to(const std::string& address, std::uint16_t port, Deadline deadline, const std::function<bool()>& go_on) {
  std::string fault = "no address";
  Resolved found = resolve(address, port, AI_NUMERICHOST, fault);
  for (addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    int descriptor = ::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
      fault = std::strerror(errno);
      continue;
    }
    int error = ::connect(descriptor, one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    while (error == EINPROGRESS && !deadline.passed() && go_on()) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(deadline.remaining_ns() / 1'000'000, 0, 1000)));
      socklen_t bytes = sizeof(error);
      if (ready.revents != 0) ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes);
    }
    if (error == 0) return descriptor;
    fault = error == EINPROGRESS ? "no answer" : std::strerror(error);
    ::close(descriptor);
  }
  raise<SetupError>(fault);
}

std::string with_port(const std::string& address, std::uint16_t port) {
  bool six = address.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", address, port) : fmt::format("{}:{}", address, port);
}

std::string peer_of(int descriptor) {
  sockaddr_storage other{};
  socklen_t bytes = sizeof(other);
  if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&other), &bytes) != 0) return "?";
  return with_port(numeric(reinterpret_cast<sockaddr*>(&other), bytes), port_in(other));
}

}  // namespace atl::runtime
