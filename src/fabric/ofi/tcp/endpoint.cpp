// SPDX-License-Identifier: Apache-2.0
#include "endpoint.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "atoll/base/digest.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "socket.hpp"

namespace atl::fabric::ofi::tcp {
namespace {

// Connections that have come and proved nothing: beyond that the oldest goes, as those of members take a few
// milliseconds.
constexpr std::size_t most_unproved = 64;
// Of these, how many are accepted at one look.
constexpr int most_accepted = 8;
// While there are no more connections than that, each is looked at without asking the kernel which to look at.
constexpr std::size_t few_connections = 3;
constexpr unsigned looks_per_scan = 16;
constexpr int most_backoff_ms = 200;
// A connection that is closed without an answer is made again: the peer may make one itself, or have strangers at its
// door.
constexpr std::int64_t patience_ns = 10'000'000'000;
constexpr std::int64_t most_closing_ns = 1'000'000'000;
// Numbers of events: of greetings from 1 on, of peers with this bit, and of the listener.
constexpr std::uint64_t peer_bit = std::uint64_t{1} << 63, listener_number = 0;
constexpr std::size_t no_peer = SIZE_MAX;

std::string identity_of(const Address& address) {
  std::string text(reinterpret_cast<const char*>(&address.pe), sizeof(address.pe));
  text.append(reinterpret_cast<const char*>(&address.lane), sizeof(address.lane));
  return text.append(address.public_key, sizeof(address.public_key));
}

}  // namespace

Endpoint::Endpoint(const Identity& identity, const void* address, std::size_t address_bytes) : identity_(identity) {
  address_.pe = identity.pe;
  address_.lane = identity.lane;
  std::memcpy(address_.public_key, keys_.public_key().data(), sizeof(address_.public_key));
  listener_ = listen_at(address, address_bytes, address_);
  events_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (int error = events_ < 0 ? errno : watch(listener_, EPOLLIN, listener_number, EPOLL_CTL_ADD); error != 0) {
    ::close(listener_);
    if (events_ >= 0) ::close(events_);
    errno = error;
    throw_errno("cannot make a set of events for the network (epoll)");
  }
}

// What was sent last gets out, if the other side takes it.
Endpoint::~Endpoint() {
  for (Deadline deadline = Deadline::after_ns(most_closing_ns); !deadline.passed();) {
    std::vector<pollfd> blocked;
    for (std::size_t i = 0; i < connected_.size(); ++i) {
      std::size_t peer = connected_[i];
      const std::size_t before = connected_.size();
      Connection& one = *peers_[peer].connection;
      if (!one.is_blocked() || peers_[peer].error != 0) continue;
      int error = attempt(peer, [](Connection& connection) { return connection.pump(); });
      if (connected_.size() != before) --i;
      else if (error == 0 && one.is_blocked()) blocked.push_back({one.descriptor(), POLLOUT, 0});
    }
    if (blocked.empty()) break;
    (void)::poll(blocked.data(), blocked.size(), 100);
  }
  ::close(events_);
  ::close(listener_);
}

// Returns 0, or a number of errno.
int Endpoint::watch(int descriptor, std::uint32_t events, std::uint64_t number, int operation) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = number;
  return ::epoll_ctl(events_, operation, descriptor, &event) == 0 ? 0 : errno;
}

std::size_t Endpoint::find(std::uint32_t pe) const {
  auto at = peer_of_pe_.find(pe);
  return at == peer_of_pe_.end() ? no_peer : at->second;
}

std::size_t Endpoint::add_peer(const Address& address) {
  auto [at, fresh] = peer_of_pe_.try_emplace(address.pe, peers_.size());
  if (fresh) peers_.emplace_back().address = address;
  return at->second;
}

// Both sides compute the same.
const std::string& Endpoint::secret_of(Peer& peer) {
  if (!peer.secret.empty()) return peer.secret;
  std::string common = keys_.agree({peer.address.public_key, sizeof(peer.address.public_key)});
  if (common.empty()) return peer.secret;
  std::string own = identity_of(address_), other = identity_of(peer.address);
  peer.secret = expand_key(extract_key("atoll tcp", common), std::min(own, other) + std::max(own, other), 32);
  return peer.secret;
}

// ---- connecting ----

