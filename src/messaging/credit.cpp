// SPDX-License-Identifier: Apache-2.0
// Flow control. Each PE may have a share of messages and bytes at every other, and counts it down as it
// sends; the receiver returns the credit as receives take them. Without credit for bytes a message is announced and
// its payload stays; without credit for messages it stays altogether, in order.
#include <algorithm>

#include "state.hpp"

namespace atl::runtime::matching {
namespace {

// Messages a sender gets above its share when a receive waits that nothing here fits.
constexpr std::uint32_t loan = 64;

}  // namespace

Header State::lend(PeId pe) {
  Header header = header_for(pe, Kind::credit);
  Peer& peer = peers_[pe.value()];
  if (std::exchange(peer.withholds, false)) --withholding_;
  std::uint32_t more = std::min(loan, 65535u - header.credit_messages);
  peer.lent += more;
  header.credit_messages = static_cast<std::uint16_t>(header.credit_messages + more);
  return header;
}

// In a handler, where sending does not wait: under the lock, so that no thread overtakes what was withheld.
void State::drain(PeId pe) {
  Peer& peer = peers_[pe.value()];
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
    Peer& peer = peers_[source.value()];
    if (!std::exchange(peer.withholds, true)) ++withholding_;
    if (posted_.awaits(source)) header = lend(source);
    else if (peer.returned_messages != 0) header = header_for(source, Kind::credit);
    else return;
  }
  tell(source, header);
}

}  // namespace atl::runtime::matching
