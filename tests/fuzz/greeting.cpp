// SPDX-License-Identifier: Apache-2.0
// The start of a connection of the TCP transport, on both sides: what a stranger sends to a PE that waits for others,
// and what answers a PE that connects.
#include <sys/socket.h>
#include <unistd.h>

#include "fabric/ofi/tcp/greeting.hpp"
#include "target.hpp"

namespace {

using namespace atl::fabric::ofi::tcp;

Greeting::Known known(const Hello& hello) {
  if (hello.source < 3) return {.secret = "secret", .refusal = {}, .stranger = false};
  return {.secret = {}, .refusal = "it is not a PE of this job"};
}

}  // namespace

ATOLL_FUZZ(greeting) {
  atl::fuzz::Input input(bytes);
  const bool responds = input.byte() % 2;
  int ends[2];
  atl::fuzz::expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "a pair of sockets");
  {
    Hello hello{};
    hello.magic = magic;
    Greeting greeting =
        responds ? Greeting(ends[0], known, atl::Deadline::never()) : Greeting(ends[0], hello, "secret");
    auto state = greeting.advance();
    while (!input.rest().empty() && state == Greeting::State::waiting) {
      const auto part = input.take(1 + input.below(128));
      (void)!::send(ends[1], part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      state = greeting.advance();
    }
    ::close(ends[1]);
    if (state == Greeting::State::waiting) state = greeting.advance();
    atl::fuzz::expect(state == Greeting::State::refused, "bytes that prove nothing are refused");
    atl::fuzz::expect(!greeting.reason().empty(), "a refusal has a reason");
  }
}
