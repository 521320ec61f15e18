// SPDX-License-Identifier: Apache-2.0
// Operations that the target carries out itself on request by message, because its memory cannot be reached otherwise.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "op/kernel.hpp"
#include "request/request.hpp"
#include "win/reach.hpp"

namespace atl::mpi::win {

/// Registers the window for requests of other ranks.
void announce(Window& window);
void forget(Window& window);

/// The requested operation.
enum class Order : std::uint16_t { put, get, accumulate, compare_and_swap };

/// The answers to the orders of one operation that has an MPI request (the R forms).
struct Answers {
  /// Outstanding answers. Decremented with release after the data of each is stored.
  std::atomic<std::uint32_t> left{0};
  std::atomic<Refusal> refused{Refusal{}};
};

/// While an Apart exists, all orders and queued accesses of this thread belong to one operation that has an MPI
/// request, and their failures are reported to it alone.
class Apart {
 public:
  Apart();
  ~Apart();
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  /// Null: no order was sent.
  const std::shared_ptr<Answers>& answers() const { return answers_; }
  const std::shared_ptr<Answers>& expect_one();
  /// The request of an operation that sent no order; null: it was complete at once.
  Ref<Request> take_request() { return std::move(request_); }
  void set_request(Ref<Request> request) { request_ = std::move(request); }
  /// Of this thread; null: there is none.
  static Apart* current();

 private:
  Ref<Request> request_;
  std::shared_ptr<Answers> answers_;
};

/// Local memory that receives an answer. Holds the type until the answer has arrived.
struct Answer {
  datatype::TypePtr type;  ///< null: the answer carries no data
  Count count = 0;
  void* base = nullptr;
  std::shared_ptr<Answers> apart = nullptr;  ///< null: a refusal is reported by the window
};

/// Sends a request. `data` is the packed elements of put and accumulate, or value and compare value of
/// compare_and_swap. Returns when `data` may be reused.
void send_order(Window& window, const Spot& spot, Order order, const datatype::Region& region,
                std::span<const std::byte> data, op::Code code, const datatype::Type* element, const Answer& answer);

/// Waits until all orders of this rank have been answered.
void wait_for_answers(Window& window);
/// Throws Failure when a target has refused an order, most often because memory is not attached. Called at the end of
/// synchronising calls. Each refusal is reported to one thread only.
void check_answers(Window& window);
/// Throws the Failure of `refusal`, if it is one, with the window's error handler.
void check_refusal(Window& window, const Refusal& refusal);

}  // namespace atl::mpi::win
