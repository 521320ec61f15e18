// SPDX-License-Identifier: Apache-2.0
// What interfaces of different PEs send one another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "atoll/portal/portal.hpp"

namespace atl::runtime::portal {

enum class Kind : std::uint8_t { request = 1, answer };

/// What an initiator asks for, as both sides know it.
struct Demand {
  std::uint8_t interface = 0;
  OperationKind operation = OperationKind::put;
  Acknowledge acknowledge = Acknowledge::none;
  Arithmetic arithmetic = Arithmetic::swap;
  Scalar type = Scalar::int8;
  std::uint32_t portal = 0;
  std::uint32_t uid = 0;
  std::uint32_t cookie = UINT32_MAX;
  std::uint64_t match_bits = 0;
  std::uint64_t remote_offset = 0;
  std::uint64_t header = 0;
  std::uint64_t bytes = 0;
};

// A demand on its way: this, then the words that `words` names, in that order, of a swap 32 bytes of operand, and the
// data of a put, an atomic, a swap. So a put of 8 bytes fits into a ring's slot, which is one line, and saves a
// transfer between cores.
//
// | offset | bytes | field       | valid when                                                          |
// |--------|-------|-------------|---------------------------------------------------------------------|
// |   0    |   1   | kind        | Kind::request                                                       |
// |   1    |   1   | interface   | of the target, and of the initiator                                 |
// |   2    |   1   | operation   | OperationKind; from bit 4 on: Acknowledge                           |
// |   3    |   1   | words       | which words follow: or'ed, see below                                |
// |   4    |   4   | portal      |                                                                     |
// |   8    |   4   | uid         | of the initiator                                                    |
// |  12    |   4   | cookie      | the initiator's pending operation; UINT32_MAX: it wants no answer   |
// |  16    |   8   | match_bits  |                                                                     |
struct DemandHead {
  Kind kind;
  std::uint8_t interface;
  std::uint8_t operation;
  std::uint8_t words;
  std::uint32_t portal;
  std::uint32_t uid;
  std::uint32_t cookie;
  std::uint64_t match_bits;
};
static_assert(sizeof(DemandHead) == 24);

inline constexpr std::uint8_t has_offset = 1;      // remote_offset; without: 0
inline constexpr std::uint8_t has_header = 2;      // header; without: 0
inline constexpr std::uint8_t has_bytes = 4;       // bytes; without: as many as data
inline constexpr std::uint8_t has_arithmetic = 8;  // arithmetic, and type in the next byte
inline constexpr std::size_t operand_bytes = 32;

/// A demand as it is sent.
class DemandText {
 public:
  DemandText(const Demand& demand, std::span<const std::byte> operand) {
    DemandHead head{Kind::request,
                    demand.interface,
                    static_cast<std::uint8_t>(static_cast<unsigned>(demand.operation) |
                                              static_cast<unsigned>(demand.acknowledge) << 4),
                    0,
                    demand.portal,
                    demand.uid,
                    demand.cookie,
                    demand.match_bits};
    if (demand.remote_offset != 0) add(head, has_offset, demand.remote_offset);
    if (demand.header != 0) add(head, has_header, demand.header);
    if (demand.operation == OperationKind::get) add(head, has_bytes, demand.bytes);
    if (demand.operation > OperationKind::get)
      add(head, has_arithmetic,
          static_cast<std::uint64_t>(demand.arithmetic) | static_cast<std::uint64_t>(demand.type) << 8);
    std::memcpy(text_, &head, sizeof(head));
    if (demand.operation != OperationKind::swap) return;
    std::memcpy(text_ + size_, operand.data(), operand_bytes);
    size_ += operand_bytes;
  }
  std::span<const std::byte> bytes() const { return {text_, size_}; }

 private:
  void add(DemandHead& head, std::uint8_t word, std::uint64_t value) {
    head.words = static_cast<std::uint8_t>(head.words | word);
    std::memcpy(text_ + size_, &value, sizeof(value));
    size_ += sizeof(value);
  }
  std::byte text_[sizeof(DemandHead) + 3 * sizeof(std::uint64_t) + operand_bytes];
  std::size_t size_ = sizeof(DemandHead);
};

/// Reads a demand; what is behind it stays in `text`. False: it is none.
inline bool read(std::span<const std::byte>& text, Demand& demand) {
  DemandHead head;
  if (text.size() < sizeof(head)) return false;
  std::memcpy(&head, text.data(), sizeof(head));
  text = text.subspan(sizeof(head));
  demand.interface = head.interface;
  demand.operation = static_cast<OperationKind>(head.operation & 15);
  demand.acknowledge = static_cast<Acknowledge>(head.operation >> 4);
  demand.portal = head.portal;
  demand.uid = head.uid;
  demand.cookie = head.cookie;
  demand.match_bits = head.match_bits;
  bool whole = true;
  auto word = [&](std::uint8_t which) {
    std::uint64_t value = 0;
    if ((head.words & which) == 0) return value;
    whole = whole && text.size() >= sizeof(value);
    if (!whole) return value;
    std::memcpy(&value, text.data(), sizeof(value));
    text = text.subspan(sizeof(value));
    return value;
  };
  demand.remote_offset = word(has_offset);
  demand.header = word(has_header);
  demand.bytes = word(has_bytes);
  std::uint64_t arithmetic = word(has_arithmetic);
  demand.arithmetic = static_cast<Arithmetic>(arithmetic & 255);
  demand.type = static_cast<Scalar>(arithmetic >> 8);
  std::size_t before = demand.operation == OperationKind::swap ? operand_bytes : 0;
  if (!whole || text.size() < before) return false;
  if (demand.operation != OperationKind::get) demand.bytes = text.size() - before;
  return true;
}

// Behind it: the data of a get, or what an atomic has fetched.
//
// | offset | bytes | field     | valid when                                     |
// |--------|-------|-----------|------------------------------------------------|
// |   0    |   1   | kind      | Kind::answer                                   |
// |   1    |   1   | interface |                                                |
// |   2    |   1   | failure   | Failure                                        |
// |   3    |   1   | list      | ListKind, without failure                      |
// |   4    |   4   | cookie    | of the request                                 |
// |   8    |   8   | moved     | bytes                                          |
// |  16    |   8   | offset    | in the entry                                   |
struct Answer {
  Kind kind = Kind::answer;
  std::uint8_t interface = 0;
  Failure failure = Failure::none;
  ListKind list = ListKind::priority;
  std::uint32_t cookie = 0;
  std::uint64_t moved = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(Answer) == 24);

}  // namespace atl::runtime::portal
