// SPDX-License-Identifier: Apache-2.0
// Interface of objects that access the memory of callers after the calls have returned.
#pragma once

namespace atl::fabric {

class Borrower {
 public:
  /// A job failure is about to be thrown, which unwinds the frames that own the buffers of put_nbi() and get_nbi().
  /// Operations in progress stop accessing them: puts continue from a copy, gets fail in quiet(). Bounded in time.
  virtual void abandon() noexcept = 0;

 protected:
  ~Borrower() = default;
};

}  // namespace atl::fabric