void Endpoint::connect(std::size_t number) {
  Peer& peer = peers_[number];
  std::int64_t now = now_ns();
  if (peer.greeting != 0 || now < peer.again_at_ns) return;
  const std::string& secret = secret_of(peer);
  int descriptor = secret.empty() ? -1 : start_connecting(peer.address);
  if (descriptor < 0) return lose(number, secret.empty() ? EKEYREJECTED : errno);
  Hello hello{};
  hello.magic = magic;
  hello.version = version;
  hello.protection = static_cast<std::uint32_t>(identity_.protection);
  hello.source = identity_.pe;
  hello.target = peer.address.pe;
  hello.lane = identity_.lane;
  peer.greeting = ++last_greeting_;
  greetings_[peer.greeting] = std::make_unique<Greeting>(descriptor, hello, secret);
  if (int error = watch(descriptor, EPOLLIN | EPOLLOUT, peer.greeting, EPOLL_CTL_ADD); error != 0) {
    end_greeting(std::exchange(peer.greeting, 0));
    lose(number, error);
  }
}

void Endpoint::accept() {
  for (int count = 0; count < most_accepted; ++count) {
    int descriptor = accept_from(listener_);
    if (descriptor < 0) return;
    if (incoming_ == most_unproved) {
      auto oldest = std::find_if(greetings_.begin(), greetings_.end(),
                                 [](const auto& one) { return one.second->side() == Side::responder; });
      refuse(*oldest->second);
      end_greeting(oldest->first);
    }
    ++incoming_;
    std::uint64_t number = ++last_greeting_;
    greetings_[number] = std::make_unique<Greeting>(
        descriptor, [this](const Hello& hello) { return know(hello); }, Deadline::after_ns(identity_.proof_limit_ns));
    if (watch(descriptor, EPOLLIN, number, EPOLL_CTL_ADD) == 0) advance(number);
    else end_greeting(number);  // the kernel is short of memory: a member tries again
  }
}

// Looks up the sender of a hello, which is not authenticated yet.
Greeting::Known Endpoint::know(const Hello& hello) {
  std::size_t number = hello.target == identity_.pe && hello.lane == identity_.lane ? find(hello.source) : no_peer;
  if (number == no_peer || hello.version != version ||
      hello.protection != static_cast<std::uint32_t>(identity_.protection))
    return {.secret = {}, .refusal = "it is not a PE of this job"};
  Peer& peer = peers_[number];
  if (prefers_another(peer)) return {.secret = {}, .refusal = "there is a connection already", .stranger = false};
  return {.secret = secret_of(peer), .refusal = "its key cannot be used"};
}

// Than one that has come. When both connect at once, that of the lower PE counts, which the other then sees come.
bool Endpoint::prefers_another(const Peer& peer) const {
  return peer.connection != nullptr || peer.error != 0 || (peer.greeting != 0 && identity_.pe < peer.address.pe);
}

void Endpoint::end_greeting(std::uint64_t number) {
  auto at = greetings_.find(number);
  if (at->second->side() == Side::responder) --incoming_;
  greetings_.erase(at);
}

void Endpoint::advance(std::uint64_t number) {
  auto at = greetings_.find(number);
  if (at == greetings_.end()) return;
  Greeting& greeting = *at->second;
  Greeting::State state = greeting.advance();
  bool outgoing = greeting.side() == Side::initiator;
  std::size_t peer = outgoing ? find(greeting.hello().target) : no_peer;
  if (state == Greeting::State::waiting) {
    // Once it is connected, only an answer can come.
    if (outgoing && greeting.is_connected()) (void)watch(greeting.descriptor(), EPOLLIN, number, EPOLL_CTL_MOD);
    return;
  }
  if (state == Greeting::State::refused) {
    if (outgoing) fail_attempt(peer, greeting);
    else refuse(greeting);
    return end_greeting(number);
  }
  if (!outgoing) peer = find(greeting.hello().source);
  // The responder decides, once: this PE may have begun a connection of its own since the other's hello. The initiator
  // sends nothing before it is accepted, and tries again when it is not. Two connections that are both in use at one
  // end only would lose all.
  if (outgoing || (!prefers_another(peers_[peer]) && greeting.accept())) adopt(peer, greeting);
  end_greeting(number);
}

void Endpoint::adopt(std::size_t number, Greeting& greeting) {
  Peer& peer = peers_[number];
  std::uint64_t own = std::exchange(peer.greeting, 0);
  if (own != 0 && greeting.side() == Side::responder) end_greeting(own);
  Side other = greeting.side() == Side::initiator ? Side::responder : Side::initiator;
  const Challenge& challenge = greeting.challenge();
  int descriptor = greeting.take_descriptor();
  auto stream = std::make_unique<Stream>(descriptor, challenge.keys_of(greeting.side()), challenge.keys_of(other),
                                         identity_.protection);
  peer.connection = std::make_unique<Connection>(resources_, std::move(stream));
  connected_.push_back(number);
  if (int error = watch(descriptor, EPOLLIN, peer_bit | number, EPOLL_CTL_MOD); error != 0) lose(number, error);
}

