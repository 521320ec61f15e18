// SPDX-License-Identifier: Apache-2.0
// Observer of the program's handles and waits: none, or the checks of check/.
#pragma once

#include <functional>
#include <span>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

class Object;

class Watcher {
 public:
  /// The program has received a handle of the object.
  virtual void given(Object& object) = 0;
  /// The last reference to the object was dropped.
  virtual void gone(Object& object) = 0;
  /// The program has completed this request, and its status is filled. Throws Failure when a check fails.
  virtual void completed(Object& request) = 0;
  /// Waits until `ready`, which requires an action of at least one of the PEs `whom`.
  virtual void wait(const std::function<bool()>& ready, std::span<const PeId> whom) = 0;

 protected:
  ~Watcher() = default;
};

namespace detail {
extern Watcher* watcher;
}

/// Whether ATOLL_MPI_CHECK is on. When it is off, the checks cost this one branch.
inline bool checking() { return detail::watcher != nullptr; }

}  // namespace atl::mpi
