// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/control/handshake.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/address.hpp"

namespace atl::runtime {
namespace {

constexpr std::string_view magic = "ATOLLRDV";
constexpr std::size_t hello_bytes = 8 + 4 + 4 + nonce_bytes;
constexpr std::size_t challenge_bytes = 4 + nonce_bytes;
// An unauthenticated peer can make this process store only this much.
constexpr std::size_t longest_unproved = 512;
constexpr double greeting_seconds = 10;
constexpr int most_returns = 10;

// No file, or its end has not come.
bool is_open(int descriptor) {
  pollfd ready{descriptor, POLLIN, 0};
  char byte = 0;
  return descriptor < 0 || ::poll(&ready, 1, 0) <= 0 || ::read(descriptor, &byte, 1) != 0;
}

int milliseconds_until(Deadline deadline) {
  return static_cast<int>(std::clamp<std::int64_t>(deadline.remaining_ns() / 1'000'000, 0, 1000));
}

/// The other side has closed the connection without a word.
class Closed : public SetupError {
  using SetupError::SetupError;
};

// Waits for one frame of a connection that has nothing else to do.
Frame await_frame(Link& link, Deadline deadline, int starter) {
  for (;;) {
    if (auto frame = link.next()) return *std::move(frame);
    ATOLL_VALIDATE(!deadline.passed(), TimeoutError, "it does not answer");
    ATOLL_VALIDATE(is_open(starter), SetupError, "it does not answer, and has closed the connection");
    pollfd ready{link.descriptor(), link.wanted_events(), 0};
    if (::poll(&ready, 1, milliseconds_until(deadline)) <= 0) continue;
    if ((ready.revents & POLLOUT) != 0) link.flush();
    if ((ready.revents & ~POLLOUT) == 0 || link.receive()) continue;
    if (auto frame = link.next()) return *std::move(frame);
    throw Closed(link.fault());
  }
}

std::unique_ptr<Link> greet(int descriptor, const std::string& secret, std::uint32_t host, Deadline deadline,
                            int starter) {
  auto link = std::make_unique<Link>(descriptor, longest_unproved);
  std::string hello = Packer().raw(magic).number(rendezvous_version).number(host).raw(random_bytes(nonce_bytes)).body();
  link->send(FrameKind::hello, hello);
  Frame answer = await_frame(*link, deadline, starter);
  if (answer.kind == FrameKind::refused) raise<SetupError>(Unpacker(answer.body).text());
  ATOLL_VALIDATE(answer.kind == FrameKind::challenge && answer.body.size() == challenge_bytes + proof_bytes, SetupError,
                 "the program that answers there is not Atoll's launcher");
  Challenge challenge(secret, hello, answer.body.substr(0, challenge_bytes));
  ATOLL_VALIDATE(challenge.is_proof_of(Side::responder, answer.body.substr(challenge_bytes)), SetupError,
                 "what answers there does not know the job's secret: it is the launcher of another job");
  auto protection = static_cast<Protection>(Unpacker(answer.body).number());
  ATOLL_VALIDATE(protection <= Protection::none, SetupError,
                 "the launcher asks for a protection that is not known here ({}). "
                 "Install the same Atoll on all hosts?",
                 static_cast<std::uint32_t>(protection));
  link->send(FrameKind::proof, challenge.proof_of(Side::initiator));
  link->protect(challenge.keys_of(Side::initiator), challenge.keys_of(Side::responder), protection);
  answer = await_frame(*link, deadline, starter);
  if (answer.kind == FrameKind::refused) raise<SetupError>(Unpacker(answer.body).text());
  ATOLL_VALIDATE(answer.kind == FrameKind::welcome, SetupError,
                 "the program that answers there is not Atoll's launcher");
  link->allow(longest_frame);
  return link;
}

}  // namespace

std::string make_secret() {
  std::string text;
  for (char byte : random_bytes(secret_bytes)) text += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return text;
}

Greeting::Greeting(int descriptor, std::string peer, const std::string& secret, std::uint32_t hosts)
    : link_(std::make_unique<Link>(descriptor, longest_unproved)),
      peer_(std::move(peer)),
      secret_(secret),
      hosts_(hosts),
      protection_(network_protection()),
      deadline_(Deadline::after_seconds(greeting_seconds)) {}

void Greeting::refuse(const std::string& why) {
  link_->send(FrameKind::refused, Packer().text(why).body());
  refusal_ = why;
}

void Greeting::take(const Frame& frame) {
  if (!challenge_) {
    bool ours = frame.kind == FrameKind::hello && frame.body.size() == hello_bytes && frame.body.starts_with(magic);
    if (!ours) return refuse("it is not an agent of Atoll");
    Unpacker reader(std::string_view(frame.body).substr(magic.size()));
    std::uint32_t version = reader.number();
    if (version != rendezvous_version)
      return refuse(
          fmt::format("it speaks version {} of the rendezvous, the launcher {}. Install the same Atoll on all hosts",
                      version, rendezvous_version));
    host_ = reader.number();
    if (host_ >= hosts_) return refuse(fmt::format("it says that it is host {} of {}", host_, hosts_));
    hello_ = frame.body;
    std::string nonce = Packer().number(static_cast<std::uint32_t>(protection_)).raw(random_bytes(nonce_bytes)).body();
    challenge_.emplace(secret_, hello_, nonce);
    return link_->send(FrameKind::challenge, nonce + challenge_->proof_of(Side::responder));
  }
  if (frame.kind != FrameKind::proof || !challenge_->is_proof_of(Side::initiator, frame.body))
    return refuse("it does not know the job's secret");
  verified_ = true;
  link_->protect(challenge_->keys_of(Side::responder), challenge_->keys_of(Side::initiator), protection_);
  link_->send(FrameKind::welcome);
  link_->allow(longest_frame);
}

void Greeting::advance() {
  bool open = link_->receive();
  try {
    while (refusal_.empty() && !verified_) {
      auto frame = link_->next();
      if (!frame) break;
      take(*frame);
    }
  } catch (const SetupError&) { refuse("it is not an agent of Atoll"); }
  if (!open && refusal_.empty() && !verified_) refusal_ = fmt::format("{} before it had authenticated", link_->fault());
}

std::unique_ptr<Link> Greeting::take_link() { return std::move(link_); }

std::unique_ptr<Link> greet_launcher(const std::vector<std::string>& addresses, std::uint16_t port,
                                     const std::string& secret, std::uint32_t host, Deadline deadline, int starter) {
  std::string faults;
  int closed = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    try {
      // Each has its share of what is left.
      auto share = deadline.remaining_ns() / static_cast<std::int64_t>(addresses.size() - i);
      Deadline until = Deadline::after_ns(std::max<std::int64_t>(share, 0));
      return greet(connect_to(addresses[i], port, until, [&] { return is_open(starter); }), secret, host, until,
                   starter);
    } catch (const Error& error) {
      if (!is_open(starter)) raise<SetupError>("the launcher had ended before this host could reach it");
      // The launcher has many strangers at its door, maybe.
      if (dynamic_cast<const Closed*>(&error) != nullptr && closed < most_returns && !deadline.passed()) {
        ::poll(nullptr, 0, 10 << std::min(closed++, 5));
        --i;
        continue;
      }
      faults += fmt::format("{}{}: {}", faults.empty() ? "" : "; ", with_port(addresses[i], port), error.what());
    }
  }
  raise<SetupError>(
      fmt::format("cannot reach the launcher ({}). Choose an address of its host with --address", faults));
}

}  // namespace atl::runtime
