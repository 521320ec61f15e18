// SPDX-License-Identifier: Apache-2.0
#include "atomic.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

#include "atoll/runtime/one_sided.hpp"
#include "library.hpp"

namespace atl::gasnet {
namespace {

// The integer type with which the network's atomics represent a value.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
constexpr gex_DT_t type_code = std::is_floating_point_v<T> ? (sizeof(T) == 4 ? GEX_DT_FLT : GEX_DT_DBL)
                               : std::is_signed_v<T>       ? (sizeof(T) == 4 ? GEX_DT_I32 : GEX_DT_I64)
                                                           : (sizeof(T) == 4 ? GEX_DT_U32 : GEX_DT_U64);

constexpr gex_OP_t fetching = 0xFFFF0000u;

constexpr bool fetches(gex_OP_t operation) { return (operation & fetching) != 0; }
// The operation without its fetch; GEX_OP_GET has none.
constexpr gex_OP_t plain(gex_OP_t operation) {
  return fetches(operation) ? GEX_OP_TO_NONFETCHING(operation) : operation;
}
constexpr gex_OP_t plain_get = GEX_OP_TO_NONFETCHING(GEX_OP_GET);

// Integer arithmetic wraps around.
template <class T>
T wrapped(T left, T right, auto combine) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(combine(static_cast<U>(left), static_cast<U>(right)));
  } else {
    return combine(left, right);
  }
}

template <class T>
T changed(gex_OP_t operation, T old, T first, T second) {
  auto sum = [](auto left, auto right) { return static_cast<decltype(left)>(left + right); };
  auto difference = [](auto left, auto right) { return static_cast<decltype(left)>(left - right); };
  auto product = [](auto left, auto right) { return static_cast<decltype(left)>(left * right); };
  switch (operation) {
    case GEX_OP_ADD: return wrapped(old, first, sum);
    case GEX_OP_SUB: return wrapped(old, first, difference);
    case GEX_OP_MULT: return wrapped(old, first, product);
    case GEX_OP_INC: return wrapped(old, T{1}, sum);
    case GEX_OP_DEC: return wrapped(old, T{1}, difference);
    case GEX_OP_MIN: return std::min(old, first);
    case GEX_OP_MAX: return std::max(old, first);
    case GEX_OP_SET: return first;
    case GEX_OP_CAS: return old == first ? second : old;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == GEX_OP_AND) return old & first;
    if (operation == GEX_OP_OR) return old | first;
    if (operation == GEX_OP_XOR) return old ^ first;
  }
  return old;
}

// Atomic on mapped memory. Returns the old value.
template <class T>
T update_here(T* at, gex_OP_t operation, T first, T second) {
  std::atomic_ref<Bits<T>> word(*reinterpret_cast<Bits<T>*>(at));
  if constexpr (std::is_integral_v<T>) {
    std::atomic_ref<T> value(*at);
    switch (operation) {
      case GEX_OP_ADD: return value.fetch_add(first, std::memory_order_acq_rel);
      case GEX_OP_SUB: return value.fetch_sub(first, std::memory_order_acq_rel);
      case GEX_OP_INC: return value.fetch_add(1, std::memory_order_acq_rel);
      case GEX_OP_DEC: return value.fetch_sub(1, std::memory_order_acq_rel);
      case GEX_OP_AND: return value.fetch_and(first, std::memory_order_acq_rel);
      case GEX_OP_OR: return value.fetch_or(first, std::memory_order_acq_rel);
      case GEX_OP_XOR: return value.fetch_xor(first, std::memory_order_acq_rel);
      default: break;
    }
  }
  if (operation == GEX_OP_SET)
    return std::bit_cast<T>(word.exchange(std::bit_cast<Bits<T>>(first), std::memory_order_acq_rel));
  // Acquire; partners: the updates of other ranks.
  Bits<T> old = word.load(std::memory_order_acquire);
  if (operation == plain_get) return std::bit_cast<T>(old);
  while (!word.compare_exchange_weak(old,
                                     std::bit_cast<Bits<T>>(changed(operation, std::bit_cast<T>(old), first, second)),
                                     std::memory_order_acq_rel, std::memory_order_acquire)) {}
  return std::bit_cast<T>(old);
}

