// SPDX-License-Identifier: Apache-2.0
// Operations that the target carries out itself, told by a message: where its memory can be reached in no other way.
#pragma once

#include <span>
#include <vector>

#include "op/kernel.hpp"
#include "win/reach.hpp"

namespace atl::mpi::win {

/// Makes the window known to messages from others.
void announce(Window& window);
void forget(Window& window);

/// What the target is asked to do.
enum class Order : std::uint16_t { put, get, accumulate, compare_and_swap };

/// Memory here into which an answer goes. The type is kept until it has come.
struct Answer {
  datatype::TypePtr type;  ///< null: there is none
  Count count = 0;
  void* base = nullptr;
};

/// `data`: packed, for put and accumulate; value and compare, for compare_and_swap. Returns when the data may be reused.
void send_order(Window& window, const Spot& spot, Order order, const datatype::Region& region, std::span<const std::byte> data,
                op::Code code, const datatype::Type* element, const Answer& answer);

/// Until all orders of this rank have been answered.
void wait_for_answers(Window& window);
/// What one of them has been refused for: of threads that ask, one hears of it.
Refusal take_refusal(Window& window);
/// Failure when one of them has been refused, for memory that is not attached most of all. At the end of calls, which have done the rest.
void check_answers(Window& window);

}  // namespace atl::mpi::win
