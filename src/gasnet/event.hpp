// SPDX-License-Identifier: Apache-2.0
// Events: what tells that an operation is complete. Where memory is mapped, operations are complete when their calls
// return, and there is no event at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "failure.hpp"
#include "gasnet.h"

/// An operation of the library's own. Ends with the wait or successful test that sees it.
struct gasnet_atoll_event {
  virtual ~gasnet_atoll_event() = default;
  /// Does what can be done without waiting. Not from handlers.
  virtual bool is_over() = 0;
};

namespace atl::gasnet {

/// An operation over the network that has been started: complete after the next quiet().
gex_Event_t far_event();
/// The same for this thread's implicit operations.
void note_far_implicit();

int test(Call call, gex_Event_t event);
void wait(Call call, gex_Event_t event);
int test_some(Call call, gex_Event_t* events, std::size_t count);
void wait_some(Call call, gex_Event_t* events, std::size_t count);
int test_all(Call call, gex_Event_t* events, std::size_t count);
void wait_all(Call call, gex_Event_t* events, std::size_t count);
int test_implicit(Call call);
void wait_implicit(Call call);
void begin_region(Call call);
gex_Event_t end_region(Call call);

}  // namespace atl::gasnet
