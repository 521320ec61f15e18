// SPDX-License-Identifier: Apache-2.0
// What reads from or writes to memory of callers after their calls have returned.
#pragma once

namespace atl::fabric {

class Borrower {
 public:
  /// A failure of the job is about to be thrown, and the memory that callers have given to put_nbi() and get_nbi() goes
  /// with their frames: what is under way does not touch it any more. Puts go on from a copy; gets fail in quiet().
  /// Bounded in time.
  virtual void abandon() noexcept = 0;

 protected:
  ~Borrower() = default;
};

}  // namespace atl::fabric
