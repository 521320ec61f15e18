// SPDX-License-Identifier: Apache-2.0
// The exit status of a job whose program deals with deaths.
#pragma once

#include <cstdint>

#include "atoll/fabric/job.hpp"

namespace atl::runtime {

/// Of the survivors where the program recovers and one of them ends in order, else of a dead PE.
class SurvivorStatus {
 public:
  void note_end(fabric::Survival how) {
    ++ended_;
    if (how == fabric::Survival::recovers) status_ = 0;
  }
  void note_death(fabric::Survival how, int status) {
    if (how == fabric::Survival::goes_on || ended_ == 0) status_ = status;
  }
  int value() const { return status_; }

 private:
  std::uint32_t ended_ = 0;  // in order
  int status_ = 0;
};

}  // namespace atl::runtime
