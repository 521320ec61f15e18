// SPDX-License-Identifier: Apache-2.0
// What the launcher and the agents read from their sockets: the handshake of a stranger, frames, orders, and what PEs
// say to their agent.
#include <sys/socket.h>
#include <unistd.h>

#include "atoll/base/error.hpp"
#include "atoll/bootstrap/control/guest_order.hpp"
#include "atoll/bootstrap/control/handshake.hpp"
#include "atoll/bootstrap/control/link.hpp"
#include "launch/order.hpp"
#include "launch/pe_server.hpp"
#include "target.hpp"

namespace {

using namespace atl::runtime;

class SilentListener final : public PeServer::Listener {
 public:
  explicit SilentListener(const Order& order) : order_(order) {}
  void on_joined(std::uint32_t pe) override { check(pe); }
  void on_exchange(std::vector<PublishedEntry> entries) override { published = std::move(entries); }
  void on_abort(std::uint32_t pe, std::uint32_t, const std::string&) override { check(pe); }
  void on_loss(std::uint32_t pe, std::uint32_t, const std::string&) override { check(pe); }
  void on_survival(std::uint32_t) override {}
  void on_spawn(std::uint32_t pe, std::string_view wish) override {
    check(pe);
    try {
      (void)unpack_guest_wish(wish);
    } catch (const atl::SetupError&) {}
  }
  void on_give_up(std::uint32_t pe, std::uint32_t, std::uint32_t) override { check(pe); }
  void on_newcomer(std::uint32_t pe, const std::string& card) override {
    check(pe);
    try {
      (void)unpack_newcomer(card);
    } catch (const atl::SetupError&) {}
  }
  void on_admitted(std::uint32_t, const std::string&) override {}
  void on_late_hosts(std::uint32_t pe) override { check(pe); }
  std::string on_memory(const atl::fabric::JobOptions&) override { return {}; }
  std::vector<PublishedEntry> published;

 private:
  void check(std::uint32_t pe) const {
    atl::fuzz::expect(pe >= order_.first_pe && pe < order_.first_pe + order_.pes, "a message is of a PE of this host");
  }
  const Order& order_;
};

void write(int descriptor, std::span<const std::uint8_t> bytes) {
  (void)!::send(descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

struct Pair {
  int ours, theirs;
  Pair() {
    int ends[2];
    atl::fuzz::expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "a pair of sockets");
    ours = ends[0], theirs = ends[1];
  }
};

void shake_hands(std::span<const std::uint8_t> bytes) {
  const std::string secret = "secret";
  Pair pair;
  Greeting greeting(pair.ours, "a fuzzer", secret, 3);
  write(pair.theirs, bytes);
  greeting.advance();
  ::close(pair.theirs);
  greeting.advance();
}

void read_frames(std::span<const std::uint8_t> bytes) {
  Pair pair;
  Link link(pair.ours, 4096);
  write(pair.theirs, bytes);
  ::close(pair.theirs);
  try {
    while (link.receive()) continue;
    while (auto frame = link.next()) {
      atl::fuzz::expect(frame->body.size() <= 4096, "a frame is no longer than allowed");
      try {
        switch (Unpacker reader(frame->body); static_cast<unsigned>(frame->kind) % 3) {
          case 0: (void)reader.entries(); break;
          case 1: (void)reader.texts(); break;
          default: (void)reader.text(); reader.end();
        }
      } catch (const atl::SetupError&) {}
    }
  } catch (const atl::SetupError&) {}
}

void serve_pes(std::span<const std::uint8_t> bytes) {
  Order order{.first_pe = 2, .pes = 2, .npes = 5, .host = "here", .programs = {}};
  SilentListener listener(order);
  PeServer server(order, listener);
  const Descriptor one = server.open(0), other = server.open(1);
  write(one.number(), bytes.first(bytes.size() / 2));
  write(other.number(), bytes.subspan(bytes.size() / 2));
  for (int round = 0; round < 2; ++round) {
    server.serve(0);
    server.serve(1);
    server.complete(listener.published);
  }
}

}  // namespace

ATOLL_FUZZ(frames) {
  atl::fuzz::Input input(bytes);
  switch (input.byte() % 4) {
    case 0: return shake_hands(input.rest());
    case 1: return read_frames(input.rest());
    case 2: return serve_pes(input.rest());
    default:
      try {
        const Order order = unpack_order(input.text());
        atl::fuzz::expect(pack(order) == input.text(), "an order is packed as it came");
      } catch (const atl::SetupError&) {}
      try {
        const GuestOrder order = unpack_guest_order(input.text());
        atl::fuzz::expect(pack(order) == input.text(), "an order for guests is packed as it came");
      } catch (const atl::SetupError&) {}
  }
}
