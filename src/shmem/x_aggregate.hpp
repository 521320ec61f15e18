// SPDX-License-Identifier: Apache-2.0
// Aggregation of many small puts, additions and gets on one symmetric array.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "atoll/agg/memory.hpp"
#include "library.hpp"
#include "shmemx.h"

namespace atl::shmem {

/// The operations of one aggregator, on words of one width.
template <class Word>
struct Aggregators {
  Aggregators(agg::Hub& hub, Word* array, std::uint64_t count, std::uint32_t npes)
      : count(count), npes(npes), puts(hub, array, count), adds(hub, array, count), gets(hub, array, count) {}
  void finish() {
    puts.finish();
    adds.finish();
    gets.finish();
  }
  std::uint64_t count;
  std::uint32_t npes;
  agg::UpdateAggregator<Word, agg::Update::put> puts;
  agg::UpdateAggregator<Word, agg::Update::add> adds;
  agg::GetAggregator<Word> gets;
};

template <class T>
using WordOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Collective over the world.
shmemx_aggregator_t make_aggregator(Call call, void* array, std::size_t count, std::size_t width);
void finish_aggregator(Call call, shmemx_aggregator_t aggregator);
void destroy_aggregator(Call call, shmemx_aggregator_t aggregator);

[[noreturn]] void fail_aggregate(Call call, shmemx_aggregator_t aggregator, std::size_t width, std::size_t index,
                                 int pe);
}  // namespace atl::shmem

struct shmemx_aggregator_v1 {
  std::size_t width = 0;  ///< bytes of an element: 4 or 8
  void* set = nullptr;    ///< the Aggregators of that width
};

namespace atl::shmem {

template <class T>
Aggregators<WordOf<T>>& aggregators(Call call, shmemx_aggregator_t aggregator, std::size_t index, int pe) {
  if (aggregator == nullptr || aggregator->width != sizeof(T)) [[unlikely]]
    fail_aggregate(call, aggregator, sizeof(T), index, pe);
  auto& set = *static_cast<Aggregators<WordOf<T>>*>(aggregator->set);
  if (index >= set.count || static_cast<std::uint32_t>(pe) >= set.npes) [[unlikely]]
    fail_aggregate(call, aggregator, sizeof(T), index, pe);
  return set;
}

template <class T>
int create_aggregator(Call call, T* array, std::size_t count, shmemx_aggregator_t* aggregator) {
  *aggregator = make_aggregator(call, array, count, sizeof(T));
  return 0;
}
template <class T>
void aggregate_put(Call call, shmemx_aggregator_t aggregator, std::size_t index, T value, int pe) {
  aggregators<T>(call, aggregator, index, pe).puts.push(pe, index, std::bit_cast<WordOf<T>>(value));
}
template <class T>
void aggregate_add(Call call, shmemx_aggregator_t aggregator, std::size_t index, T value, int pe) {
  aggregators<T>(call, aggregator, index, pe).adds.push(pe, index, std::bit_cast<WordOf<T>>(value));
}
template <class T>
void aggregate_get(Call call, shmemx_aggregator_t aggregator, T* dest, std::size_t index, int pe) {
  aggregators<T>(call, aggregator, index, pe).gets.push(pe, index, reinterpret_cast<WordOf<T>*>(dest));
}

}  // namespace atl::shmem
