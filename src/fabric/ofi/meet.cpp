// SPDX-License-Identifier: Apache-2.0
#include "meet.hpp"

#include <cstring>
#include <string_view>

#include "atoll/base/units.hpp"
#include "atoll/base/validate.hpp"

namespace atl::fabric::ofi {
namespace {

// The one of that number among those that a process has sent.
Card read_card(const Job& job, PeId pe, const std::string& bytes, std::size_t number) {
  Card card{};
  bool known = bytes.size() % sizeof(card) == 0 && bytes.size() > number * sizeof(card);
  if (known) std::memcpy(&card, bytes.data() + number * sizeof(card), sizeof(card));
  ATOLL_VALIDATE(known && card.magic != __builtin_bswap64(card_magic), SetupError,
                 "{} has another byte order than this PE: Atoll's jobs need one", job.describe(pe));
  ATOLL_VALIDATE(card.magic == card_magic && card.version == wire_version && card.address_bytes <= sizeof(card.address),
                 SetupError,
                 "{} speaks another version of Atoll's network protocol ({} instead of {}). Use one version "
                 "on all nodes",
                 job.describe(pe), card.version, wire_version);
  return card;
}

}  // namespace

RemoteMemory meet(Device& device, const Job& job, PeId self, PeId pe, const std::string& cards, std::size_t lane) {
  const Card card = read_card(job, pe, cards, lane), own = device.card();
  ATOLL_VALIDATE(std::string_view(card.provider) == own.provider, SetupError,
                 "{} uses the network by '{}', {} by '{}'. Set ATOLL_NETWORK_SECURITY alike on all nodes, and "
                 "ATOLL_FABRIC_PROVIDER to one that all have",
                 job.describe(self), own.provider, job.describe(pe), card.provider);
  ATOLL_VALIDATE(card.segment_bytes == own.segment_bytes, SetupError,
                 "{} has a segment of {}, {} one of {}. Set ATOLL_HEAP_SIZE alike on all nodes", job.describe(self),
                 format_bytes(own.segment_bytes), job.describe(pe), format_bytes(card.segment_bytes));
  const fi_addr_t address = device.add_peer(card);
  ATOLL_VALIDATE(
      address != FI_ADDR_UNSPEC, SetupError,
      "{} has an address that the network of {} cannot use. Name one interface to both: ATOLL_FABRIC_INTERFACES",
      job.describe(pe), job.describe(self));
  return {.address = address,
          .tag = card.tag,
          .reachable = card.has_rma == 1 && own.has_rma == 1,
          .has_slots = card.has_slots == 1 && own.has_slots == 1,
          .base = card.segment_base,
          .key = card.segment_key,
          .slots_base = card.slots_base,
          .slots_key = card.slots_key,
          .longest_message = card.longest_message};
}

}  // namespace atl::fabric::ofi
