// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "atoll/base/error.hpp"

namespace atl::device {

/// A call of the driver failed. The message names the call, the memory and the result.
class DeviceError : public Error {
  using Error::Error;
};

}  // namespace atl::device
