// SPDX-License-Identifier: Apache-2.0
// What processes of different nodes send one another. All of it little-endian, and of one version: cards are compared
// before anything else is sent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/fabric/layout.hpp"

namespace atl::fabric::ofi {

inline constexpr std::uint32_t wire_version = 8;
inline constexpr std::uint64_t card_magic = 0x4452434C4F5441ull;  // "ATOLCRD"; reads otherwise in another byte order

// What a process tells all others through the launcher: one of these for each of its endpoints.
//
// | offset | bytes | field           | valid when                                                            |
// |--------|-------|-----------------|-----------------------------------------------------------------------|
// |   0    |   8   | magic           | card_magic                                                            |
// |   8    |   4   | version         | wire_version                                                          |
// |  12    |   4   | address_bytes   | of the provider's address, 1 … 144                                    |
// |  16    |   8   | segment_bytes   | alike on all PEs                                                      |
// |  24    |   8   | segment_base    | what the provider counts the segment's addresses from                 |
// |  32    |   8   | segment_key     | has_rma is 1                                                          |
// |  40    |   4   | has_rma         | 1: the segment can be read and written by the network itself          |
// |  44    |   4   | has_slots       | 1: a header can be written with its payload, see slots_per_peer       |
// |  48    |  32   | provider        | its name, then zeros                                                  |
// |  80    |   8   | slots_base      | what the provider counts the slots' addresses from; has_slots is 1    |
// |  88    |   8   | slots_key       | has_slots is 1                                                        |
// |  96    |   8   | longest_message | the longest active message that it receives                           |
// | 104    |   4   | tag             | what headers to this process carry                                    |
// | 108    |   4   | zero            |                                                                       |
// | 112    | 144   | address         | first address_bytes of it                                             |
struct Card {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t address_bytes;
  std::uint64_t segment_bytes;
  std::uint64_t segment_base;
  std::uint64_t segment_key;
  std::uint32_t has_rma;
  std::uint32_t has_slots;
  char provider[32];
  std::uint64_t slots_base;
  std::uint64_t slots_key;
  std::uint64_t longest_message;
  std::uint32_t tag;
  std::uint32_t zero;
  std::byte address[144];
};
static_assert(sizeof(Card) == 256 && offsetof(Card, provider) == 48 && offsetof(Card, address) == 112);

enum class MessageType : std::uint8_t {
  put,         ///< payload to `offset`
  put_word,    ///< `operand`, of `width` bytes, to `offset`, at once
  put_signal,  ///< payload to `offset`, then the atomic `op` with `operand` on the 64-bit word at `signal`
  update,      ///< the atomic `op` with `operand` on the word at `offset`
  flush,       ///< nothing: its acknowledgement says that what went before has arrived
  post,        ///< payload to the listener; `number` is its kind
  ring,        ///< wakes the PE
  message,     ///< payload to the inbox; `number` is the handler, see message_number()
  atomic,      ///< as update, but asks for the old value; the payload is what to compare with
  get,         ///< asks for the `number` bytes at `offset`
  answer,      ///< to atomic and get: `operand` is the old value, or the payload is what was asked for
  ack,         ///< nothing but what every header says
  news,        ///< payload is a NewsRecord
  ping,        ///< asks for a pong
  pong,
  bye,         ///< the sender leaves in good order: messages under way to it are of no use
};

/// When the addressee tells that it has carried an operation out; `never`: it does not count it.
enum class Acknowledge : std::uint8_t { never, later, at_once };

// Every message starts with one.
//
// | offset | bytes | field         | valid when                                                                     |
// |--------|-------|---------------|--------------------------------------------------------------------------------|
// |   0    |   1   | type          | MessageType                                                                    |
// |   1    |   1   | op            | put_signal, update, atomic: AtomicOp                                           |
// |   2    |   1   | width         | put_word: 1, 2, 4 or 8; update, atomic: 4 or 8                                 |
// |   3    |   1   | acknowledge   | put … ring, bye: Acknowledge                                                   |
// |   4    |   4   | source        | PE of the sender                                                               |
// |   8    |   4   | done          | always: operations of the addressee that are complete here and counted, mod 2^32 |
// |  12    |   4   | taken         | always: messages of the addressee that are in the inbox, by weight, mod 2^32 |
// |  16    |   4   | request       | atomic, get, answer: the asker's number for it                                 |
// |  20    |   4   | number        | see MessageType                                                                |
// |  24    |   4   | read          | always: slots of the addressee's that were read here, mod 2^32                 |
// |  28    |   4   | place         | always: headers that the sender had sent to the addressee before, mod 2^32     |
// |  32    |   8   | offset        | in the addressee's segment                                                     |
// |  40    |   8   | operand       | see MessageType                                                                |
// |  48    |   8   | signal        | put_signal; offset in the addressee's segment                                  |
// |  56    |   4   | tag           | always: the addressee's. An address may have been another process's before     |
// |  60    |   4   | zero          |                                                                                |
struct Header {
  MessageType type;
  std::uint8_t op;
  std::uint8_t width;
  Acknowledge acknowledge;
  std::uint32_t source;
  std::uint32_t done;
  std::uint32_t taken;
  std::uint32_t request;
  std::uint32_t number;
  std::uint32_t read;
  std::uint32_t place;
  std::uint64_t offset;
  std::uint64_t operand;
  std::uint64_t signal;
  std::uint32_t tag;
  std::uint32_t zero;
};
static_assert(sizeof(Header) == 64 && offsetof(Header, offset) == 32 && offsetof(Header, tag) == 56);

inline Header header_of(MessageType type) {
  Header header{};
  header.type = type;
  return header;
}
/// Header::number of an active message.
inline std::uint32_t message_number(std::uint16_t handler, std::uint16_t kind) {
  return std::uint32_t{kind} << 16 | handler;
}
inline std::uint16_t handler_of(std::uint32_t number) { return static_cast<std::uint16_t>(number); }
inline std::uint16_t kind_of(std::uint32_t number) { return static_cast<std::uint16_t>(number >> 16); }
inline bool is_counted(const Header& header) { return header.acknowledge != Acknowledge::never; }

/// A long put goes out in one write: the payload to its place, its header to one of so many slots that the target keeps
/// for each process, in turn, and the slot's number + 1 with the completion there. All numbers fit into 32 bits. Or the
/// header is a Note with the completion (note.hpp); it counts as one in the next slot.
inline constexpr std::uint32_t slots_per_peer = 32;
inline std::uint32_t slot_of(std::uint32_t source, std::uint32_t written) {
  return source * slots_per_peer + written % slots_per_peer;
}

/// Most bytes of a message that is sent from a buffer, and of what follows its header. Longer transfers are left to the
/// network itself, where it can. 16 KiB: what the tcp provider sends without asking first.
inline constexpr std::size_t most_message = 16384;
inline constexpr std::size_t most_payload = most_message - sizeof(Header);
static_assert(most_payload >= message_bytes);
/// What an active message counts in flow control, at both ends: what waits at the target is bounded in bytes, too.
inline constexpr std::uint32_t weight_of(std::size_t bytes) { return 1 + static_cast<std::uint32_t>(bytes / 65536); }

// | offset | bytes | field  | valid when                          |
// |--------|-------|--------|-------------------------------------|
// |   0    |   4   | kind   | News::Kind                          |
// |   4    |   4   | pe     | failed                              |
// |   8    |   4   | pid    | failed                              |
// |  12    |   4   | status | failed, exit                        |
// |  16    |   4   | bytes  | length of text, 0 … 156             |
// |  20    |  156  | text   | first `bytes` of it                 |
struct NewsRecord {
  std::uint32_t kind;
  std::uint32_t pe;
  std::int32_t pid;
  std::int32_t status;
  std::uint32_t bytes;
  char text[156];
};
static_assert(sizeof(NewsRecord) == 176 && offsetof(NewsRecord, text) == 20);

}  // namespace atl::fabric::ofi
