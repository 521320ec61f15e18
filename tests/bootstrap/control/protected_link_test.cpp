// SPDX-License-Identifier: Apache-2.0
// A link whose bytes somebody between its ends may read, change, leave out, repeat and exchange.
#include "atoll/bootstrap/control/link.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

#include "atoll/base/challenge.hpp"

namespace atl::runtime {
namespace {

class ProtectedLink : public ::testing::TestWithParam<Protection> {
 protected:
  ProtectedLink() : challenge_("secret", "hello", random_bytes(nonce_bytes)) {
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, left_.data()), 0);
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, right_.data()), 0);
    sender_.emplace(left_[0]);
    receiver_.emplace(right_[0]);
    sender_->protect(challenge_.keys_of(Side::initiator), challenge_.keys_of(Side::responder), GetParam());
    receiver_->protect(challenge_.keys_of(Side::responder), challenge_.keys_of(Side::initiator), GetParam());
  }
  ~ProtectedLink() override {
    ::close(left_[1]);
    ::close(right_[1]);
  }
  // What the sender has sent.
  std::string intercept() {
    std::string bytes(1 << 20, '\0');
    ssize_t got = ::recv(left_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }
  bool deliver(const std::string& bytes) {
    EXPECT_EQ(::send(right_[1], bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT),
              static_cast<ssize_t>(bytes.size()));
    return receiver_->receive();
  }
  std::string record_of(const std::string& body) {
    sender_->send(FrameKind::output, body);
    return intercept();
  }
  std::string received() {
    auto frame = receiver_->next();
    return frame ? frame->body : "nothing";
  }
  void expect_refusal(const std::string& bytes) {
    EXPECT_FALSE(deliver(bytes));
    EXPECT_EQ(receiver_->fault(), "what came from it was changed on its way, or forged");
    EXPECT_EQ(received(), "nothing");
  }

  Challenge challenge_;
  std::array<int, 2> left_{}, right_{};
  std::optional<Link> sender_, receiver_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, ProtectedLink, ::testing::Values(Protection::auth, Protection::encrypt),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST_P(ProtectedLink, FramesArrive) {
  std::string first = record_of("one"), second = record_of(std::string(100'000, 'x'));
  EXPECT_EQ(first.find("one") != std::string::npos, GetParam() == Protection::auth);
  ASSERT_TRUE(deliver(first.substr(0, 10)));
  EXPECT_EQ(received(), "nothing");
  ASSERT_TRUE(deliver(first.substr(10) + second));
  EXPECT_EQ(received(), "one");
  EXPECT_EQ(received(), std::string(100'000, 'x'));
}

TEST_P(ProtectedLink, ChangedBytesEndIt) {
  std::string record = record_of("one");
  record[record.size() / 2] = static_cast<char>(record[record.size() / 2] ^ 1);
  expect_refusal(record);
}

TEST_P(ProtectedLink, ReplayedRecordsEndIt) {
  std::string record = record_of("one");
  ASSERT_TRUE(deliver(record));
  EXPECT_EQ(received(), "one");
  expect_refusal(record);
}

TEST_P(ProtectedLink, ExchangedRecordsEndIt) {
  std::string first = record_of("one"), second = record_of("two");
  expect_refusal(second + first);
}

TEST_P(ProtectedLink, ForgedFramesEndIt) {
  std::string frame = frame_header(FrameKind::output, 3) + "one";
  expect_refusal(frame + std::string(64, 'x'));
}

TEST_P(ProtectedLink, RecordsOfAnotherConnectionEndIt) {
  Challenge other("secret", "hello", random_bytes(nonce_bytes));
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  Link before(pair[0]);
  before.protect(other.keys_of(Side::initiator), other.keys_of(Side::responder), GetParam());
  before.send(FrameKind::output, "one");
  std::string recorded(1000, '\0');
  recorded.resize(static_cast<std::size_t>(::recv(pair[1], recorded.data(), recorded.size(), 0)));
  ::close(pair[1]);
  expect_refusal(recorded);
}

}  // namespace
}  // namespace atl::runtime
