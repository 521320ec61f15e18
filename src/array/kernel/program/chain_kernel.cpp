// SPDX-License-Identifier: Apache-2.0
// Runs a chain: blocks of a few vectors, for each of which the steps are decoded once. A decoded step costs about a
// nanosecond and works on up to 512 bytes; a pass of its own per instruction cost more, for it waited for memory
// again and again.
#include "atoll/array/kernel/simd.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/program/chain_kernel.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>

#include "kernel/program/chain.hpp"

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// No prefetch: the processor follows the operands by itself, and what is fetched too early pushes out what is needed
// (six operands of 10^7 doubles on Zen 4: 15 ms, 16 to 18 with 0.5 to 6 KiB ahead).

// Three banks of eight fill 24 of AVX-512's 32 registers, three banks of four 12 of 16. A block is at most 64
// elements (kernel_multiple).
template <class T>
constexpr std::size_t bank_vectors = HWY_MAX_BYTES >= 64 && sizeof(T) == 8 ? 8 : 4;

// Named members, not an array: they must stay in registers.
template <class T>
struct Bank {
  using D = hn::ScalableTag<T>;
  HWY_ATTR HWY_INLINE Bank() {
  }  // the compiler's own is not of this target, and on NEON cannot take in those of the vectors
  hn::Vec<D> v0, v1, v2, v3, v4, v5, v6, v7;
};

template <class T>
HWY_INLINE HWY_ATTR void load(Bank<T>& bank, const T* p) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  bank.v0 = hn::LoadU(d, p);
  bank.v1 = hn::LoadU(d, p + lanes);
  bank.v2 = hn::LoadU(d, p + 2 * lanes);
  bank.v3 = hn::LoadU(d, p + 3 * lanes);
  if constexpr (bank_vectors<T> == 8) {
    bank.v4 = hn::LoadU(d, p + 4 * lanes);
    bank.v5 = hn::LoadU(d, p + 5 * lanes);
    bank.v6 = hn::LoadU(d, p + 6 * lanes);
    bank.v7 = hn::LoadU(d, p + 7 * lanes);
  }
}

template <bool streamed, class T>
HWY_INLINE HWY_ATTR void store(const Bank<T>& bank, T* p) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  auto put = [&](hn::Vec<hn::ScalableTag<T>> v, std::size_t k) HWY_ATTR __attribute__((always_inline)) {
    if constexpr (streamed) hn::Stream(v, d, p + k * lanes);
    else hn::StoreU(v, d, p + k * lanes);
  };
  put(bank.v0, 0);
  put(bank.v1, 1);
  put(bank.v2, 2);
  put(bank.v3, 3);
  if constexpr (bank_vectors<T> == 8) {
    put(bank.v4, 4);
    put(bank.v5, 5);
    put(bank.v6, 6);
    put(bank.v7, 7);
  }
}

/// Adds a bank, or the two halves of it, to four or eight of a unit's 256 bytes of sums, of which the bank begins at p.
template <class T>
HWY_INLINE HWY_ATTR void add_to(const Bank<T>& bank, T* p) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
  auto add = [&](hn::Vec<hn::ScalableTag<T>> v, std::size_t k) HWY_ATTR
      __attribute__((always_inline)) { hn::StoreU(hn::Add(hn::LoadU(d, p + k * lanes), v), d, p + k * lanes); };
  add(bank.v0, 0);
  add(bank.v1, 1);
  add(bank.v2, 2);
  add(bank.v3, 3);
  if constexpr (bank_vectors<T> == 8) {
    add(bank.v4, 0);
    add(bank.v5, 1);
    add(bank.v6, 2);
    add(bank.v7, 3);
  }
}

template <ChainOp op, class V>
HWY_INLINE HWY_ATTR V calculate(V x, V y) {
  if constexpr (op == ChainOp::add) return hn::Add(x, y);
  else if constexpr (op == ChainOp::subtract) return hn::Sub(x, y);
  else if constexpr (op == ChainOp::multiply) return hn::Mul(x, y);
  else return hn::Div(x, y);
}

