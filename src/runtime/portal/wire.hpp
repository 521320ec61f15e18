// SPDX-License-Identifier: Apache-2.0
// What interfaces of different PEs send one another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atoll/runtime/portal.hpp"

namespace atl::runtime::portal {

enum class Kind : std::uint8_t { request = 1, answer };

// Behind it: of a swap 32 bytes of operand; then the data of a put, an atomic, a swap.
//
// | offset | bytes | field         | valid when                                                                |
// |--------|-------|---------------|---------------------------------------------------------------------------|
// |   0    |   1   | kind          | Kind::request                                                             |
// |   1    |   1   | interface     | of the target, and of the initiator                                       |
// |   2    |   1   | operation     | OperationKind                                                             |
// |   3    |   1   | acknowledge   | Acknowledge: put, atomic                                                  |
// |   4    |   1   | arithmetic    | Arithmetic: atomic, fetch_atomic, swap                                    |
// |   5    |   1   | type          | Scalar: likewise                                                          |
// |   6    |   2   | zero          |                                                                           |
// |   8    |   4   | portal        |                                                                           |
// |  12    |   4   | uid           | of the initiator                                                          |
// |  16    |   4   | cookie        | the initiator's pending operation; UINT32_MAX: it wants no answer         |
// |  20    |   4   | zero2         |                                                                           |
// |  24    |   8   | match_bits    |                                                                           |
// |  32    |   8   | remote_offset |                                                                           |
// |  40    |   8   | bytes         | asked for                                                                 |
// |  48    |   8   | header        |                                                                           |
struct Demand {
  Kind kind = Kind::request;
  std::uint8_t interface = 0;
  OperationKind operation = OperationKind::put;
  Acknowledge acknowledge = Acknowledge::none;
  Arithmetic arithmetic = Arithmetic::swap;
  Scalar type = Scalar::int8;
  std::uint16_t zero = 0;
  std::uint32_t portal = 0;
  std::uint32_t uid = 0;
  std::uint32_t cookie = UINT32_MAX;
  std::uint32_t zero2 = 0;
  std::uint64_t match_bits = 0;
  std::uint64_t remote_offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;
};
static_assert(sizeof(Demand) == 56);

struct SwapDemand {
  Demand request;
  std::array<std::byte, 32> operand;
};
static_assert(sizeof(SwapDemand) == 88);

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
