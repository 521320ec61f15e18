// SPDX-License-Identifier: Apache-2.0
// An operation of several steps, written as a C++ coroutine. Blocking calls run one to its end, non-blocking ones
// advance it whenever the library makes progress, persistent ones create it at each start: one code for all three.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace atl::mpi {

/// A condition that a flow awaits with co_await.
class Waiting {
 public:
  virtual bool ready() = 0;

 protected:
  ~Waiting() = default;
};

/// A coroutine of several steps. By-value arguments are copied into it; references must outlive it. It does nothing
/// before the first advance().
class [[nodiscard]] Flow {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Flow() = default;
  Flow(Flow&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Flow& operator=(Flow&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Flow() {
    if (handle_) handle_.destroy();
  }

  /// Runs until it would have to wait. Returns whether it has ended; throws the exception that ended it.
  bool advance();

  // These make `co_await flow` work: the awaited flow runs as a part of the awaiting one.
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(Handle parent);
  void await_resume();

 private:
  explicit Flow(Handle handle) : handle_(handle) {}
  Handle handle_;
};

struct Flow::promise_type {
  /// State of the outermost flow, which advance() is called on.
  struct Root {
    Waiting* waiting = nullptr;
    std::coroutine_handle<> leaf;
    bool begun = false;
  };
  Root own;
  Root* root = &own;
  std::coroutine_handle<> parent;
  std::exception_ptr error;

  Flow get_return_object() { return Flow(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) noexcept {
      return ended.promise().parent ? ended.promise().parent : std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() { error = std::current_exception(); }

  struct Pause {
    Waiting& waiting;
    bool await_ready() { return waiting.ready(); }
    void await_suspend(Handle here) {
      here.promise().root->waiting = &waiting;
      here.promise().root->leaf = here;
    }
    void await_resume() {}
  };
  Pause await_transform(Waiting& waiting) { return {waiting}; }
  Flow&& await_transform(Flow&& part) { return std::move(part); }
};

inline std::coroutine_handle<> Flow::await_suspend(Handle parent) {
  handle_.promise().root = parent.promise().root;
  handle_.promise().parent = parent;
  return handle_;
}

inline void Flow::await_resume() {
  if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
}

inline bool Flow::advance() {
  promise_type::Root& root = handle_.promise().own;
  while (!handle_.done()) {
    if (!std::exchange(root.begun, true)) {
      handle_.resume();
      continue;
    }
    if (!root.waiting->ready()) return false;
    root.waiting = nullptr;
    std::exchange(root.leaf, nullptr).resume();
  }
  await_resume();
  return true;
}

/// Runs a flow to its end.
void run(Flow flow);

}  // namespace atl::mpi
