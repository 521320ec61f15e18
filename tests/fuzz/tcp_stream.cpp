// SPDX-License-Identifier: Apache-2.0
// What a peer sends on a connection of the TCP transport: records, commands, and data into receives and registered
// memory.
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "fabric/ofi/tcp/connection.hpp"
#include "target.hpp"

namespace {

using namespace atl::fabric::ofi::tcp;

/// Puts the input into records, as a peer that knows the keys could: each begins with its length (2 bytes).
std::vector<std::byte> records_of(atl::fuzz::Input& input) {
  std::vector<std::byte> stream;
  while (!input.rest().empty()) {
    const auto body = std::as_bytes(input.take(1 + input.below(most_record)));
    const auto length = static_cast<std::uint32_t>(body.size());
    const auto* head = reinterpret_cast<const std::byte*>(&length);
    stream.insert(stream.end(), head, head + sizeof(length));
    stream.insert(stream.end(), body.begin(), body.end());
  }
  return stream;
}

}  // namespace

ATOLL_FUZZ(tcp_stream) {
  atl::fuzz::Input input(bytes);
  const unsigned how = input.byte();
  int ends[2];
  atl::fuzz::expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "a pair of sockets");
  std::vector<std::byte> memory(256), readable(256), receives(how % 4 * 64), wanted(16);
  Resources resources;
  resources.regions.add({1, memory.data(), memory.size(), FI_REMOTE_WRITE});
  resources.regions.add({2, readable.data(), readable.size(), FI_REMOTE_READ});
  for (std::size_t at = 0; at < receives.size(); at += 64)
    resources.receives.push_back({receives.data() + at, 64, receives.data() + at});
  Connection connection(resources,
                        std::make_unique<Stream>(ends[0], atl::StreamKeys{}, atl::StreamKeys{}, atl::Protection::none));
  if (how & 4) {
    Connection::Outgoing read;
    read.command.action = Action::read;
    read.command.targets = 1;
    read.targets[0] = {0, wanted.size(), 7};
    connection.expect_data(wanted.data(), wanted.size(), wanted.data());
    (void)connection.send(read, false);
  }
  if (how & 8) {
    Connection::Outgoing write;
    write.command.action = Action::write;
    write.command.asks = 1;
    write.context = memory.data();
    write.until = Connection::Outgoing::Until::answered;
    (void)connection.send(write, false);
  }
  std::vector<std::byte> stream;
  if (how & 16) stream.assign(std::as_bytes(input.rest()).begin(), std::as_bytes(input.rest()).end());
  else stream = records_of(input);
  (void)!::send(ends[1], stream.data(), stream.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  int error = 0;
  for (bool any = true; any && error == 0;) {
    error = connection.receive(any);
    if (connection.is_stalled()) { resources.receives.push_back({memory.data(), 64, memory.data()}); }
    if (error == 0) error = connection.pump();
  }
  connection.give_up(ECONNRESET);
  ::close(ends[1]);
}
