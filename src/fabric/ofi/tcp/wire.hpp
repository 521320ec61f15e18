// SPDX-License-Identifier: Apache-2.0
// What processes send one another over Atoll's own TCP transport. All of it little-endian. A connection begins with a
// hello and a challenge of fixed size; then each direction is a stream of records:
//
// | offset | bytes | field | valid when                                                      |
// |--------|-------|-------|-----------------------------------------------------------------|
// |   0    |   4   | bytes | length of the body, 1 … most_record; or'ed with poly1305_bit     |
// |   4    | bytes | body  | encrypted where that is the protection                          |
// |  4 + bytes | 16 | tag  | of the body and its number; none where there is no protection.  |
// |        |       |       | `auth`: of Poly1305 if poly1305_bit is set, else of GMAC         |
//
// Bodies: a command, its targets, and its first data; what is left of the data follows in records of its own.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>

namespace atl::fabric::ofi::tcp {

inline constexpr std::uint32_t version = 3;
inline constexpr std::uint64_t magic = 0x5443504C4C4F5441ull;  // "ATOLLPCT"

// Where an endpoint is, and how it proves to be itself: what its process tells all others through the launcher.
//
// | offset | bytes | field        | valid when                              |
// |--------|-------|--------------|-----------------------------------------|
// |   0    |  28   | socket       | first socket_bytes of it                |
// |  28    |   4   | socket_bytes | of a sockaddr_in or sockaddr_in6        |
// |  32    |   4   | pe           |                                         |
// |  36    |   4   | lane         | which of the PE's endpoints             |
// |  40    |  32   | public_key   | of X25519                               |
struct Address {
  std::byte socket[28];
  std::uint32_t socket_bytes;
  std::uint32_t pe;
  std::uint32_t lane;
  char public_key[32];
};
static_assert(sizeof(Address) == 72 && sizeof(sockaddr_in6) <= sizeof(Address::socket));

// What the side that connects says first.
//
// | offset | bytes | field      | valid when                     |
// |--------|-------|------------|--------------------------------|
// |   0    |   8   | magic      | magic                          |
// |   8    |   4   | version    | version                        |
// |  12    |   4   | protection | Protection, alike on both sides |
// |  16    |   4   | source     | PE that connects               |
// |  20    |   4   | target     | PE that it connects to         |
// |  24    |   4   | lane       | of both                        |
// |  28    |   4   | zero       |                                |
// |  32    |  32   | nonce      | random                         |
struct Hello {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t protection;
  std::uint32_t source;
  std::uint32_t target;
  std::uint32_t lane;
  std::uint32_t zero;
  char nonce[32];
};
static_assert(sizeof(Hello) == 64);

// The answer. The side that connected sends its own proof (32 bytes). The other side then decides whether it uses this
// connection, sends Challenge::acceptance() (32 bytes) or closes it; records follow. Until the acceptance is there,
// nothing is sent, so that a connection that is closed in favor of another one has carried nothing.
//
// | offset | bytes | field | valid when                         |
// |--------|-------|-------|------------------------------------|
// |   0    |  32   | nonce | random                             |
// |  32    |  32   | proof | Challenge::proof_of the responder  |
struct Answer {
  char nonce[32];
  char proof[32];
};
static_assert(sizeof(Answer) == 64);

enum class Action : std::uint8_t {
  message,    ///< data into a receive
  write,      ///< data to the targets
  read,       ///< asks for the bytes of the one target
  data,       ///< the answer to the oldest read that has none
  delivered,  ///< the oldest `number` writes that asked for it have arrived
};

// | offset | bytes | field   | valid when                                            |
// |--------|-------|---------|-------------------------------------------------------|
// |   0    |   1   | action  | Action                                                |
// |   1    |   1   | targets | write: 1 or 2; read: 1; others: 0                     |
// |   2    |   1   | tells   | write: 1: the process is told, with `number`          |
// |   3    |   1   | asks    | write: 1: answer when it has arrived                  |
// |   4    |   4   | zero    |                                                       |
// |   8    |   8   | bytes   | data that follow the command and its targets          |
// |  16    |   8   | number  | see above                                             |
struct Command {
  Action action;
  std::uint8_t targets;
  std::uint8_t tells;
  std::uint8_t asks;
  std::uint32_t zero;
  std::uint64_t bytes;
  std::uint64_t number;
};
static_assert(sizeof(Command) == 24);

// | offset | bytes | field  | valid when                              |
// |--------|-------|--------|-----------------------------------------|
// |   0    |   8   | offset | in the region                           |
// |   8    |   8   | bytes  | offset + bytes is inside of the region  |
// |  16    |   8   | key    | of a region of the addressee's memory   |
struct Target {
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint64_t key;
};
static_assert(sizeof(Target) == 24);

inline constexpr std::size_t most_targets = 2;
inline constexpr std::size_t most_head = sizeof(Command) + most_targets * sizeof(Target);
/// Data of one record: long enough that a tag costs little for each byte, short enough to stay in the cache between the
/// copy, the tag and the kernel's own copy.
inline constexpr std::size_t most_data = std::size_t{64} << 10;
/// Of the first ones after a pause, so that the other side has work soon.
inline constexpr std::size_t first_data = std::size_t{16} << 10;
inline constexpr std::size_t most_record = most_head + most_data;
inline constexpr std::uint32_t poly1305_bit = std::uint32_t{1} << 31;
static_assert(most_record < poly1305_bit);

}  // namespace atl::fabric::ofi::tcp
