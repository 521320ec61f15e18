// SPDX-License-Identifier: Apache-2.0
#include "win/element.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>

namespace atl::mpi::win {
namespace {

using datatype::Number;
using op::Code;

template <class U>
U value_at(const std::byte* from, std::size_t i) {
  U value;
  std::memcpy(&value, from + i * sizeof(U), sizeof(U));
  return value;
}
template <class U>
void keep(std::byte* fetched, std::size_t i, U value) {
  if (fetched != nullptr) std::memcpy(fetched + i * sizeof(U), &value, sizeof(U));
}
template <class U>
std::atomic_ref<U> word_at(std::byte* target, std::size_t i) {
  return std::atomic_ref<U>(*reinterpret_cast<U*>(target + i * sizeof(U)));
}

// All atomics are acquire and release, so that a fetching rank sees earlier puts; they are each other's partners.

// Programs such as linked lists transfer records as bytes and poll the first word. So aligned bytes are transferred as
// whole words, written from last to first and read from first to last: a reader that sees the first word, which was
// written last, sees the whole record.
struct Words {
  std::size_t before = 0, words = 0, after = 0;  // elements, words of 8 bytes, elements
};
template <class U>
Words words_of(const std::byte* target, std::size_t count) {
  constexpr std::size_t each = sizeof(std::uint64_t) / sizeof(U);
  if constexpr (each == 1) return {0, count, 0};
  std::size_t gap = (0 - reinterpret_cast<std::uintptr_t>(target)) % sizeof(std::uint64_t) / sizeof(U);
  std::size_t before = std::min(gap, count);
  return {before, (count - before) / each, (count - before) % each};
}

std::byte* at(std::byte* memory, std::size_t bytes) { return memory == nullptr ? nullptr : memory + bytes; }

template <class U>
void replace_backwards(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count) {
  for (std::size_t i = count; i-- > 0;) {
    U value = value_at<U>(origin, i);
    if (fetched == nullptr) word_at<U>(target, i).store(value, std::memory_order_release);
    else keep(fetched, i, word_at<U>(target, i).exchange(value, std::memory_order_acq_rel));
  }
}

template <class U>
void replace(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
             const coll::Reduction*) {
  Words parts = words_of<U>(target, count);
  std::size_t first = parts.before * sizeof(U), last = first + parts.words * sizeof(std::uint64_t);
  replace_backwards<U>(target + last, origin + last, at(fetched, last), parts.after);
  replace_backwards<std::uint64_t>(target + first, origin + first, at(fetched, first), parts.words);
  replace_backwards<U>(target, origin, fetched, parts.before);
}

template <class U>
void fetch_forwards(std::byte* target, std::byte* fetched, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) keep(fetched, i, word_at<U>(target, i).load(std::memory_order_acquire));
}

template <class U>
void fetch(std::byte* target, const std::byte*, std::byte* fetched, std::size_t count, const coll::Reduction*) {
  if (fetched == nullptr) return;
  Words parts = words_of<U>(target, count);
  std::size_t first = parts.before * sizeof(U), last = first + parts.words * sizeof(std::uint64_t);
  fetch_forwards<U>(target, fetched, parts.before);
  fetch_forwards<std::uint64_t>(target + first, fetched + first, parts.words);
  fetch_forwards<U>(target + last, fetched + last, parts.after);
}

constexpr auto order = std::memory_order_acq_rel;
constexpr auto add = [](auto word, auto by) { return word.fetch_add(by, order); };
constexpr auto both = [](auto word, auto by) { return word.fetch_and(by, order); };
constexpr auto either = [](auto word, auto by) { return word.fetch_or(by, order); };
constexpr auto one_of = [](auto word, auto by) { return word.fetch_xor(by, order); };

template <class U, auto change>
void by_processor(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
                  const coll::Reduction*) {
  for (std::size_t i = 0; i < count; ++i) keep(fetched, i, change(word_at<U>(target, i), value_at<U>(origin, i)));
}

// Adds the elements packed in a word, without carry from one to the next.
template <class U>
std::uint64_t add_each(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t top = ~std::uint64_t{0} / std::numeric_limits<U>::max() << (8 * sizeof(U) - 1);
  return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}
template <class U>
void add_words(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
               const coll::Reduction*) {
  for (std::size_t i = 0; i < count; ++i) {
    auto word = word_at<std::uint64_t>(target, i);
    std::uint64_t by = value_at<std::uint64_t>(origin, i), old = word.load(std::memory_order_relaxed);
    while (
        !word.compare_exchange_weak(old, add_each<U>(old, by), std::memory_order_acq_rel, std::memory_order_relaxed)) {}
    keep(fetched, i, old);
  }
}

// Combines small elements a word at a time where aligned: one atomic instruction for up to eight of them.
template <class U, Atomic one, Atomic whole>
void in_words(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
              const coll::Reduction* reduction) {
  Words parts = words_of<U>(target, count);
  std::size_t first = parts.before * sizeof(U), last = first + parts.words * sizeof(std::uint64_t);
  one(target, origin, fetched, parts.before, reduction);
  whole(target + first, origin + first, at(fetched, first), parts.words, reduction);
  one(target + last, origin + last, at(fetched, last), parts.after, reduction);
}

template <class U, Atomic one, Atomic whole>
constexpr Atomic best = sizeof(U) == sizeof(std::uint64_t) ? one : in_words<U, one, whole>;

// Compare-and-swap loop on words that hold one or several elements.
template <class Element, class Word>
void by_exchange(std::byte* target, const std::byte* origin, std::byte* fetched, std::size_t count,
                 const coll::Reduction* reduction) {
  for (std::size_t i = 0; i < count; ++i) {
    auto word = word_at<Word>(target, i);
    Word value = value_at<Word>(origin, i), old = word.load(std::memory_order_relaxed), changed;
    do {
      (*reduction)(&changed, &old, &value, sizeof(Word) / sizeof(Element));
    } while (!word.compare_exchange_weak(old, changed, std::memory_order_acq_rel, std::memory_order_relaxed));
    keep(fetched, i, old);
  }
}

template <class U>
Atomic choose(Code code, Number number) {
  bool integer = number == Number::integer || number == Number::natural || number == Number::character;
  switch (code) {
    case Code::replace: return replace<U>;
    case Code::no_op: return fetch<U>;
    case Code::sum:
      if (integer) return best<U, by_processor<U, add>, add_words<U>>;
      break;
    case Code::band: return best<U, by_processor<U, both>, by_processor<std::uint64_t, both>>;
    case Code::bor: return best<U, by_processor<U, either>, by_processor<std::uint64_t, either>>;
    case Code::bxor: return best<U, by_processor<U, one_of>, by_processor<std::uint64_t, one_of>>;
    default: break;
  }
  return best<U, by_exchange<U, U>, by_exchange<U, std::uint64_t>>;
}

template <class U>
void swap_if_equal(std::byte* target, const void* compare, const void* value, void* result) {
  U expected, wanted;
  std::memcpy(&expected, compare, sizeof(U));
  std::memcpy(&wanted, value, sizeof(U));
  word_at<U>(target, 0).compare_exchange_strong(expected, wanted, std::memory_order_acq_rel);
  std::memcpy(result, &expected, sizeof(U));
}

}  // namespace

Atomic atomic_of(Code code, const datatype::Predefined& element) {
  if (element.number == Number::pair) return nullptr;
  switch (element.size) {
    case 1: return choose<std::uint8_t>(code, element.number);
    case 2: return choose<std::uint16_t>(code, element.number);
    case 4: return choose<std::uint32_t>(code, element.number);
    case 8: return choose<std::uint64_t>(code, element.number);
    default: return nullptr;
  }
}

void combine_locked(Code code, const coll::Reduction& reduction, std::byte* target, const std::byte* origin,
                    std::byte* fetched, std::size_t count) {
  if (fetched != nullptr) std::memcpy(fetched, target, count * reduction.element_bytes());
  if (code != Code::no_op) reduction(target, target, origin, count);
}

void compare_and_swap(std::byte* target, const void* compare, const void* value, void* result, std::size_t bytes) {
  switch (bytes) {
    case 1: return swap_if_equal<std::uint8_t>(target, compare, value, result);
    case 2: return swap_if_equal<std::uint16_t>(target, compare, value, result);
    case 4: return swap_if_equal<std::uint32_t>(target, compare, value, result);
    case 8: return swap_if_equal<std::uint64_t>(target, compare, value, result);
    default: break;
  }
}

}  // namespace atl::mpi::win
