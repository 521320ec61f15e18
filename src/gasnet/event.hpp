// SPDX-License-Identifier: Apache-2.0
// Events report the completion of operations. Operations on mapped memory complete when their calls return and have no
// event.
#pragma once

#include <cstddef>
#include <cstdint>

#include "failure.hpp"
#include "gasnet.h"

/// Base of events. A wait or successful test consumes the event.
struct gasnet_atoll_event {
  virtual ~gasnet_atoll_event() = default;
  /// Makes progress without waiting, and returns whether the operation is complete. Not from handlers.
  virtual bool is_over() = 0;
};

namespace atl::gasnet {

/// The event of a started operation over the network, which the next quiet() completes.
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