// A connection that came. What strangers do is said, but not each time.
void Endpoint::refuse(const Greeting& greeting) {
  if (!greeting.stranger()) return;
  // A member does so, too: when both connected at once, and the other connection was first.
  bool left = greeting.error() != 0;
  if (left || std::has_single_bit(++strangers_))
    log(left ? LogLevel::info : LogLevel::warning, "PE {} refused a connection from {}: {} ({} so far)", identity_.pe,
        greeting.peer(),
        greeting.reason().empty() ? "it did not prove in time that it is of this job" : greeting.reason(), strangers_);
}

void Endpoint::fail_attempt(std::size_t number, const Greeting& greeting) {
  Peer& peer = peers_[number];
  peer.greeting = 0;
  std::int64_t now = now_ns();
  // From the first failure on: before, this PE may have been busy for long, and the peer tired of waiting for its
  // proof.
  if (peer.give_up_at_ns == 0) peer.give_up_at_ns = now + patience_ns;
  bool again = greeting.error() == ECONNRESET && now < peer.give_up_at_ns;
  if (!again) {
    log(LogLevel::info, "PE {} cannot connect to PE {}: {}", identity_.pe, peer.address.pe, greeting.reason());
    return lose(number, greeting.error() != 0 ? greeting.error() : EKEYREJECTED);
  }
  peer.again_at_ns = now + peer.backoff_ms * 1'000'000;
  peer.backoff_ms = std::min(peer.backoff_ms * 2, most_backoff_ms);
}

// What a peer sent before it ended: a send to it may have failed before that was read.
void Endpoint::receive_rest(Connection& connection) {
  try {
    for (bool any = true; any && !connection.is_stalled();)
      if (connection.receive(any) != 0) return;
  } catch (const std::exception& cause) {
    log(LogLevel::info, "PE {} cannot read the rest of a connection: {}", identity_.pe, cause.what());
  }
}

// All that is under way to the peer fails, and so does what is asked of it from now on.
void Endpoint::lose(std::size_t number, int error) {
  Peer& peer = peers_[number];
  peer.error = error;
  if (peer.connection == nullptr) return;
  bool forged = error == EBADMSG || error == EPROTO || error == EACCES;
  if (forged) {
    log(LogLevel::warning,
        "PE {} ended its connection to PE {} ({}): what came is not what that PE has sent. Does somebody change "
        "packets between these hosts?",
        identity_.pe, peer.address.pe, peer_of(peer.connection->descriptor()));
    resources_.completions.add_failure(nullptr, EBADMSG, peer.address.pe);
  }
  if (error == ECONNRESET) {
    receive_rest(*peer.connection);
    // Ends when receives are posted for the rest: see receive(). Until then the kernel has nothing new to tell.
    if (peer.connection->is_stalled()) {
      stalled_ = true;
      (void)watch(peer.connection->descriptor(), 0, 0, EPOLL_CTL_DEL);
      return;
    }
  }
  peer.connection->give_up(forged ? EBADMSG : error);
  peer.connection.reset();
  std::erase(connected_, number);
}

// Something on the connection to that peer, which is lost when it fails. An exception (there is no memory, or libcrypto
// fails) may have left the stream in the middle of a record, and an operation neither queued nor complete: the process
// is told of the peer.
template <class Action>
int Endpoint::attempt(std::size_t number, Action&& action) {
  int error = 0;
  bool thrown = true;
  try {
    error = action(*peers_[number].connection);
    thrown = false;
  } catch (const std::bad_alloc&) { error = ENOMEM; } catch (const std::exception& cause) {
    log(LogLevel::warning, "PE {} ended its connection to PE {}: {}", identity_.pe, peers_[number].address.pe,
        cause.what());
    error = EIO;
  }
  if (thrown) resources_.completions.add_failure(nullptr, error, peers_[number].address.pe);
  if (error != 0) lose(number, error);
  return error;
}

// ---- operations ----

int Endpoint::send(std::size_t number, const Connection::Outgoing& what, bool keeps) {
  Peer& peer = peers_[number];
  if (peer.error != 0) [[unlikely]]
    return peer.error;
  if (peer.connection == nullptr) [[unlikely]] {
    if (peer.error == 0) connect(number);
    return peer.error != 0 ? peer.error : EAGAIN;
  }
  if (!peer.connection->has_room()) return EAGAIN;
  int error = attempt(number, [&](Connection& connection) { return connection.send(what, keeps); });
  // It has been taken: when the connection breaks, its completion reports that. A message without completion may be
  // lost, as on any network.
  if (error == 0 && peer.connection->is_blocked()) blocked_ = 1;
  return 0;
}