// Atomic over the network. Returns the old value.
template <class T>
T update_far(runtime::OneSided& one_sided, PeId pe, HeapOffset at, gex_OP_t operation, T first, T second) {
  using Word = Bits<T>;
  if (operation == GEX_OP_SET) return std::bit_cast<T>(one_sided.swap<Word>(pe, at, std::bit_cast<Word>(first)));
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case GEX_OP_ADD: return one_sided.fetch_add<T>(pe, at, first);
      case GEX_OP_SUB:
        return one_sided.fetch_add<T>(
            pe, at, wrapped(T{0}, first, [](auto l, auto r) { return static_cast<decltype(l)>(l - r); }));
      case GEX_OP_INC: return one_sided.fetch_add<T>(pe, at, 1);
      case GEX_OP_DEC: return one_sided.fetch_add<T>(pe, at, static_cast<T>(-1));
      case GEX_OP_AND: return one_sided.fetch_and<T>(pe, at, first);
      case GEX_OP_OR: return one_sided.fetch_or<T>(pe, at, first);
      case GEX_OP_XOR: return one_sided.fetch_xor<T>(pe, at, first);
      default: break;
    }
  }
  Word old = one_sided.fetch<Word>(pe, at);
  if (operation == plain_get) return std::bit_cast<T>(old);
  for (;;) {
    const Word wanted = std::bit_cast<Word>(changed(operation, std::bit_cast<T>(old), first, second));
    const Word found = one_sided.compare_swap<Word>(pe, at, old, wanted);
    if (found == old) return std::bit_cast<T>(old);
    old = found;
  }
}

}  // namespace

void create_domain(Call call, gex_AD_t* domain, gex_TM_t tm, gex_DT_t type, gex_OP_t operations, gex_Flags_t flags) {
  Library& here = library(call);
  Team& team = here.team(call, tm);
  constexpr gex_DT_t types = GEX_DT_I32 | GEX_DT_U32 | GEX_DT_I64 | GEX_DT_U64 | GEX_DT_FLT | GEX_DT_DBL;
  if (!std::has_single_bit(type) || (type & types) == 0)
    fail(call, "argument 'dt': {:#x} is no type of atomics. Use one of GEX_DT_I32 to GEX_DT_DBL?", type);
  constexpr gex_OP_t bits = GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR;
  if ((type & (GEX_DT_FLT | GEX_DT_DBL)) != 0 && (operations & bits) != 0)
    fail(call, "argument 'ops': floating-point numbers have no bitwise operations. Leave them out?");
  *domain = new gasnet_atoll_domain{tm, type, operations, flags, nullptr};
  const std::uint64_t number = team.barrier->start({});
  here.wait([&] { return team.barrier->is_over(number); });
}

template <class T>
void update(Call call, gex_AD_t domain, T* result, gex_Rank_t rank, void* address, gex_OP_t operation, T first,
            T second, gex_Flags_t flags) {
  Library& here = library(call);
  if (domain->type != type_code<T>) fail(call, "argument 'ad' is a domain of another type. Make one of this type?");
  if ((domain->operations & operation) == 0 || !std::has_single_bit(operation))
    fail(call, "argument 'opcode': {:#x} is not an operation of the domain ({:#x}). Name it in gex_AD_Create?",
         operation, domain->operations);
  const bool by_jobrank = (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0;
  const PeId pe = here.pe_of(call, by_jobrank ? static_cast<gex_TM_t>(&here.world()) : domain->team, rank);
  const HeapOffset at = here.locate(call, "tgt_addr", pe, address, sizeof(T));
  runtime::OneSided& one_sided = here.one_sided();
  T old;
  if (one_sided.endpoint().maps(pe)) {
    old = update_here(one_sided.peer_pointer<T>(pe, at), plain(operation), first, second);
    if (operation != GEX_OP_GET) one_sided.notify(pe);
  } else {
    old = update_far(one_sided, pe, at, plain(operation), first, second);
  }
  if (fetches(operation)) *result = old;
}

template void update<std::int32_t>(Call, gex_AD_t, std::int32_t*, gex_Rank_t, void*, gex_OP_t, std::int32_t,
                                   std::int32_t, gex_Flags_t);
template void update<std::uint32_t>(Call, gex_AD_t, std::uint32_t*, gex_Rank_t, void*, gex_OP_t, std::uint32_t,
                                    std::uint32_t, gex_Flags_t);
template void update<std::int64_t>(Call, gex_AD_t, std::int64_t*, gex_Rank_t, void*, gex_OP_t, std::int64_t,
                                   std::int64_t, gex_Flags_t);
template void update<std::uint64_t>(Call, gex_AD_t, std::uint64_t*, gex_Rank_t, void*, gex_OP_t, std::uint64_t,
                                    std::uint64_t, gex_Flags_t);
template void update<float>(Call, gex_AD_t, float*, gex_Rank_t, void*, gex_OP_t, float, float, gex_Flags_t);
template void update<double>(Call, gex_AD_t, double*, gex_Rank_t, void*, gex_OP_t, double, double, gex_Flags_t);

}  // namespace atl::gasnet
