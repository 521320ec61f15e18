// SPDX-License-Identifier: Apache-2.0
// Expected failures at run time: one small enum, grouped by the object that the failure ends.
#pragma once

#include <string_view>

namespace atl {

enum class [[nodiscard]] Status {
  ok = 0,
  // The operation: nothing happened, or it may be repeated.
  try_again,    ///< no room just now; make progress and repeat
  truncated,    ///< the buffer was smaller than the message
  timed_out,    ///< the deadline passed
  interrupted,  ///< the user asked to stop
  cancelled,    ///< taken back before it took place
  // The team or the process.
  peer_lost,  ///< another PE died
  revoked,    ///< the team is of no more use: a member has said so
};

std::string_view to_string(Status status);

}  // namespace atl