template <ChainOp op, class T>
HWY_INLINE HWY_ATTR void apply(Bank<T>& out, const Bank<T>& x, const Bank<T>& y) {
  if constexpr (op != ChainOp::divide || std::is_floating_point_v<T>) {
    out.v0 = calculate<op>(x.v0, y.v0);
    out.v1 = calculate<op>(x.v1, y.v1);
    out.v2 = calculate<op>(x.v2, y.v2);
    out.v3 = calculate<op>(x.v3, y.v3);
    if constexpr (bank_vectors<T> == 8) {
      out.v4 = calculate<op>(x.v4, y.v4);
      out.v5 = calculate<op>(x.v5, y.v5);
      out.v6 = calculate<op>(x.v6, y.v6);
      out.v7 = calculate<op>(x.v7, y.v7);
    }
  }
}

// One case of the switch for every operation of a form.
#define ATOLL_CHAIN_CASE(form, bank, op, ...) \
  case chain_code(ChainOp::op, ChainForm::form, bank): { \
    __VA_ARGS__ break; \
  }
#define ATOLL_CHAIN_MEMORY_MEMORY(k, bank, op) \
  ATOLL_CHAIN_CASE(memory_memory, k, op, Bank<T> x; Bank<T> y; fetch(x, step->x); fetch(y, step->y); \
                   apply<ChainOp::op>(bank, x, y);)
#define ATOLL_CHAIN_BANK_MEMORY(k, bank, op) \
  ATOLL_CHAIN_CASE(bank_memory, k, op, Bank<T> x; fetch(x, step->x); apply<ChainOp::op>(bank, bank, x);)
#define ATOLL_CHAIN_MEMORY_BANK(k, bank, op) \
  ATOLL_CHAIN_CASE(memory_bank, k, op, Bank<T> x; fetch(x, step->x); apply<ChainOp::op>(bank, x, bank);)
#define ATOLL_CHAIN_BANK(k, bank, op) \
  ATOLL_CHAIN_MEMORY_MEMORY(k, bank, op) ATOLL_CHAIN_BANK_MEMORY(k, bank, op) ATOLL_CHAIN_MEMORY_BANK(k, bank, op)
#define ATOLL_CHAIN_NEXT(k, bank, next, op) \
  ATOLL_CHAIN_CASE(bank_next, k, op, apply<ChainOp::op>(bank, bank, next);) \
  ATOLL_CHAIN_CASE(next_bank, k, op, apply<ChainOp::op>(bank, next, bank);)
#define ATOLL_CHAIN_OP(op) \
  ATOLL_CHAIN_BANK(0, b0, op) \
  ATOLL_CHAIN_BANK(1, b1, op) \
  ATOLL_CHAIN_BANK(2, b2, op) ATOLL_CHAIN_NEXT(0, b0, b1, op) ATOLL_CHAIN_NEXT(1, b1, b2, op)
#define ATOLL_CHAIN_SQUARE(k, bank) \
  ATOLL_CHAIN_CASE(bank_bank, k, multiply, apply<ChainOp::multiply>(bank, bank, bank);)

// The forms of two operations.
#define ATOLL_CHAIN_PAIR_CASE(form, first, second, ...) \
  case chain_pair_code(ChainOp::first, ChainOp::second, ChainPair::form): { \
    Bank<T> x; \
    Bank<T> y; \
    fetch(x, step->x); \
    fetch(y, step->y); \
    __VA_ARGS__ break; \
  }
