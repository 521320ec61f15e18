// SPDX-License-Identifier: Apache-2.0
#include "greeting.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "socket.hpp"

namespace atl::fabric::ofi::tcp {
namespace {

std::string_view view_of(const Hello& hello) { return {reinterpret_cast<const char*>(&hello), sizeof(hello)}; }

}  // namespace

Greeting::Greeting(int descriptor, Ask ask, Deadline deadline)
    : descriptor_(descriptor),
      side_(Side::responder),
      ask_(std::move(ask)),
      deadline_(deadline),
      peer_(peer_of(descriptor)) {}

Greeting::Greeting(int descriptor, const Hello& hello, std::string secret)
    : descriptor_(descriptor),
      side_(Side::initiator),
      hello_(hello),
      secret_(std::move(secret)),
      connecting_(true),
      deadline_(Deadline::never()) {
  std::string nonce = random_bytes(nonce_bytes);
  std::memcpy(hello_.nonce, nonce.data(), nonce.size());
}

Greeting::~Greeting() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int Greeting::take_descriptor() { return std::exchange(descriptor_, -1); }

Greeting::State Greeting::refuse(std::string why, int error) {
  reason_ = std::move(why);
  error_ = error;
  return State::refused;
}

// A socket that has sent next to nothing takes it whole.
bool Greeting::send(const void* bytes, std::size_t count) {
  return ::send(descriptor_, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(count);
}

// Empty: so many bytes are there.
std::optional<Greeting::State> Greeting::fill(std::size_t bytes) {
  while (received_.size() < bytes) {
    char more[sizeof(Hello)];
    ssize_t got = ::recv(descriptor_, more, std::min(sizeof(more), bytes - received_.size()), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return State::waiting;
    if (got <= 0) return refuse("it closed the connection before it had proved anything", got < 0 ? errno : ECONNRESET);
    received_.append(more, static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

Greeting::State Greeting::advance() {
  if (side_ == Side::responder) return challenge_ ? take_proof() : take_hello();
  if (connecting_) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) <= 0) return State::waiting;
    if (int error = connected(descriptor_); error != 0) return refuse(std::strerror(error), error);
    connecting_ = false;
    if (!send(&hello_, sizeof(hello_))) return refuse("it takes no hello", ECONNRESET);
  }
  return challenge_ ? take_acceptance() : take_answer();
}

Greeting::State Greeting::take_hello() {
  if (auto wait = fill(sizeof(Hello))) return *wait;
  std::memcpy(&hello_, received_.data(), sizeof(hello_));
  received_.clear();
  if (hello_.magic != magic) return refuse("it is not a PE of Atoll", 0);
  Known known = ask_(hello_);
  if (known.secret.empty()) {
    stranger_ = known.stranger;
    return refuse(known.refusal, 0);
  }
  Answer answer;
  std::string nonce = random_bytes(nonce_bytes);
  challenge_.emplace(std::move(known.secret), std::string(view_of(hello_)), nonce);
  std::memcpy(answer.nonce, nonce.data(), sizeof(answer.nonce));
  std::memcpy(answer.proof, challenge_->proof_of(Side::responder).data(), sizeof(answer.proof));
  if (!send(&answer, sizeof(answer))) return refuse("it takes no answer", ECONNRESET);
  return take_proof();
}

Greeting::State Greeting::take_proof() {
  if (auto wait = fill(proof_bytes)) return *wait;
  if (!challenge_->is_proof_of(Side::initiator, received_))
    return refuse(fmt::format("it says that it is PE {}, and cannot prove it", hello_.source), 0);
  return State::proved;
}

Greeting::State Greeting::take_answer() {
  if (auto wait = fill(sizeof(Answer))) return *wait;
  Answer answer;
  std::memcpy(&answer, received_.data(), sizeof(answer));
  challenge_.emplace(secret_, std::string(view_of(hello_)), std::string(answer.nonce, sizeof(answer.nonce)));
  if (!challenge_->is_proof_of(Side::responder, {answer.proof, sizeof(answer.proof)}))
    return refuse(fmt::format("what answers there cannot prove that it is PE {}", hello_.target), 0);
  std::string proof = challenge_->proof_of(Side::initiator);
  if (!send(proof.data(), proof.size())) return refuse("it takes no proof", ECONNRESET);
  received_.clear();
  return take_acceptance();
}

Greeting::State Greeting::take_acceptance() {
  if (auto wait = fill(proof_bytes)) return *wait;
  if (!challenge_->is_acceptance(received_))
    return refuse(fmt::format("what accepts there cannot prove that it is PE {}", hello_.target), 0);
  return State::proved;
}

bool Greeting::accept() {
  std::string acceptance = challenge_->acceptance();
  return send(acceptance.data(), acceptance.size());
}

}  // namespace atl::fabric::ofi::tcp
