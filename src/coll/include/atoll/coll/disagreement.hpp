// SPDX-License-Identifier: Apache-2.0
// The error for members that call different collectives.
#pragma once

#include "atoll/base/error.hpp"

namespace atl::coll {

/// Members have called different collectives, or one has given up the collective that the others are in.
class Disagreement : public Error {
 public:
  using Error::Error;
};

}  // namespace atl::coll
