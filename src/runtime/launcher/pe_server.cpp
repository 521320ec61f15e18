// SPDX-License-Identifier: Apache-2.0
#include "pe_server.hpp"

#include <sys/socket.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "output.hpp"

namespace atl::runtime {

PeServer::PeServer(const Order& order, Listener& listener) : order_(order), listener_(listener), seats_(order.pes) {}

Descriptor PeServer::open(std::uint32_t index) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw_errno("cannot make a socket for a PE");
  seats_[index].link = std::make_unique<Link>(ends[0]);
  return Descriptor(ends[1]);
}

void PeServer::watch(std::vector<pollfd>& list) {
  watched_.clear();
  for (std::uint32_t index = 0; index < seats_.size(); ++index)
    if (const auto& link = seats_[index].link) {
      list.push_back({link->descriptor(), link->wanted_events(), 0});
      watched_.push_back(index);
    }
}

void PeServer::serve(const pollfd* list, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Link* link = seats_[watched_[i]].link.get();
    if (link == nullptr || list[i].revents == 0) continue;
    if ((list[i].revents & POLLOUT) != 0) link->flush();
    if ((list[i].revents & ~POLLOUT) != 0) serve(watched_[i]);
  }
}

void PeServer::serve(std::uint32_t index) {
  Link* link = seats_[index].link.get();
  if (link == nullptr) return;
  bool open = link->receive();
  try {
    while (auto frame = link->next()) take(index, *frame);
  } catch (const SetupError& error) {
    say(fmt::format("PE {} on {}: {}. Does its program use another version of Atoll?", order_.first_pe + index,
                    order_.host, error.what()));
    open = false;
  }
  if (!open) close(index);
}

void PeServer::take(std::uint32_t index, const Frame& frame) {
  Seat& seat = seats_[index];
  std::uint32_t pe = order_.first_pe + index;
  Unpacker reader(frame.body);
  switch (frame.kind) {
    case FrameKind::pe_hello: {
      std::uint32_t version = reader.number(), claimed = reader.number();
      ATOLL_VALIDATE(version != rendezvous_version || claimed == pe, SetupError, "claims to be PE {}", claimed);
      // Of another version, the PE itself says what to do.
      seat.link->send(FrameKind::pe_welcome,
                      Packer().number(rendezvous_version).number(order_.npes).text(order_.host).body());
      anybody_joined_ = true;
      return listener_.on_joined(pe);
    }
    case FrameKind::exchange: return take_exchange(index, reader);
    case FrameKind::finalize: seat.finalized = true; return;
    case FrameKind::abort: {
      std::uint32_t status = reader.number();
      return listener_.on_abort(pe, status, reader.text());
    }
    case FrameKind::lost: {
      std::uint32_t lost = reader.number();
      return listener_.on_loss(pe, lost, reader.text());
    }
    case FrameKind::survival: return listener_.on_survival(reader.number());
    case FrameKind::lookup: {
      std::uint32_t rank = reader.number();
      return seat.link->send(FrameKind::found, found(rank, reader.text()));
    }
    case FrameKind::who_is_late: {
      std::string late = late_pes();
      return late.empty() ? listener_.on_late_hosts(pe) : answer_late(pe, late);
    }
    default: throw SetupError("protocol error: unexpected message from a PE. Do all hosts run the same Atoll version?");
  }
}

void PeServer::take_exchange(std::uint32_t index, Unpacker& reader) {
  seats_[index].key = reader.text();
  seats_[index].waiting = true;
  for (PublishedEntry& entry : reader.entries()) published_.push_back(std::move(entry));
  bool all = std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.waiting; });
  if (all) listener_.on_exchange(std::exchange(published_, {}));
}

std::string PeServer::found(std::uint32_t rank, const std::string& key) const {
  auto values = table_.find(key);
  bool there = values != table_.end() && values->second.contains(rank);
  return Packer().number(there ? 1 : 0).text(there ? values->second.at(rank) : "").body();
}

void PeServer::complete(const std::vector<PublishedEntry>& entries) {
  for (const PublishedEntry& entry : entries) table_[entry.key].insert_or_assign(entry.rank, entry.value);
  std::map<std::string, std::string> answers;  // as a rule all ask for the same
  for (Seat& seat : seats_) {
    if (!seat.waiting) continue;
    seat.waiting = false;
    if (!answers.contains(seat.key)) {
      std::vector<std::string> values;
      if (auto of_key = table_.find(seat.key); of_key != table_.end())
        for (auto& [rank, value] : of_key->second) values.push_back(value);
      answers.emplace(seat.key, Packer().texts(values).body());
    }
    if (seat.link) seat.link->send(FrameKind::exchanged, answers.at(seat.key));
  }
}

std::string PeServer::late_pes() const {
  std::string late;
  for (std::uint32_t index = 0; index < seats_.size(); ++index)
    if (!seats_[index].waiting) late += fmt::format("{}PE {}", late.empty() ? "" : ", ", order_.first_pe + index);
  return late.empty() ? late : fmt::format("{} on {}", late, order_.host);
}

void PeServer::answer_late(std::uint32_t pe, const std::string& whom) {
  if (const auto& link = seats_[pe - order_.first_pe].link) link->send(FrameKind::late, Packer().text(whom).body());
}

void PeServer::pass_on(const Frame& frame) {
  for (Seat& seat : seats_)
    if (seat.link) seat.link->send(frame.kind, frame.body);
}

void PeServer::tell_failure(std::uint32_t pe, const std::string& host, const std::string& how) {
  for (Seat& seat : seats_)
    if (seat.link) seat.link->send(FrameKind::failed, Packer().number(pe).text(host).text(how).body());
}

}  // namespace atl::runtime
