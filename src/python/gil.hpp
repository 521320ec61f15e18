// SPDX-License-Identifier: Apache-2.0
// Leaving and entering Python. Where the interpreter ends, CPython (before 3.14) ends a thread that wants the GIL by
// pthread_exit, whose unwinding must not pass through C++: such a thread, a daemon of the program's, sleeps instead
// until the process has ended.
#pragma once

#include <Python.h>
#include <cxxabi.h>
#include <unistd.h>

namespace atl::python {

/// Calls what takes the GIL, or runs Python code, which may give it away and take it again.
template <class Body>
auto stay_when_python_ends(Body body) {
  try {
    return body();
  } catch (abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

/// Other threads may run Python meanwhile.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    stay_when_python_ends([this] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// This thread runs Python meanwhile, wherever it comes from.
class WithGil {
 public:
  WithGil() : state_(stay_when_python_ends([] { return PyGILState_Ensure(); })) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace atl::python
