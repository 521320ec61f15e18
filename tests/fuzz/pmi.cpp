// SPDX-License-Identifier: Apache-2.0
// What a launcher answers by PMI-1 and PMI-2, and the values of other processes in its table.
#include <sys/socket.h>
#include <unistd.h>

#include "atoll/base/error.hpp"
#include "bootstrap/kinds.hpp"
#include "bootstrap/table.hpp"
#include "target.hpp"

namespace {

using namespace atl::runtime;

void exchange(Bootstrap& bootstrap) {
  bootstrap.publish("key", "value");
  bootstrap.exchange(atl::Deadline::never());
  (void)bootstrap.lookup(1, "key");
  atl::fuzz::expect(bootstrap.allgather("all", "mine", atl::Deadline::never()).size() == bootstrap.size(),
                    "a value of each process");
  bootstrap.finalize();
}

}  // namespace

ATOLL_FUZZ(pmi) {
  atl::fuzz::Input input(bytes);
  const unsigned how = input.byte();
  try {
    if (how % 3 == 2) {
      (void)split_values(decode(input.text()));
      return;
    }
    int ends[2];
    atl::fuzz::expect(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "a pair of sockets");
    const auto answers = input.rest();
    (void)!::send(ends[1], answers.data(), answers.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    ::shutdown(ends[1], SHUT_WR);
    const PmiPlace place{.descriptor = ends[0], .rank = 0, .size = 3};
    struct Closed {
      int descriptor;
      ~Closed() { ::close(descriptor); }
    } other{ends[1]};
    exchange(how % 3 == 0 ? *make_pmi1(place) : *make_pmi2(place));
  } catch (const atl::SetupError&) {}
}
