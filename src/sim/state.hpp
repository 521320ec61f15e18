// SPDX-License-Identifier: Apache-2.0
// What a simulation of schedules holds: its events, what it knows of each PE, and what all its threads share.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/sim/network.hpp"
#include "atoll/sim/noise.hpp"
#include "atoll/sim/simulate.hpp"
#include "cores.hpp"

namespace atl::sim {

// The first collective begins here, so that nothing looks back before time.
inline constexpr Time origin = 1'000'000'000;

enum class Message : std::uint8_t {
  begin,     // of a PE: no message
  turn,      // of a core that PEs share: no message
  small,     // data that is sent unasked, of puts
  announce,  // a put has data
  fetch,     // the receiver's interface reads them
  fetched,   // the data of a put that was announced
  large,     // data that is sent unasked, of sends
  offer,     // a send has data
  request,   // a receive wants it
  data,
  done,      // it was read
};
inline constexpr std::uint8_t message_mask = 15;
inline constexpr std::uint8_t leaving = 16;  // it has not passed the sender's interface yet
inline constexpr std::uint8_t folds = 32;    // what arrives is combined

struct Event {
  Time time;
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t bytes : 56;
  std::uint64_t kind : 8;
};
static_assert(sizeof(Event) == 24);

inline constexpr std::uint64_t offered = std::uint64_t{1} << 63;  // in the note of a letter: nothing has been sent yet

enum class Waiting : std::uint8_t { nothing, take, fetched, join };
struct alignas(64) Pe {
  Time free = 0;  // when the executor of its schedule has done what was begun
  Time issue = 0;  // when it may begin the next message
  Time joined = 0;  // when the last of the transfers since the last join was done
  std::uint32_t step = 0;
  std::uint32_t peer = 0;  // that it waits for
  std::uint32_t outstanding = 0;  // transfers
  std::uint32_t repeats = 0;  // left
  Waiting waiting = Waiting::nothing;
  bool by_bits = false;
};
static_assert(sizeof(Pe) == 64);

// Of all PEs and nodes: each is touched by the part that it belongs to alone, where links are not shared.
struct Whole {
  Whole(const Machine& machine, const Workload& work)
      : noise(machine, work.nodes * work.pes_per_node, work.seed),
        network(machine, work.nodes, work.seed),
        state(work.nodes * work.pes_per_node),
        cores(machine, work.nodes, work.pes_per_node, work.executor) {}
  Noise noise;
  Network network;
  std::vector<Pe> state;
  Cores<Event> cores;
};

}  // namespace atl::sim