int Endpoint::read(std::size_t number, const Target& target, std::byte* to, void* context) {
  Connection::Outgoing ask;
  ask.command.action = Action::read;
  ask.command.targets = 1;
  ask.targets[0] = target;
  Peer& peer = peers_[number];
  if (peer.connection == nullptr || peer.error != 0 || !peer.connection->has_room()) return send(number, ask, true);
  // First: the answer is taken in the order in which reads are known.
  peer.connection->expect_data(to, target.bytes, context);
  return send(number, ask, true);
}

void Endpoint::release(void* context) noexcept {
  for (std::size_t i = 0; i < connected_.size(); ++i) {
    const std::size_t before = connected_.size();
    (void)attempt(connected_[i], [&](Connection& connection) { return connection.release(context); });
    if (connected_.size() != before) --i;
  }
}

// ---- progress ----

bool Endpoint::receive(std::size_t number) {
  bool any = false;
  int error = attempt(number, [&](Connection& connection) { return connection.receive(any); });
  if (error == 0 && peers_[number].connection->is_blocked()) blocked_ = 1;
  if (error == 0 && peers_[number].connection->is_stalled()) stalled_ = true;
  else if (error == 0 && peers_[number].error != 0) lose(number, peers_[number].error);
  if (any) hot_ = number;
  return any;
}

// Connections whose received bytes had to wait for a posted receive. The kernel does not tell of them: it has handed
// these bytes over.
void Endpoint::receive_stalled() {
  stalled_ = false;
  for (std::size_t i = 0; i < connected_.size(); ++i) {
    const std::size_t before = connected_.size();
    if (peers_[connected_[i]].connection->is_stalled()) (void)receive(connected_[i]);
    if (connected_.size() != before) --i;
  }
}

void Endpoint::progress() {
  ++looks_;
  if (stalled_ && !resources_.receives.empty()) receive_stalled();
  if (std::exchange(blocked_, 0) != 0) {
    for (std::size_t i = 0; i < connected_.size(); ++i) {
      std::size_t number = connected_[i];
      const std::size_t before = connected_.size();
      Connection& connection = *peers_[number].connection;
      if (!connection.is_blocked() || peers_[number].error != 0) continue;
      int error = attempt(number, [](Connection& one) { return one.pump(); });
      if (connected_.size() != before) --i;
      else if (error == 0 && connection.is_blocked()) blocked_ = 1;
    }
  }
  if (connected_.size() <= few_connections) {
    for (std::size_t i = 0; i < connected_.size(); ++i) {
      std::size_t before = connected_.size();
      (void)receive(connected_[i]);
      if (connected_.size() != before) --i;
    }
    if (looks_ % looks_per_scan != 0 && greetings_.empty() && !connected_.empty()) return;
  } else if (peers_[hot_].connection != nullptr && receive(hot_) && looks_ % looks_per_scan != 0) {
    return;
  }
  look(0);
  if (!greetings_.empty()) keep_time();
}

// At what the kernel says that there is to look at.
void Endpoint::look(int timeout_ms) {
  std::array<epoll_event, 32> list;
  int count = ::epoll_wait(events_, list.data(), static_cast<int>(list.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    std::uint64_t number = list[static_cast<std::size_t>(i)].data.u64;
    if (number == listener_number) {
      accept();
    } else if ((number & peer_bit) == 0) {
      advance(number);
    } else {
      std::size_t peer = number & ~peer_bit;
      if (peers_[peer].connection == nullptr) continue;
      if ((list[static_cast<std::size_t>(i)].events & EPOLLOUT) != 0 &&
          std::exchange(peers_[peer].watches_room, false)) {
        (void)watch(peers_[peer].connection->descriptor(), EPOLLIN, number, EPOLL_CTL_MOD);
        blocked_ = 1;
      }
      (void)receive(peer);
    }
  }
}

void Endpoint::keep_time() {
  for (auto at = greetings_.begin(); at != greetings_.end();) {
    auto now = at++;
    if (!now->second->late()) continue;
    refuse(*now->second);
    end_greeting(now->first);
  }
}

bool Endpoint::may_sleep() {
  if (!resources_.completions.is_empty()) return false;
  for (std::size_t number : connected_) {
    Peer& peer = peers_[number];
    if (peer.connection->is_stalled() && !resources_.receives.empty()) return false;
    if (!peer.connection->is_blocked() || std::exchange(peer.watches_room, true)) continue;
    (void)watch(peer.connection->descriptor(), EPOLLIN | EPOLLOUT, peer_bit | number, EPOLL_CTL_MOD);
  }
  return true;
}

}  // namespace atl::fabric::ofi::tcp
