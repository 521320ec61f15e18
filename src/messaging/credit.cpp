// SPDX-License-Identifier: Apache-2.0
// Flow control. Each PE may have a share of messages and bytes at every other, and counts it down as it
// sends; the receiver returns the credit as receives take them. Without credit for bytes a message is announced and
// its payload stays; without credit for messages it stays altogether, in order.
#include <algorithm>

#include "atoll/fabric/job.hpp"
#include "state.hpp"

namespace atl::runtime::matching {
namespace {

// Messages a sender gets above its share when a receive waits that nothing here fits.
constexpr std::uint32_t loan = 64;

}  // namespace

State::Peer State::fresh_peer() const {
  Peer peer;
  peer.bytes = window_bytes_;
  peer.messages = window_messages_;
  return peer;
}

// A process exchanges messages with few of the guests that a job can have, so their entries are made on demand.
State::Peer& State::guest_peer(PeId pe) {
  const std::uint32_t rank = pe.value() - pe_.job.cohort().first.value();
  if (rank < cohort_peers_.size()) return cohort_peers_[rank];
  const auto found = guest_peers_.find(pe.value());
  return (found != guest_peers_.end() ? found : guest_peers_.emplace(pe.value(), fresh_peer()).first)->second;
}

// Lends credit to the peers that withhold messages and match the pattern.
void State::lend(const Pattern& pattern, std::vector<std::pair<PeId, Header>>& loans) {
  if (withholding_ == 0) return;
  auto look = [&](std::uint32_t pe, const Peer& peer) {
    if (peer.withholds && (!pattern.source || *pattern.source == PeId(pe)))
      loans.emplace_back(PeId(pe), lend(PeId(pe)));
  };
  for (std::uint32_t pe = 0; pe < peers_.size(); ++pe) look(pe, peers_[pe]);
  const std::uint32_t first = pe_.job.cohort().first.value();
  for (std::uint32_t rank = 0; rank < cohort_peers_.size(); ++rank) look(first + rank, cohort_peers_[rank]);
  for (const auto& [pe, peer] : guest_peers_) look(pe, peer);
}

Header State::lend(PeId pe) {
  Header header = header_for(pe, Kind::credit);
  Peer& peer = peer_of(pe);
  if (std::exchange(peer.withholds, false)) --withholding_;
  std::uint32_t more = std::min(loan, 65535u - header.credit_messages);
  peer.lent += more;
  header.credit_messages = static_cast<std::uint16_t>(header.credit_messages + more);
  return header;
}

// In a handler, where sending does not wait: under the lock, so that no thread overtakes what was withheld.
void State::drain(PeId pe) {
  Peer& peer = peer_of(pe);
  if (!peer.waiting || peer.waiting->empty()) return;
  while (peer.messages != 0 && !peer.waiting->empty()) {
    Operation& send = *peer.waiting->front();
    send.link.unlink();
    send.stage = Stage::moving;
    --withheld_;
    --peer.messages;
    bool eager = send.mode == SendMode::standard && send.bytes <= std::min(options_.eager_bytes, short_payload) &&
                 peer.bytes >= send.bytes;
    if (eager) {
      peer.bytes -= send.bytes;
      tell(pe, eager_header_for(pe, send.outcome.envelope.tag, send.outcome.envelope.label), {send.memory, send.bytes});
      finish(send, Status::ok);
    } else {
      tell(pe, announcement(send));
    }
  }
  peer.said_withheld = !peer.waiting->empty();
  if (peer.said_withheld) tell(pe, header_for(pe, Kind::withheld));
}

void State::on_withheld(PeId source) {
  Header header;
  {
    std::lock_guard lock(lock_);
    Peer& peer = peer_of(source);
    if (!std::exchange(peer.withholds, true)) ++withholding_;
    if (posted_.awaits(source)) header = lend(source);
    else if (peer.returned_messages != 0) header = header_for(source, Kind::credit);
    else return;
  }
  tell(source, header);
}

}  // namespace atl::runtime::matching
