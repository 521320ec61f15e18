// SPDX-License-Identifier: Apache-2.0
// Atoll's own TCP transport between two endpoints of a job, with somebody else on the network.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/random.hpp"
#include "atoll/fabric/network.hpp"
#include "device.hpp"
#include "tcp/socket.hpp"
#include "test_deadline.hpp"

namespace atl::fabric::ofi {

constexpr std::size_t segment_bytes = std::size_t{4} << 20;

// An endpoint of a PE, and what it has seen.
struct Member {
  explicit Member(std::uint32_t pe, Protection protection = Protection::auth)
      : Member(tcp::Identity{.pe = pe, .protection = protection}) {}
  explicit Member(const tcp::Identity& identity)
      : segment(segment_bytes),
        device(std::make_unique<Device>(own(identity.protection), identity, segment.data(), segment_bytes, 3)) {
    device->replenish();
  }
  static Info own(Protection protection) {
    config::set(config::Variable::network_security, std::string(name_of(protection)));
    std::vector<Info> found = find_provider();
    for (Info& one : found)
      if (interface_name(*one) == "lo") return std::move(one);
    return std::move(found[0]);
  }
  void look() {
    for (const Completion& one : device->completions()) {
      if ((one.flags & peer_failed) != 0) {
        failed_peers.push_back(one.data);
        errors.push_back(static_cast<int>(one.len));
        continue;
      }
      if ((one.flags & FI_REMOTE_WRITE) != 0) continue;
      auto& operation = *static_cast<Operation*>(one.op_context);
      bool failed = (one.flags & operation_failed) != 0;
      if (operation.kind == Operation::Kind::receive) {
        device->note_filled(operation);
        if (!failed) messages.emplace_back(reinterpret_cast<const char*>(operation.buffer), one.len);
        device->give_back_receive(operation);
        device->replenish();
      } else {
        ++(failed ? failures : completed);
        if (operation.pending != nullptr) --operation.pending->left;
        if (operation.kind == Operation::Kind::transfer) device->give_back_transfer(operation);
        else device->give_back_send(operation);
      }
    }
  }
  int send(const std::string& text, fi_addr_t to) {
    Operation* operation = device->take_send();
    EXPECT_NE(operation, nullptr);
    std::memcpy(operation->buffer, text.data(), text.size());
    int status = device->send(*operation, text.size(), to);
    if (status != 0) device->give_back_send(*operation);
    return status;
  }

  std::vector<std::byte> segment;
  std::unique_ptr<Device> device;
  std::vector<std::string> messages;
  std::vector<std::uint64_t> failed_peers;
  std::vector<int> errors;
  int failures = 0, completed = 0;
};

inline tcp::Address address_of(const Member& member) {
  tcp::Address address;
  std::memcpy(&address, member.device->card().address, sizeof(address));
  return address;
}

inline fi_addr_t introduce(Member& to, const tcp::Address& address) {
  Card card{};
  std::memcpy(card.address, &address, sizeof(address));
  fi_addr_t number = to.device->add_peer(card);
  EXPECT_NE(number, FI_ADDR_UNSPEC);
  return number;
}

inline int connect_to(const tcp::Address& address) {
  int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(descriptor, reinterpret_cast<const sockaddr*>(address.socket), address.socket_bytes), 0);
  return descriptor;
}

