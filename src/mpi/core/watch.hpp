// SPDX-License-Identifier: Apache-2.0
// Who hears of the handles that a program gets and gives back: nobody, or the checks (see check/).
#pragma once

namespace atl::mpi {

class Object;

class Watcher {
 public:
  /// The program has got a handle to it.
  virtual void given(Object& object) = 0;
  /// Nobody has it any more.
  virtual void gone(Object& object) = 0;

 protected:
  ~Watcher() = default;
};

namespace detail {
extern Watcher* watcher;
}

/// Whether programs are checked (ATOLL_MPI_CHECK): the one branch that all of it costs when they are not.
inline bool checking() { return detail::watcher != nullptr; }

}  // namespace atl::mpi
