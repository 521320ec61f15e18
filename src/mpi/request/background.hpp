// SPDX-License-Identifier: Apache-2.0
// What goes on in any call that makes progress: flows of non-blocking operations, and requests that programs have let
// go.
#pragma once

#include <functional>
#include <memory>

#include "comm/comm.hpp"
#include "flow/flow.hpp"
#include "request/request.hpp"

namespace atl::mpi {

/// Takes the program's count of an active request, and completes it some time.
void finish_in_background(Request& request);

/// The threads that may advance it.
enum class AdvancedBy { any_thread, program };

/// What is known of a flow before it runs.
struct Course {
  std::size_t bytes = 0;  ///< how much it moves, about
  AdvancedBy advanced_by = AdvancedBy::any_thread;
  Ref<Comm> comm = {};    ///< the communicator whose coll runs it
};

/// A request of an operation that is a flow.
class FlowRequest : public Request {
 public:
  /// Non-blocking: begins at once.
  explicit FlowRequest(Flow flow, Course course = {});
  /// Persistent: `make` gives a new flow for each start.
  explicit FlowRequest(std::function<Flow()> make, Course course = {});
  bool poll() override;
  void wait() override;
  void result(MPI_Status* status) override;
  void start() override;
  void retire() override;

  /// One step; in progress(), of one thread at a time.
  bool advance();
  bool may_be_advanced_by_thread() const { return course_.advanced_by == AdvancedBy::any_thread; }

 private:
  void begin(Flow flow);
  std::function<Flow()> make_;
  Course course_;
  Flow flow_;
  std::exception_ptr error_;
  std::atomic<bool> done_{false};
};

/// For bodies of non-blocking and persistent calls.
void start(Flow flow, MPI_Request* request, Course course = {});
void prepare(std::function<Flow()> make, MPI_Request* request, Course course = {});

}  // namespace atl::mpi
