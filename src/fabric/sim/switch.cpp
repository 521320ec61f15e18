// SPDX-License-Identifier: Apache-2.0
#include "switch.hpp"

#include <cstdint>
#include <cstring>

namespace atl::fabric::sim {

extern "C" void atoll_begin_stack() noexcept;

// How a function of the file's begins, for the assembler.
#define ATOLL_FUNCTION(name) \
  ".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n"

// Both: what atoll_switch_stacks() takes from a stack, lowest address first. atoll_begin_stack() finds `enter` and
// `argument` in the registers that are named beside them.
#if defined(__x86_64__)

namespace {
struct Frame {
  std::uint64_t r15, r14;
  std::uint64_t argument, enter;  // r13, r12
  std::uint64_t rbx, rbp;
  std::uint64_t back;
};
}  // namespace

asm(ATOLL_FUNCTION(atoll_switch_stacks) R"(
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size atoll_switch_stacks, .-atoll_switch_stacks
)" ATOLL_FUNCTION(atoll_begin_stack) R"(
  .cfi_startproc
  .cfi_undefined rip
  movq %r13, %rdi
  callq *%r12
  ud2
  .cfi_endproc
  .size atoll_begin_stack, .-atoll_begin_stack
)");

#elif defined(__aarch64__)

namespace {
struct Frame {
  std::uint64_t enter, argument;  // x19, x20
  std::uint64_t x21, x22, x23, x24, x25, x26, x27, x28, x29;
  std::uint64_t back;  // x30
  double d8, d9, d10, d11, d12, d13, d14, d15;
};
}  // namespace

asm(ATOLL_FUNCTION(atoll_switch_stacks) R"(
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size atoll_switch_stacks, .-atoll_switch_stacks
)" ATOLL_FUNCTION(atoll_begin_stack) R"(
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x20
  blr x19
  brk #0
  .cfi_endproc
  .size atoll_begin_stack, .-atoll_begin_stack
)");

#else
#error "atoll_switch_stacks() is written for x86-64 and aarch64"
#endif

void* begin_stack(std::byte* stack, std::size_t bytes, void (*enter)(void*), void* argument) noexcept {
  // Calls expect the end of what lies behind them at a multiple of 16.
  const auto end = (reinterpret_cast<std::uintptr_t>(stack) + bytes) / 16 * 16;
  auto* place = reinterpret_cast<std::byte*>(end) - sizeof(Frame);
  Frame frame{};
  frame.enter = reinterpret_cast<std::uint64_t>(enter);
  frame.argument = reinterpret_cast<std::uint64_t>(argument);
  frame.back = reinterpret_cast<std::uint64_t>(&atoll_begin_stack);
  std::memcpy(place, &frame, sizeof frame);
  return place;
}

}  // namespace atl::fabric::sim
