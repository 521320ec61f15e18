// SPDX-License-Identifier: Apache-2.0
// The error of calls that use an array whose elements were lost with a PE.
#pragma once

#include "atoll/array/array.hpp"
#include "atoll/base/error.hpp"

namespace atl::array {

class LostArrayError : public PeFailedError {
 public:
  using PeFailedError::PeFailedError;
};

}  // namespace atl::array
