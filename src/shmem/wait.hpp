// SPDX-License-Identifier: Apache-2.0
// Point-to-point synchronisation: waiting for and testing words of this PE's symmetric memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "atoll/runtime/one_sided.hpp"
#include "atoll/runtime/progress.hpp"
#include "library.hpp"

namespace atl::shmem {

runtime::Compare comparison(Call call, int cmp);
/// Called after a failed test, as programs test in loops: yields the core when PEs share cores.
void after_failed_test(Library& here);
/// Start index of the next search among several words, so that none starves.
std::size_t next_start(std::size_t count);

/// Number of polls of the word before other work, about a microsecond, in which a running peer answers. Progress is
/// made after every `looks_per_progress` polls.
inline constexpr int first_looks = 512, looks_per_progress = 32;
/// The same when PEs of other nodes may change the word: polling the network takes 0.3 µs.
inline constexpr int looks_per_network_look = 4;

/// Context::wait, preceded by polls without pauses or progress, which would add to the latency.
template <class Ready>
void wait_for(Library& here, Ready&& ready) {
  if (!here.one_sided().node().oversubscribed) {
    const fabric::Job& job = here.job();
    int step = job.local_pes() == job.npes() ? looks_per_progress : looks_per_network_look;
    for (int rounds = 0; rounds < first_looks / looks_per_progress; ++rounds) {
      for (int i = 0; i < step; ++i)
        if (ready()) return;
      here.progress().progress();
    }
  }
  here.progress().wait(std::forward<Ready>(ready));
}

template <class T>
T load_word(const T* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);  // partner: the release store or atomic of the PE that changed it
}

/// The values for comparison: one for all words, or one per word.
template <class T>
struct Same {
  T value;
  T operator[](std::size_t) const { return value; }
};
template <class T>
struct Each {
  const T* values;
  T operator[](std::size_t i) const { return values[i]; }
};

/// The words to test: those with status 0.
template <class T, class Values>
struct WaitSet {
  const T* words;
  std::size_t count;
  const int* status;
  runtime::Compare compare;
  Values values;

  bool included(std::size_t i) const { return status == nullptr || status[i] == 0; }
  bool holds(std::size_t i) const { return runtime::holds(load_word(words + i), compare, values[i]); }
  bool empty() const {
    for (std::size_t i = 0; i < count; ++i)
      if (included(i)) return false;
    return true;
  }
  bool all() const {
    for (std::size_t i = 0; i < count; ++i)
      if (included(i) && !holds(i)) return false;
    return true;
  }
  std::size_t any(std::size_t start) const {
    for (std::size_t n = 0, i = start; n < count; ++n, i = i + 1 == count ? 0 : i + 1)
      if (included(i) && holds(i)) return i;
    return SIZE_MAX;
  }
  std::size_t some(std::size_t* indices) const {
    std::size_t found = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (included(i) && holds(i)) indices[found++] = i;
    return found;
  }
};

template <class T>
WaitSet<T, Same<T>> wait_set(Call call, const T* words, std::size_t count, const int* status, int cmp, T value) {
  check_own(call, "ivars", words, count * sizeof(T));
  return {words, count, status, comparison(call, cmp), {value}};
}
template <class T>
WaitSet<T, Each<T>> wait_set(Call call, const T* words, std::size_t count, const int* status, int cmp,
                             const T* values) {
  check_own(call, "ivars", words, count * sizeof(T));
  return {words, count, status, comparison(call, cmp), {values}};
}

template <class T>
void wait_until(Call call, const T* word, int cmp, T value) {
  Library& here = library(call);
  check_own(call, "ivar", word, sizeof(T));
  runtime::Compare compare = comparison(call, cmp);
  wait_for(here, [=] { return runtime::holds(load_word(word), compare, value); });
}

inline std::uint64_t signal_wait_until(Call call, const std::uint64_t* word, int cmp, std::uint64_t value) {
  Library& here = library(call);
  check_own(call, "sig_addr", word, sizeof(*word));
  runtime::Compare compare = comparison(call, cmp);
  std::uint64_t seen = 0;
  wait_for(here, [&] { return runtime::holds(seen = load_word(word), compare, value); });
  return seen;
}

template <class T>
int test(Call call, const T* word, int cmp, T value) {
  Library& here = library(call);
  check_own(call, "ivar", word, sizeof(T));
  if (runtime::holds(load_word(word), comparison(call, cmp), value)) return 1;
  after_failed_test(here);
  return 0;
}

template <class T, class Value>
void wait_until_all(Call call, const T* words, std::size_t count, const int* status, int cmp, Value value) {
  Library& here = library(call);
  auto set = wait_set(call, words, count, status, cmp, value);
  // One word after the other: a condition that held once need not be tested again.
  for (std::size_t i = 0; i < count; ++i)
    if (set.included(i)) wait_for(here, [&] { return set.holds(i); });
}

template <class T, class Value>
std::size_t wait_until_any(Call call, const T* words, std::size_t count, const int* status, int cmp, Value value) {
  Library& here = library(call);
  auto set = wait_set(call, words, count, status, cmp, value);
  if (set.empty()) return SIZE_MAX;
  std::size_t start = next_start(count);
  std::size_t found = SIZE_MAX;
  wait_for(here, [&] { return (found = set.any(start)) != SIZE_MAX; });
  return found;
}

template <class T, class Value>
std::size_t wait_until_some(Call call, const T* words, std::size_t count, std::size_t* indices, const int* status,
                            int cmp, Value value) {
  Library& here = library(call);
  auto set = wait_set(call, words, count, status, cmp, value);
  if (set.empty()) return 0;
  std::size_t found = 0;
  wait_for(here, [&] { return (found = set.some(indices)) != 0; });
  return found;
}

template <class T, class Value>
int test_all(Call call, const T* words, std::size_t count, const int* status, int cmp, Value value) {
  Library& here = library(call);
  if (wait_set(call, words, count, status, cmp, value).all()) return 1;
  after_failed_test(here);
  return 0;
}

template <class T, class Value>
std::size_t test_any(Call call, const T* words, std::size_t count, const int* status, int cmp, Value value) {
  Library& here = library(call);
  auto set = wait_set(call, words, count, status, cmp, value);
  std::size_t found = count == 0 ? SIZE_MAX : set.any(next_start(count));
  if (found == SIZE_MAX) after_failed_test(here);
  return found;
}

template <class T, class Value>
std::size_t test_some(Call call, const T* words, std::size_t count, std::size_t* indices, const int* status, int cmp,
                      Value value) {
  Library& here = library(call);
  std::size_t found = wait_set(call, words, count, status, cmp, value).some(indices);
  if (found == 0) after_failed_test(here);
  return found;
}

}  // namespace atl::shmem
