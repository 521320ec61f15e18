// SPDX-License-Identifier: Apache-2.0
// Atoll's own TCP transport between two endpoints of a job, with somebody else on the network.
#ifdef ATOLL_HAS_LIBFABRIC
#include "members.hpp"

namespace atl::fabric::ofi {
namespace {

TEST_F(Members, TalkThroughAProxyThatChangesNothing) {
  intercept(unchanged);
  std::string text(10'000, 'x');
  send("short");
  send(text);
  EXPECT_TRUE(comes([&] { return one_->messages == std::vector<std::string>{"short", text}; }));
}

TEST_F(Members, EveryChangedByteOfARecordEndsTheConnection) {
  for (std::size_t at : {0u, 3u, 4u, 20u, 28u, 30u, 33u, 48u}) {  // length, command, message, tag
    SetUp();
    intercept([&](std::size_t number, std::string piece) {
      if (number == 3) piece[at] = static_cast<char>(piece[at] ^ 1);
      return piece;
    });
    send("first");
    send("other");
    send(std::string(16'000, 'x'));  // so that a length that has grown is there
    send(std::string(16'000, 'x'));
    send(std::string(16'000, 'x'));
    send(std::string(16'000, 'x'));
    send(std::string(16'000, 'x'));
    expect_end_after({"first"});
  }
}

TEST_F(Members, AChangedKindOfTagEndsTheConnection) {
  for (std::size_t bytes : {std::size_t{5}, std::size_t{10'000}}) {
    SetUp();
    intercept([](std::size_t number, std::string piece) {
      if (number == 3) piece[3] = static_cast<char>(piece[3] ^ 0x80);  // the highest bit of the length
      return piece;
    });
    send("first");
    send(std::string(bytes, 'x'));
    expect_end_after({"first"});
  }
}

TEST_F(Members, ARecordSentTwiceEndsTheConnection) {
  intercept([](std::size_t number, const std::string& piece) { return number == 2 ? piece + piece : piece; });
  send("first");
  expect_end_after({"first"});
}

TEST_F(Members, ALostRecordEndsTheConnection) {
  intercept([](std::size_t number, const std::string& piece) { return number == 3 ? std::string() : piece; });
  send("first");
  send("second");
  send("third!");
  expect_end_after({"first"});
}

TEST_F(Members, ExchangedRecordsEndTheConnection) {
  std::string kept;
  intercept([&](std::size_t number, const std::string& piece) {
    if (number == 2) kept = piece;
    return number == 2 ? std::string() : number == 3 ? piece + kept : piece;
  });
  send("first");
  send("other");
  expect_end_after({});
}

TEST_F(Members, AForgedRecordEndsTheConnection) {
  intercept([](std::size_t number, const std::string& piece) {
    return number == 3 ? piece.substr(0, 4) + std::string(piece.size() - 4, 'f') : piece;
  });
  send("first");
  send("second");
  expect_end_after({"first"});
}

TEST_F(Members, HalfARecordIsNoMessage) {
  intercept([&](std::size_t number, const std::string& piece) {
    return number == 3 ? piece.substr(0, piece.size() / 2) : piece;
  });
  send("first");
  send(std::string(10'000, 'x'));
  ASSERT_TRUE(comes([&] { return one_->messages.size() == 1; }));
  between_->cut();
  EXPECT_TRUE(comes([&] { return zero_->send("more", to_one_) == -FI_ECONNRESET; }));
  EXPECT_EQ(one_->messages, std::vector<std::string>{"first"});
  EXPECT_TRUE(one_->failed_peers.empty()) << "it is a broken connection, no forgery";
}

TEST_F(Members, AChangedProofIsRefused) {
  intercept([](std::size_t number, std::string piece) {
    if (number == 1) piece[7] = static_cast<char>(piece[7] ^ 1);
    return piece;
  });
  (void)zero_->send("first", to_one_);
  EXPECT_TRUE(comes([&] { return between_->is_ended(); }));
  EXPECT_EQ(zero_->send("first", to_one_), -FI_EAGAIN) << "PE 0 sent before it was accepted";
  EXPECT_TRUE(one_->messages.empty());
  EXPECT_TRUE(one_->failed_peers.empty());
}

TEST_F(Members, RejectForgedAnswers) {
  tcp::Address place = address_of(*one_);
  int listener = tcp::listen_at(place.socket, place.socket_bytes, place), connection = -1;
  to_one_ = introduce(*zero_, place);
  (void)zero_->send("first", to_one_);
  ASSERT_TRUE(comes([&] { return (connection = tcp::accept_from(listener)) >= 0; }));
  say(connection, std::string(sizeof(tcp::Answer), 'x'));
  EXPECT_TRUE(comes([&] { return zero_->send("first", to_one_) == -EKEYREJECTED; }));
  ::close(connection);
  ::close(listener);
}

TEST_F(Members, ARecordedConnectionIsWorthNothing) {
  intercept(unchanged);
  send("first");
  ASSERT_TRUE(comes([&] { return one_->messages.size() == 1; }));
  int stranger = connect_to(address_of(*one_));
  say(stranger, between_->recorded());
  char byte = 0;
  EXPECT_TRUE(comes([&] { return ::recv(stranger, &byte, 1, MSG_DONTWAIT) <= 0 && errno != EAGAIN; }))
      << "it is not closed";
  send("second");
  EXPECT_TRUE(comes([&] { return one_->messages == std::vector<std::string>{"first", "second"}; }));
  EXPECT_TRUE(one_->failed_peers.empty());
  ::close(stranger);
}

// To a PE that has no connection of that member yet, so that its hello is taken.
TEST_F(Members, ARecordedConnectionIsWorthNothingToAFreshEndpoint) {
  intercept(unchanged);
  send("first");
  ASSERT_TRUE(comes([&] { return one_->messages.size() == 1; }));
  Member again(1);
  (void)introduce(again, address_of(*zero_));
  int stranger = connect_to(address_of(again));
  say(stranger, between_->recorded());
  for (Deadline deadline = Deadline::after_ns(100'000'000); !deadline.passed();) again.look();
  EXPECT_TRUE(again.messages.empty());
  EXPECT_TRUE(again.failed_peers.empty());
  ::close(stranger);
}

TEST_F(Members, GarbageIsRefused) {
  constexpr std::uint64_t seed = 20261128;
  for (std::uint64_t round = 0; round < 50; ++round) {
    SequentialRandom random(seed + round);
    std::string bytes(1 + random.below(300), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    if (round % 2 == 0) std::memcpy(bytes.data(), &tcp::magic, std::min(sizeof(tcp::magic), bytes.size()));
    int stranger = connect_to(address_of(*one_));
    say(stranger, bytes);
    ::close(stranger);
    for (int i = 0; i < 20; ++i) look();
  }
  expect_members_talk();
}

TEST_F(Members, AreNotBlockedBySilentConnections) {
  std::vector<int> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(connect_to(address_of(*one_)));
  expect_members_talk();
  for (int one : silent) ::close(one);
}

bool is_closed(int descriptor) {
  char byte = 0;
  errno = 0;
  return ::recv(descriptor, &byte, 1, MSG_DONTWAIT) <= 0 && errno != EAGAIN;
}

// Connections that say nothing, half a hello, and a hello that no proof follows.
std::vector<int> connections_that_prove_nothing(const tcp::Address& to, const tcp::Hello& hello) {
  std::string text(reinterpret_cast<const char*>(&hello), sizeof(hello));
  std::vector<int> made;
  for (const std::string& said : {std::string(), text.substr(0, 30), text}) {
    made.push_back(connect_to(to));
    say(made.back(), said);
  }
  return made;
}

constexpr tcp::Hello hello_of_zero{.magic = tcp::magic,
                                   .version = tcp::version,
                                   .protection = static_cast<std::uint32_t>(Protection::auth),
                                   .source = 0,
                                   .target = 1,
                                   .lane = 0,
                                   .zero = 0,
                                   .nonce = {}};

TEST_F(Members, ConnectionsThatProveNothingInTimeAreClosed) {
  one_ =
      std::make_unique<Member>(tcp::Identity{.pe = 1, .proof_limit_ns = 0});  // the limit has passed at the next look
  (void)introduce(*one_, address_of(*zero_));
  for (int silent : connections_that_prove_nothing(address_of(*one_), hello_of_zero)) {
    // An answer may come first.
    EXPECT_TRUE(comes([&] { return is_closed(silent); }));
    ::close(silent);
  }
}

TEST_F(Members, ConnectionsThatProveNothingYetStay) {
  one_ = std::make_unique<Member>(tcp::Identity{.pe = 1, .proof_limit_ns = INT64_MAX / 2});
  (void)introduce(*one_, address_of(*zero_));
  std::vector<int> all = connections_that_prove_nothing(address_of(*one_), hello_of_zero);
  expect_members_talk();  // more than a look at each
  char answer[sizeof(tcp::Answer)];
  EXPECT_TRUE(comes([&] { return ::recv(all[2], answer, sizeof(answer), MSG_DONTWAIT) == sizeof(answer); }));
  for (int silent : all) {
    EXPECT_FALSE(is_closed(silent));
    ::close(silent);
  }
}

TEST_F(Members, RefuseAnotherKey) {
  Member impostor(0);
  fi_addr_t to_one = introduce(impostor, address_of(*one_));
  (void)impostor.send("forged", to_one);
  for (Deadline deadline = Deadline::after_ns(100'000'000); !deadline.passed(); look()) {
    EXPECT_NE(impostor.send("forged", to_one), 0);
    impostor.look();
  }
  EXPECT_TRUE(one_->messages.empty());
  expect_members_talk();
}

TEST_F(Members, RefuseAPeOutsideTheJob) {
  Member stranger(2);
  fi_addr_t to_one = introduce(stranger, address_of(*one_));
  for (Deadline deadline = Deadline::after_ns(100'000'000); !deadline.passed(); look()) {
    EXPECT_NE(stranger.send("forged", to_one), 0);
    stranger.look();
  }
  EXPECT_TRUE(one_->messages.empty());
  expect_members_talk();
}

// A send to it fails before what it has sent is read. There are more messages than posted receives.
TEST_F(Members, WhatAMemberSentBeforeItEndedArrives) {
  constexpr int more_than_the_kernel_takes = 8;
  connect_directly();
  send("hello");
  ASSERT_TRUE(comes([&] { return one_->messages.size() == 1; }));
  std::vector<std::string> sent{"hello"};
  for (int i = 0; i < 8; ++i) {
    sent.push_back(std::to_string(i));
    ASSERT_EQ(zero_->send(sent.back(), to_one_), 0);
    zero_->look();
  }
  const fi_addr_t to_zero = introduce(*one_, address_of(*zero_));
  zero_.reset();
  int status = 0;
  for (int i = 0; i < more_than_the_kernel_takes && status == 0; ++i) status = one_->send("answer", to_zero);
  EXPECT_EQ(status, -FI_ECONNRESET);
  for (int look = 0; look < 200; ++look) one_->look();
  EXPECT_EQ(one_->messages, sent);
}

TEST_F(Members, BothMayConnectAtOnce) {
  for (int round = 0; round < 20; ++round) {
    SetUp();
    connect_directly();
    bool zero_sent = false, one_sent = false;
    EXPECT_TRUE(comes([&] {
      zero_sent = zero_sent || zero_->send("from 0", to_one_) == 0;
      one_sent = one_sent || one_->send("from 1", 0) == 0;
      return zero_->messages == std::vector<std::string>{"from 1"} &&
             one_->messages == std::vector<std::string>{"from 0"};
    }));
  }
}

// Memory of a caller, which goes with its frame.
class CallersMemory {
 public:
  CallersMemory()
      : begin_(static_cast<std::byte*>(
            ::mmap(nullptr, segment_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    EXPECT_NE(begin_, MAP_FAILED);
  }
  ~CallersMemory() { EXPECT_EQ(::munmap(begin_, segment_bytes), 0); }
  CallersMemory(const CallersMemory&) = delete;
  CallersMemory& operator=(const CallersMemory&) = delete;
  std::byte* begin() const { return begin_; }

 private:
  std::byte* begin_;
};

// Transfers between PE 0's callers and the segment of PE 1, of more than sockets hold.
class Transfers : public Members {
 protected:
  static constexpr int count = 16;
  static_assert(count * segment_bytes > std::size_t{32} << 20);

  template <class Start>
  void start(Start&& begin) {
    connect_directly();
    send("connects");
    Card card = one_->device->card();
    RemoteMemory there{.address = to_one_, .reachable = true, .base = card.segment_base, .key = card.segment_key};
    for (int i = 0; i < count; ++i) {
      Operation& operation = zero_->device->take_transfer();
      operation.pending = &caller_;
      ASSERT_EQ(begin(operation, there), 0);
      ++caller_.left;
    }
  }
  void go() {
    abandoned_.left = std::exchange(caller_.left, 0);
    zero_->device->release([this](const Pending* counted_in) { return counted_in == &caller_; }, &abandoned_);
  }
  void expect_completions() {
    EXPECT_TRUE(comes([&] { return abandoned_.left == 0; }));
    EXPECT_EQ(zero_->completed, count + 1);
    EXPECT_EQ(zero_->failures, 0);
  }

  Pending caller_, abandoned_;
};

std::byte noise_at(std::size_t i) { return static_cast<std::byte>(i * 31 + i / 256); }

TEST_F(Transfers, WriteFromACopyWhenTheirCallersMemoryGoes) {
  {
    CallersMemory from;
    for (std::size_t i = 0; i < segment_bytes; ++i) from.begin()[i] = noise_at(i);
    start([&](Operation& operation, const RemoteMemory& there) {
      return zero_->device->write(from.begin(), segment_bytes, there, 0, Device::Until::reusable, operation);
    });
    ASSERT_NE(caller_.left, 0u);
    go();
  }
  expect_completions();
  EXPECT_TRUE(comes([&] { return one_->segment.back() == noise_at(segment_bytes - 1); }));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < segment_bytes; ++i) wrong += one_->segment[i] != noise_at(i);
  EXPECT_EQ(wrong, 0u);
  send("behind");
  EXPECT_TRUE(comes([&] { return one_->messages == std::vector<std::string>{"connects", "behind"}; }));
}

TEST_F(Transfers, ReadIntoNothingWhenTheirCallersMemoryGoes) {
  for (bool has_begun : {false, true}) {
    SetUp();
    std::fill(one_->segment.begin(), one_->segment.end(), std::byte{1});
    {
      CallersMemory to;
      start([&](Operation& operation, const RemoteMemory& there) {
        return zero_->device->read(to.begin(), segment_bytes, there, 0, operation);
      });
      EXPECT_TRUE(!has_begun || comes([&] { return to.begin()[0] != std::byte{0}; }));
      ASSERT_NE(caller_.left, 0u);
      go();
    }
    expect_completions();
    send("behind");
    EXPECT_TRUE(comes([&] { return one_->messages == std::vector<std::string>{"connects", "behind"}; }));
  }
}

}  // namespace
}  // namespace atl::fabric::ofi
#endif
