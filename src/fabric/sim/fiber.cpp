// SPDX-License-Identifier: Apache-2.0
#include "fiber.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "atoll/base/error.hpp"
#include "switch.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace atl::fabric::sim {

Fiber::Fiber(std::size_t stack_bytes, std::function<void()> body) : body_(std::move(body)), stack_bytes_(stack_bytes) {
  // A guard page below the stack turns an overflow into a fault.
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  stack_bytes_ = (stack_bytes_ + page - 1) / page * page + page;
  void* place =
      ::mmap(nullptr, stack_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw_errno("cannot map the stack of a simulated PE. Simulate fewer PEs");
  stack_ = static_cast<std::byte*>(place);
  if (::mprotect(stack_, page, PROT_NONE) != 0)
    throw_errno("cannot protect the stack of a simulated PE. Simulate fewer PEs");
  own_ = begin_stack(stack_ + page, stack_bytes_ - page, &Fiber::enter, this);
#if defined(__SANITIZE_THREAD__)
  own_track_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(own_track_);
#endif
  ::munmap(stack_, stack_bytes_);
}

void Fiber::exchange_handling() {
  auto* here = reinterpret_cast<Handling*>(abi::__cxa_get_globals());
  std::swap(*here, handling_);
}

void Fiber::resume() {
  exchange_handling();
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack_, stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  resumer_track_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_track_, 0);
#endif
  atoll_switch_stacks(&resumer_, own_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
  exchange_handling();
}

void Fiber::pause() {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(ended_ ? nullptr : &fake_stack_, resumer_stack_, resumer_stack_bytes_);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(resumer_track_, 0);
#endif
  atoll_switch_stacks(&own_, resumer_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack_, &resumer_stack_, &resumer_stack_bytes_);
#endif
}

void Fiber::enter(void* fiber) {
  auto* self = static_cast<Fiber*>(fiber);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &self->resumer_stack_, &self->resumer_stack_bytes_);
#endif
  self->body_();
  self->ended_ = true;
  self->pause();
}

}  // namespace atl::fabric::sim
