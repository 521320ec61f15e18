// SPDX-License-Identifier: Apache-2.0
// Authentication of agents: each connection is accepted or refused with a reason; no wait is unbounded.
#include "atoll/bootstrap/control/handshake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "atoll/base/challenge.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/random.hpp"
#include "atoll/bootstrap/control/address.hpp"

namespace atl::runtime {
namespace {

using ::testing::HasSubstr;

struct Verdict {
  std::optional<std::uint32_t> host;
  std::string refusal;
  std::string agent_error;  // what greet_launcher threw
};

constexpr const char* loopback = "127.0.0.1";

// A launcher with `secret` and 3 hosts, and a client that connects after a few connections were dropped silently.
Verdict meet(const std::string& secret, const std::function<void(std::uint16_t port)>& caller, int dropped = 0) {
  int listener = listen_on(loopback, 0);
  Verdict verdict;
  std::thread other([&] {
    try {
      caller(port_of(listener));
    } catch (const Error& error) { verdict.agent_error = error.what(); }
  });
  int connection = -1;
  for (int round = 0; round <= dropped; ++round) {
    if (connection >= 0) ::close(connection);
    pollfd ready{listener, POLLIN, 0};
    EXPECT_GT(::poll(&ready, 1, 10'000), 0);
    connection = ::accept(listener, nullptr, nullptr);
  }
  {
    Greeting greeting(connection, peer_of(connection), secret, 3);
    EXPECT_THAT(greeting.peer(), HasSubstr("127.0.0.1:"));
    Deadline deadline = Deadline::after_seconds(10);
    while (!greeting.host() && greeting.refusal().empty() && !deadline.passed()) {
      pollfd input{connection, POLLIN, 0};
      if (::poll(&input, 1, 100) > 0) greeting.advance();
    }
    EXPECT_FALSE(deadline.passed());
    verdict.host = greeting.host();
    verdict.refusal = greeting.refusal();
  }
  other.join();
  ::close(listener);
  return verdict;
}

void agent(const std::string& secret, std::uint32_t host, std::uint16_t port) {
  (void)greet_launcher({loopback}, port, secret, host, Deadline::after_seconds(10));
}

std::string make_hello(std::uint32_t version, std::uint32_t host) {
  return Packer().raw("ATOLLRDV").number(version).number(host).raw(std::string(32, 'n')).body();
}

void send_raw(std::uint16_t port, const std::string& bytes) {
  int connection = connect_to(loopback, port, Deadline::after_seconds(10));
  EXPECT_EQ(::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  ::close(connection);
}

TEST(Handshake, AcceptsAnAgentThatKnowsTheSecret) {
  std::string secret = make_secret();
  EXPECT_EQ(secret.size(), 2 * secret_bytes);
  EXPECT_NE(secret, make_secret());
  for (std::uint32_t host : {0u, 2u}) {
    Verdict verdict = meet(secret, [&](std::uint16_t port) { agent(secret, host, port); });
    EXPECT_EQ(verdict.host, host) << verdict.refusal;
    EXPECT_EQ(verdict.agent_error, "");
  }
}

TEST(Handshake, AnAgentThatWasDroppedComesAgain) {
  std::string secret = make_secret();
  Verdict verdict = meet(secret, [&](std::uint16_t port) { agent(secret, 1, port); }, 3);
  EXPECT_EQ(verdict.host, 1u) << verdict.refusal;
  EXPECT_EQ(verdict.agent_error, "");
}

// The agent notices first: the launcher has to prove itself before the agent does.
TEST(Handshake, AnAgentOfAnotherJobStaysOut) {
  Verdict verdict = meet(make_secret(), [&](std::uint16_t port) { agent(make_secret(), 1, port); });
  EXPECT_EQ(verdict.host, std::nullopt);
  EXPECT_THAT(verdict.refusal, HasSubstr("before it had authenticated"));
  EXPECT_THAT(verdict.agent_error, HasSubstr("does not know the job's secret"));
}

// To a launcher that takes connections and never says a word.
TEST(Handshake, AnAgentGivesUpWhenItsParentEnds) {
  int listener = listen_on(loopback, 0), starter[2];
  ASSERT_EQ(::pipe(starter), 0);
  ::close(starter[1]);
  try {
    (void)greet_launcher({loopback}, port_of(listener), make_secret(), 0, Deadline::after_seconds(300), starter[0]);
    ADD_FAILURE() << "greeted";
  } catch (const SetupError& error) { EXPECT_THAT(error.what(), HasSubstr("the launcher had ended before")); }
  ::close(starter[0]);
  ::close(listener);
}

TEST(Handshake, AProofByGuessingIsRefused) {
  Verdict verdict = meet(make_secret(), [&](std::uint16_t port) {
    std::string hello = make_hello(rendezvous_version, 1), guess(32, 'x');
    send_raw(port, frame_header(FrameKind::hello, hello.size()) + hello + frame_header(FrameKind::proof, 32) + guess);
  });
  EXPECT_EQ(verdict.host, std::nullopt);
  EXPECT_EQ(verdict.refusal, "it does not know the job's secret");
}

// What an agent has proved to one launcher is worth nothing to another, nor a second time: the numbers are fresh.
TEST(Handshake, AProofCannotBeRepeated) {
  std::string secret = make_secret();
  std::string hello = make_hello(rendezvous_version, 1);
  std::string old = Challenge(secret, hello, std::string(36, 'm')).proof_of(Side::initiator);
  Verdict verdict = meet(secret, [&](std::uint16_t port) {
    send_raw(port, frame_header(FrameKind::hello, hello.size()) + hello + frame_header(FrameKind::proof, 32) + old);
  });
  EXPECT_EQ(verdict.refusal, "it does not know the job's secret");
}

TEST(Handshake, VersionsAndHostsHaveToFit) {
  const std::string versions =
      fmt::format("speaks version {} of the rendezvous, the launcher {}", rendezvous_version + 1, rendezvous_version);
  for (const auto& [version, host, said] :
       {std::tuple{rendezvous_version + 1, 1u, versions},
        std::tuple{rendezvous_version, 3u, std::string("it says that it is host 3 of 3")}}) {
    Verdict verdict = meet(make_secret(), [&, version = version, host = host](std::uint16_t port) {
      std::string hello = make_hello(version, host);
      send_raw(port, frame_header(FrameKind::hello, hello.size()) + hello);
    });
    EXPECT_EQ(verdict.host, std::nullopt);
    EXPECT_THAT(verdict.refusal, HasSubstr(said));
  }
}

TEST(Handshake, GarbageIsRefused) {
  std::string http = "GET / HTTP/1.1\r\nHost: atoll\r\n\r\n";
  std::string large = frame_header(FrameKind::hello, 1 << 20);
  std::string short_hello = frame_header(FrameKind::hello, 3) + "abc";
  std::string half = frame_header(FrameKind::hello, 48) + "ATOLL";
  for (const std::string& bytes : {http, large, short_hello, half, std::string(), std::string(3, '\0')}) {
    Verdict verdict = meet(make_secret(), [&](std::uint16_t port) { send_raw(port, bytes); });
    EXPECT_EQ(verdict.host, std::nullopt);
    EXPECT_NE(verdict.refusal, "");
  }
  constexpr std::uint64_t seed = 20261121;
  for (std::uint64_t round = 0; round < 50; ++round) {
    SequentialRandom random(seed + round);
    std::string bytes(random.below(300), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    Verdict verdict = meet(make_secret(), [&](std::uint16_t port) { send_raw(port, bytes); });
    EXPECT_EQ(verdict.host, std::nullopt) << "seed " << seed + round;
    EXPECT_NE(verdict.refusal, "") << "seed " << seed + round;
  }
}

TEST(Handshake, AnAgentDetectsAServerThatIsNotALauncher) {
  int listener = listen_on(loopback, 0);
  std::thread server([&] {
    for (const std::string& answer :
         {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), frame_header(FrameKind::welcome, 0),
          frame_header(FrameKind::challenge, 68) + std::string(68, 'x')}) {
      pollfd ready{listener, POLLIN, 0};
      EXPECT_GT(::poll(&ready, 1, 10'000), 0);
      int connection = ::accept(listener, nullptr, nullptr);
      EXPECT_EQ(::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answer.size()));
      char bytes[256];
      while (::recv(connection, bytes, sizeof(bytes), 0) > 0) {}
      ::close(connection);
    }
  });
  for (const char* said : {"speaks another protocol", "is not Atoll's launcher", "it is the launcher of another job"}) {
    try {
      agent(make_secret(), 0, port_of(listener));
      ADD_FAILURE() << "welcome";
    } catch (const SetupError& error) {
      EXPECT_THAT(error.what(), HasSubstr(said));
      EXPECT_THAT(error.what(), HasSubstr("--address"));
    }
  }
  server.join();
  ::close(listener);
}

TEST(Handshake, AllWaitsAreBounded) {
  int listener = listen_on(loopback, 0);  // accepts, and says nothing
  try {
    (void)greet_launcher({loopback}, port_of(listener), make_secret(), 0, Deadline::after_seconds(0.2));
    ADD_FAILURE() << "welcome";
  } catch (const SetupError& error) { EXPECT_THAT(error.what(), HasSubstr("does not answer")); }
  std::uint16_t port = port_of(listener);
  EXPECT_THROW(listen_on(loopback, port), SetupError);  // taken
  ::close(listener);
  try {
    (void)greet_launcher({loopback, "127.0.0.2"}, port, make_secret(), 0, Deadline::after_seconds(5));
    ADD_FAILURE() << "welcome";
  } catch (const SetupError& error) {  // each address, and why
    EXPECT_THAT(error.what(), HasSubstr(fmt::format(
                                  "127.0.0.1:{}: Connection refused; 127.0.0.2:{}: Connection refused", port, port)));
  }
}

}  // namespace
}  // namespace atl::runtime
