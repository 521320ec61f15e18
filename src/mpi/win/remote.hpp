// SPDX-License-Identifier: Apache-2.0
// Operations that the target carries out itself, told by a message: where its memory can be reached in no other way.
#pragma once

#include <atomic>
#include <memory>
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

/// What the orders of one operation with a request of its own are answered.
struct Answers {
  std::atomic<std::uint32_t> left{0};  ///< that have not come. Released behind what each brings
  std::atomic<Refusal> refused{Refusal{}};
};

/// While it lives, the orders that this thread sends are those of one operation: refusals of them are no others'
/// matter.
class Apart {
 public:
  Apart();
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  /// Null: no order was sent.
  const std::shared_ptr<Answers>& answers() const { return answers_; }
  const std::shared_ptr<Answers>& expect_one();

 private:
  std::shared_ptr<Answers> answers_;
};

/// Memory here into which an answer goes. The type is kept until it has come.
struct Answer {
  datatype::TypePtr type;  ///< null: there is none
  Count count = 0;
  void* base = nullptr;
  std::shared_ptr<Answers> apart = nullptr;  ///< null: its refusal is the window's
};

/// `data`: packed, for put and accumulate; value and compare, for compare_and_swap. Returns when the data may be
/// reused.
void send_order(Window& window, const Spot& spot, Order order, const datatype::Region& region,
                std::span<const std::byte> data, op::Code code, const datatype::Type* element, const Answer& answer);

/// Until all orders of this rank have been answered.
void wait_for_answers(Window& window);
/// Failure when one of them has been refused, for memory that is not attached most of all. At the end of calls, which
/// have done the rest. Of threads that ask, one is told.
void check_answers(Window& window);
/// Failure of that refusal, if it is one, for the window's error handler.
void check_refusal(Window& window, const Refusal& refusal);

}  // namespace atl::mpi::win
