// SPDX-License-Identifier: Apache-2.0
// A RemotePath to which PEs can be added.
#pragma once

#include <string>

#include "atoll/base/ids.hpp"

namespace atl::fabric {

class Growing {
 public:
  virtual ~Growing() = default;
  /// See the functions of these names in network.hpp.
  virtual void admit(PeId pe, const std::string& card) = 0;
  virtual void dismiss(PeId pe) = 0;
};

}  // namespace atl::fabric
