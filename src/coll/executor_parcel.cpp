// SPDX-License-Identifier: Apache-2.0
// Transfers that are a single mailbox message: they need neither a chunk nor an answer.
#include <algorithm>
#include <cstring>

#include "executor.hpp"

namespace atl::coll::detail {

// Parcels to one peer are sent and received in the order of the transfers.
bool Executor::is_next_to_peer(const Transfer& outgoing) const {
  auto same = [&](const Transfer& one) { return !one.done && one.outgoing && one.peer == outgoing.peer; };
  return &*std::find_if(transfers_.begin(), transfers_.end(), same) == &outgoing;
}

bool Executor::awaits_parcel(std::uint32_t peer, std::uint32_t tag) const {
  auto from_peer = [&](const Transfer& one) { return !one.done && one.parcel && one.peer == peer; };
  auto next = std::find_if(transfers_.begin(), transfers_.end(), from_peer);
  return next != transfers_.end() && parcel_tag(next->bytes) == tag;
}

bool Executor::send_parcel(Transfer& transfer) {
  if (!is_next_to_peer(transfer)) return false;
  std::uint32_t tag = parcel_tag(transfer.bytes);
  bool sent = transfer.placed ? mail_.put_in_place(transfer.peer, tag, transfer.data, transfer.bytes, transfer.place)
                              : mail_.put_parcel(transfer.peer, tag, transfer.data, transfer.bytes);
  if (!sent) return false;
  finish_outgoing(transfer);
  return true;
}

bool Executor::take_parcel(Transfer& transfer) {
  std::uint32_t found;
  const Cell* cell = mail_.peek(transfer.peer, found);
  if (cell == nullptr || found != parcel_tag(transfer.bytes)) return false;
  if (transfer.placed) {
    mail_.finish_cell(transfer.peer);
  } else {
    const std::byte* arrived = mail_.parcel(transfer.peer, *cell);
    if (transfer.fold) combine(transfer.side, transfer.data, arrived, transfer.own, transfer.bytes);
    else std::memcpy(transfer.data, arrived, transfer.bytes);
    mail_.finish_parcel(transfer.peer);
  }
  finish_incoming(transfer);
  return true;
}

}  // namespace atl::coll::detail
