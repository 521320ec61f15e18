// SPDX-License-Identifier: Apache-2.0
// A reference to a callable without an allocation, for conditions that waits look at.
#pragma once

#include <type_traits>

namespace atl::runtime {

/// Valid as long as the callable.
struct Condition {
  const void* object;
  bool (*call)(const void*);
  template <class Ready>
  static Condition of(Ready& ready) {
    return {&ready, [](const void* object) -> bool {
              return (*const_cast<std::remove_const_t<Ready>*>(static_cast<const Ready*>(object)))();
            }};
  }
  bool operator()() const { return call(object); }
};

}  // namespace atl::runtime
