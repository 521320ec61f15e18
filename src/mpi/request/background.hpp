// SPDX-License-Identifier: Apache-2.0
// Background work, which any call that makes progress advances: flows of non-blocking operations, and active requests
// that the program has freed.
#pragma once

#include <functional>
#include <memory>

#include "comm/comm.hpp"
#include "flow/flow.hpp"
#include "request/request.hpp"

namespace atl::mpi {

/// Takes over the program's reference to an active request, and completes it in the background.
void finish_in_background(Request& request);

/// The threads that may advance a flow.
enum class AdvancedBy { any_thread, program };

/// Properties of a flow that are known before it runs.
struct Course {
  std::size_t bytes = 0;  ///< approximate number of bytes that it transfers
  AdvancedBy advanced_by = AdvancedBy::any_thread;
  Ref<Comm> comm = {};    ///< the communicator whose coll runs it
};

/// The request of an operation that is a flow.
class FlowRequest : public Request {
 public:
  /// Non-blocking: begins at once.
  explicit FlowRequest(Flow flow, Course course = {});
  /// Persistent: `make` creates a flow for each start.
  explicit FlowRequest(std::function<Flow()> make, Course course = {});
  bool poll() override;
  void wait() override;
  void result(MPI_Status* status) override;
  void start() override;
  void retire() override;

  /// Advances the flow. Called in progress(), by one thread at a time.
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

/// For the bodies of non-blocking and persistent calls.
void start(Flow flow, MPI_Request* request, Course course = {});
void prepare(std::function<Flow()> make, MPI_Request* request, Course course = {});

}  // namespace atl::mpi
