// SPDX-License-Identifier: Apache-2.0
// Messages that start processes in a running job of several hosts: the request of a PE, the order to the agent of a
// host, and the network card of a new process, which all other PEs add.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/bootstrap/guests.hpp"

namespace atl::runtime {

// Bodies, numbers of 4 bytes, texts and lists as frame.hpp says. A program is: count, command, directory, path, note,
// hosts.
// GuestWish: request, room, programs (their number, each).
struct GuestWish {
  std::uint32_t request = 0;  ///< the PE's number for it
  std::uint32_t room = 0;     ///< PEs that may come to the job in all
  std::vector<GuestProgram> programs;
};

// GuestOrder: first, count, seats (their number; each: PE, number of the program), programs.
struct GuestOrder {
  struct Seat {
    std::uint32_t pe = 0;
    std::uint32_t program = 0;
  };
  std::uint32_t first = 0;  ///< of the cohort
  std::uint32_t count = 0;  ///< likewise, on all hosts
  std::vector<Seat> seats;  ///< on this host
  std::vector<GuestProgram> programs;
};

// Newcomer: PE, node, host, card.
// JobOptions: npes, segment_bytes (8), threads_per_pe, node, guests, node_of_pe (to the end).
std::string pack(const GuestWish& wish);
std::string pack(const GuestOrder& order);
std::string pack(const Newcomer& newcomer);
std::string pack(const fabric::JobOptions& options);
/// These throw SetupError for anything else.
GuestWish unpack_guest_wish(std::string_view body);
GuestOrder unpack_guest_order(std::string_view body);
Newcomer unpack_newcomer(std::string_view body);
fabric::JobOptions unpack_job_options(std::string_view body);

}  // namespace atl::runtime