inline void say(int descriptor, const std::string& bytes) {
  EXPECT_EQ(::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

// A proxy between both ends of a connection: all pieces that the connecting end sends pass through `change`: 0 is the
// hello, 1 the proof, then records.
class Interceptor {
 public:
  using Change = std::function<std::string(std::size_t number, const std::string& piece)>;

  Interceptor(const tcp::Address& target, Change change)
      : target_(target), address_(target), change_(std::move(change)) {
    listener_ = tcp::listen_at(target.socket, target.socket_bytes, address_);
  }
  ~Interceptor() {
    for (int one : {listener_, left_, right_})
      if (one >= 0) ::close(one);
  }
  // What the connecting side is to believe the other's address to be.
  const tcp::Address& address() const { return address_; }
  const std::string& recorded() const { return recorded_; }

  void look() {
    if (left_ < 0 && (left_ = tcp::accept_from(listener_)) >= 0) right_ = connect_to(target_);
    if (left_ < 0) return;
    char bytes[65536];
    if (ssize_t got = ::recv(left_, bytes, sizeof(bytes), MSG_DONTWAIT); got > 0) {
      recorded_.append(bytes, static_cast<std::size_t>(got));
      pending_.append(bytes, static_cast<std::size_t>(got));
    }
    for (std::size_t length; (length = next_length()) != 0; pending_.erase(0, length)) {
      std::string forward = change_(number_++, pending_.substr(0, length));
      if (!forward.empty()) (void)::send(right_, forward.data(), forward.size(), MSG_NOSIGNAL);
    }
    ssize_t got = ::recv(right_, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got > 0) (void)::send(left_, bytes, static_cast<std::size_t>(got), MSG_NOSIGNAL);
    else if (got == 0 || errno != EAGAIN) ended_ = true, ::shutdown(left_, SHUT_RDWR);
  }
  bool is_ended() const { return ended_; }
  void cut() { ::shutdown(right_, SHUT_WR); }

 private:
  std::size_t next_length() const {
    std::size_t length = number_ == 0 ? sizeof(tcp::Hello) : proof_bytes;
    if (number_ > 1) {
      std::uint32_t body = 0;
      if (pending_.size() < sizeof(body)) return 0;
      std::memcpy(&body, pending_.data(), sizeof(body));
      length = sizeof(body) + (body & ~tcp::poly1305_bit) + Seal::tag_bytes;
    }
    return pending_.size() < length ? 0 : length;
  }

  tcp::Address target_, address_;
  Change change_;
  int listener_ = -1, left_ = -1, right_ = -1;
  std::string recorded_, pending_;
  bool ended_ = false;  // by the target
  std::size_t number_ = 0;
};

inline std::string unchanged(std::size_t, const std::string& piece) { return piece; }

class Members : public ::testing::Test {
 protected:
  void SetUp() override {
    if (describe_network().starts_with("none")) GTEST_SKIP() << describe_network();
    zero_ = std::make_unique<Member>(0);
    one_ = std::make_unique<Member>(1);
    (void)introduce(*one_, address_of(*zero_));
  }
  void TearDown() override { config::set(config::Variable::network_security, "auth"); }
  // From PE 0's point of view, whose traffic to PE 1 passes through `change`.
  void intercept(Interceptor::Change change) {
    between_ = std::make_unique<Interceptor>(address_of(*one_), std::move(change));
    to_one_ = introduce(*zero_, between_->address());
  }
  void connect_directly() { to_one_ = introduce(*zero_, address_of(*one_)); }
  void look() {
    zero_->look();
    one_->look();
    if (between_) between_->look();
  }
  // Looks until `ready()`, or until the deadline of a test.
  template <class Ready>
  bool comes(Ready&& ready) {
    for (Deadline deadline = test_deadline(); !ready(); look())
      if (deadline.passed()) return false;
    return true;
  }
  void send(const std::string& text) {
    int status = 0;
    ASSERT_TRUE(comes([&] { return (status = zero_->send(text, to_one_)) != -FI_EAGAIN; }));
    last_status_ = status;
  }
  // PE 1 has heard only so many, and knows that what then came was not what PE 0 has sent.
  void expect_end_after(const std::vector<std::string>& heard) {
    EXPECT_TRUE(comes([&] { return !one_->failed_peers.empty(); }));
    EXPECT_EQ(one_->failed_peers, std::vector<std::uint64_t>{0});
    EXPECT_EQ(one_->errors, std::vector<int>{EBADMSG});
    EXPECT_EQ(one_->messages, heard);
    EXPECT_TRUE(comes([&] { return zero_->send("more", to_one_) == -FI_ECONNRESET; })) << "PE 0 does not notice";
  }
  void expect_members_talk() {
    connect_directly();
    send("hello");
    EXPECT_TRUE(comes([&] { return one_->messages == std::vector<std::string>{"hello"}; }));
    EXPECT_TRUE(one_->failed_peers.empty());
  }

  std::unique_ptr<Member> zero_, one_;
  std::unique_ptr<Interceptor> between_;
  fi_addr_t to_one_ = 0;
  int last_status_ = 0;
};

}  // namespace atl::fabric::ofi
