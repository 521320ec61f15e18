// SPDX-License-Identifier: Apache-2.0
#include "pe_server.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "atoll/base/error.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/guest_order.hpp"
#include "output.hpp"

namespace atl::runtime {

PeServer::PeServer(const Order& order, Listener& listener) : order_(order), listener_(listener) {
  for (std::uint32_t index = 0; index < order.pes; ++index) seats_.emplace_back().pe = order.first_pe + index;
}

void PeServer::add(std::uint32_t pe, std::uint32_t cohort) {
  Seat& seat = seats_.emplace_back();
  seat.pe = pe;
  seat.cohort = cohort;
}

std::optional<std::uint32_t> PeServer::index_of(std::uint32_t pe) const {
  auto found = std::find_if(seats_.begin(), seats_.end(), [&](const Seat& seat) { return seat.pe == pe; });
  return found == seats_.end() ? std::nullopt : std::optional(static_cast<std::uint32_t>(found - seats_.begin()));
}

// It confirms nothing any more.
void PeServer::close(std::uint32_t index) {
  seats_[index].link.reset();
  take_confirmation(index, introduced_, {});
}

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
    say(fmt::format("PE {} on {}: {}. Does its program use another version of Atoll?", pe_of(index), order_.host,
                    error.what()));
    open = false;
  }
  if (!open) close(index);
}

void PeServer::serve_all() {
  for (std::uint32_t index = 0; index < seats_.size(); ++index) serve(index);
}

void PeServer::take(std::uint32_t index, const Frame& frame) {
  Seat& seat = seats_[index];
  std::uint32_t pe = seat.pe;
  Unpacker reader(frame.body);
  switch (frame.kind) {
    case FrameKind::pe_hello: {
      std::uint32_t version = reader.number(), claimed = reader.number();
      ATOLL_VALIDATE(version != rendezvous_version || claimed == pe, SetupError, "claims to be PE {}", claimed);
      // Of another version, the PE itself says what to do.
      seat.link->send(
          FrameKind::pe_welcome,
          Packer().number(rendezvous_version).number(order_.npes).text(order_.host).texts(order_.idle_hosts).body());
      seat.joined = anybody_joined_ = true;
      return listener_.on_joined(pe);
    }
    case FrameKind::exchange: return take_exchange(index, reader);
    case FrameKind::finalize: seat.finalized = true; return take_confirmation(index, introduced_, {});
    case FrameKind::spawn: return listener_.on_spawn(pe, frame.body);
    case FrameKind::given_up: {
      const std::uint32_t first = reader.number();
      return listener_.on_give_up(pe, first, reader.number());
    }
    case FrameKind::admitted: {
      const std::uint32_t cohort = reader.number();
      return take_confirmation(index, cohort, reader.text());
    }
    case FrameKind::join: return listener_.on_newcomer(pe, reader.text());
    case FrameKind::gather: return seat.link->send(FrameKind::exchanged, values_of(reader.text()));
    case FrameKind::find_memory:
      return seat.link->send(FrameKind::memory_found, find_memory(unpack_job_options(frame.body)));
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
    case FrameKind::list_missing: {
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
  bool all = std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.waiting || seat.cohort; });
  if (all) listener_.on_exchange(std::exchange(published_, {}));
}

std::string PeServer::found(std::uint32_t rank, const std::string& key) const {
  auto values = table_.find(key);
  bool there = values != table_.end() && values->second.contains(rank);
  return Packer().number(there ? 1 : 0).text(there ? values->second.at(rank) : "").body();
}

std::string PeServer::find_memory(const fabric::JobOptions& options) {
  try {
    return Packer().number(1).text(listener_.on_memory(options)).body();
  } catch (const Error& error) { return Packer().number(0).text(error.what()).body(); }
}

void PeServer::complete(const std::vector<PublishedEntry>& entries) {
  for (const PublishedEntry& entry : entries) table_[entry.key].insert_or_assign(entry.rank, entry.value);
  std::map<std::string, std::string> answers;  // as a rule all ask for the same
  for (Seat& seat : seats_) {
    if (!seat.waiting) continue;
    seat.waiting = false;
    if (!answers.contains(seat.key)) answers.emplace(seat.key, values_of(seat.key));
    if (seat.link) seat.link->send(FrameKind::exchanged, answers.at(seat.key));
  }
}

std::string PeServer::values_of(const std::string& key) const {
  std::vector<std::string> values;
  if (auto of_key = table_.find(key); of_key != table_.end())
    for (const auto& [rank, value] : of_key->second) values.push_back(value);
  return Packer().texts(values).body();
}

void PeServer::introduce(std::uint32_t cohort, std::vector<std::string> cards) {
  const std::string body = Packer().number(cohort).texts(cards).body();
  guests_.insert(guests_.end(), std::make_move_iterator(cards.begin()), std::make_move_iterator(cards.end()));
  introduced_ = cohort;
  unconfirmed_.clear();
  for (std::uint32_t index = 0; index < seats_.size(); ++index) {
    const Seat& seat = seats_[index];
    if (!seat.link || !seat.joined || seat.finalized || seat.cohort == cohort) continue;
    unconfirmed_.insert(index);
    seat.link->send(FrameKind::newcomers, body);
  }
  if (unconfirmed_.empty()) listener_.on_admitted(cohort, {});
}

void PeServer::take_confirmation(std::uint32_t index, std::uint32_t cohort, const std::string& objection) {
  if (cohort != introduced_ || unconfirmed_.erase(index) == 0) return;
  if (!objection.empty()) unconfirmed_.clear();
  if (unconfirmed_.empty()) listener_.on_admitted(cohort, objection);
}

void PeServer::admit(std::uint32_t cohort, const std::vector<std::uint32_t>& gone) {
  Packer packer;
  packer.number(static_cast<std::uint32_t>(gone.size()));
  for (std::uint32_t pe : gone) packer.number(pe);
  // New guests need no cards of PEs that have ended.
  std::erase_if(guests_, [&](const std::string& card) {
    return std::find(gone.begin(), gone.end(), unpack_newcomer(card).pe.value()) != gone.end();
  });
  packer.texts(guests_);
  for (const Seat& seat : seats_)
    if (seat.link && seat.cohort == cohort) seat.link->send(FrameKind::joined_by, packer.body());
}

void PeServer::send(std::uint32_t pe, FrameKind kind, std::string_view body) {
  if (auto index = index_of(pe); index && seats_[*index].link) seats_[*index].link->send(kind, body);
}

std::string PeServer::late_pes() const {
  std::string late;
  for (std::uint32_t index = 0; index < seats_.size(); ++index)
    if (!seats_[index].waiting && !seats_[index].cohort)
      late += fmt::format("{}PE {}", late.empty() ? "" : ", ", pe_of(index));
  return late.empty() ? late : fmt::format("{} on {}", late, order_.host);
}

void PeServer::answer_late(std::uint32_t pe, const std::string& whom) {
  if (const auto& link = seats_[pe - order_.first_pe].link) link->send(FrameKind::missing, Packer().text(whom).body());
}

void PeServer::pass_on(const Frame& frame) {
  for (Seat& seat : seats_)
    if (seat.link) seat.link->send(frame.kind, frame.body);
}

void PeServer::tell_ending() {
  for (Seat& seat : seats_)
    if (seat.link) seat.link->send(FrameKind::ending);
}

void PeServer::tell_failure(std::uint32_t pe, const std::string& host, const std::string& how) {
  for (Seat& seat : seats_)
    if (seat.link) seat.link->send(FrameKind::failed, Packer().number(pe).text(host).text(how).body());
}

}  // namespace atl::runtime
