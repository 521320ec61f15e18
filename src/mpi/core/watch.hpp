// SPDX-License-Identifier: Apache-2.0
// Observer of the handles that a program gets and gives back, and of its waits: none, or the checks (see check/).
#pragma once

#include <functional>
#include <span>

#include "atoll/base/ids.hpp"

namespace atl::mpi {

class Object;

class Watcher {
 public:
  /// The program has got a handle to it.
  virtual void given(Object& object) = 0;
  /// The last reference to it is gone.
  virtual void gone(Object& object) = 0;
  /// The program has completed this request, and its status is filled: Failure when something is wrong all the same.
  virtual void completed(Object& request) = 0;
  /// Waits until `ready`, which comes only when one of `whom` at least does something.
  virtual void wait(const std::function<bool()>& ready, std::span<const PeId> whom) = 0;

 protected:
  ~Watcher() = default;
};

namespace detail {
extern Watcher* watcher;
}

/// Whether programs are checked (ATOLL_MPI_CHECK): the one branch that all of it costs when they are not.
inline bool checking() { return detail::watcher != nullptr; }

}  // namespace atl::mpi