#define ATOLL_CHAIN_PAIR(first, second) \
  ATOLL_CHAIN_PAIR_CASE(pair_memory, first, second, Bank<T> z; fetch(z, step->z); apply<ChainOp::first>(x, x, y); \
                        apply<ChainOp::second>(b0, x, z);) \
  ATOLL_CHAIN_PAIR_CASE(memory_pair, first, second, Bank<T> z; fetch(z, step->z); apply<ChainOp::first>(x, x, y); \
                        apply<ChainOp::second>(b0, z, x);) \
  ATOLL_CHAIN_PAIR_CASE(bank_pair, first, second, apply<ChainOp::first>(x, x, y); apply<ChainOp::second>(b0, b0, x);) \
  ATOLL_CHAIN_PAIR_CASE(pair_bank, first, second, apply<ChainOp::first>(x, x, y); apply<ChainOp::second>(b0, x, b0);) \
  ATOLL_CHAIN_PAIR_CASE(bank_twice, first, second, apply<ChainOp::first>(b0, b0, x); apply<ChainOp::second>(b0, b0, y);)
#define ATOLL_CHAIN_PAIRS(first) \
  ATOLL_CHAIN_PAIR(first, add) \
  ATOLL_CHAIN_PAIR(first, subtract) ATOLL_CHAIN_PAIR(first, multiply) ATOLL_CHAIN_PAIR(first, divide)

template <class T>
HWY_ATTR void run_chain(const ChainStep* steps, std::size_t step_count, const ChainRun& run) {
  constexpr std::size_t block = bank_vectors<T> * hn::MaxLanes(hn::ScalableTag<T>());
  const T* operand[chain_max_operands];
  for (std::size_t k = 0; k < run.operand_count; ++k) operand[k] = static_cast<const T*>(run.operands[k]);
  const std::size_t* const mask = run.masks.data();
  T* out = static_cast<T*>(run.out);
  const bool stream = run.stream;
  const ChainStep* const end = steps + step_count;
  Bank<T> b0, b1, b2;
  const hn::ScalableTag<T> d;
  b0.v0 = b0.v1 = b0.v2 = b0.v3 = b0.v4 = b0.v5 = b0.v6 = b0.v7 = hn::Zero(d);
  b1 = b2 = b0;
  constexpr std::size_t sums = chain_sums_bytes / sizeof(T);
  T* unit_sums = static_cast<T*>(run.sums);
  std::size_t unit_end = run.unit;
  for (std::size_t i = 0; i < run.count; i += block) {
    if (unit_sums != nullptr && i == unit_end) {
      unit_sums += sums;
      unit_end += run.unit;
    }
    auto fetch = [&](Bank<T>& bank, std::uint8_t k) HWY_ATTR
        __attribute__((always_inline)) { load(bank, operand[k] + (i & mask[k])); };
    for (const ChainStep* step = steps; step != end; ++step) {
      switch (step->code) {
        ATOLL_CHAIN_OP(add)
        ATOLL_CHAIN_OP(subtract)
        ATOLL_CHAIN_OP(multiply)
        ATOLL_CHAIN_OP(divide)
        ATOLL_CHAIN_SQUARE(0, b0)
        ATOLL_CHAIN_SQUARE(1, b1)
        ATOLL_CHAIN_SQUARE(2, b2)
        ATOLL_CHAIN_PAIRS(add)
        ATOLL_CHAIN_PAIRS(subtract)
        ATOLL_CHAIN_PAIRS(multiply)
        ATOLL_CHAIN_PAIRS(divide)
        default: __builtin_unreachable();
      }
    }
    if (unit_sums != nullptr) add_to(b0, unit_sums + (i - (unit_end - run.unit)) % sums);
    else if (stream) store<true>(b0, out + i);
    else store<false>(b0, out + i);
  }
}

}  // namespace

ChainKernel find_chain(DType type) {
  switch (type) {
    case DType::f64: return &run_chain<double>;
    case DType::f32: return &run_chain<float>;
    case DType::i64:
    case DType::u64: return &run_chain<std::int64_t>;
    case DType::i32:
    case DType::u32: return &run_chain<std::int32_t>;
    default: return nullptr;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {

HWY_EXPORT(find_chain);
ChainKernel find_chain_kernel(DType type) { return HWY_DYNAMIC_DISPATCH(find_chain)(type); }

}  // namespace atl::array
#endif
