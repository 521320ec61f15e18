// SPDX-License-Identifier: Apache-2.0
#include "x_aggregate.hpp"

#include <fmt/format.h>

#include "atoll/runtime/one_sided.hpp"

namespace atl::shmem {
namespace {

// Calls `work` with the aggregators of the handle, for either width.
template <class Work>
void with(shmemx_aggregator_t aggregator, Work&& work) {
  if (aggregator->width == 8) work(static_cast<Aggregators<std::uint64_t>*>(aggregator->set));
  else work(static_cast<Aggregators<std::uint32_t>*>(aggregator->set));
}

template <class Word>
void* make(Library& here, std::byte* array, std::size_t count) {
  return new Aggregators<Word>(here.hub(), reinterpret_cast<Word*>(array), count, here.npes());
}

}  // namespace

shmemx_aggregator_t make_aggregator(Call call, void* array, std::size_t count, std::size_t width) {
  Library& here = library(call);
  std::size_t bytes = 0;
  bool fits = !__builtin_mul_overflow(count, width, &bytes);
  auto at = fits ? here.addresses().offset_of(array, bytes) : std::nullopt;
  if (!at) fail(call, "argument 'array': {} elements at {} are not symmetric memory", count, fmt::ptr(array));
  auto* own = here.one_sided().local_pointer(*at);
  auto made = std::make_unique<shmemx_aggregator_v1>();
  made->width = width;
  made->set = width == 8 ? make<std::uint64_t>(here, own, count) : make<std::uint32_t>(here, own, count);
  return made.release();
}

void finish_aggregator(Call call, shmemx_aggregator_t aggregator) {
  (void)library(call);
  if (aggregator == nullptr) fail(call, "argument 'aggregator' is SHMEMX_AGGREGATOR_INVALID");
  with(aggregator, [](auto* set) { set->finish(); });
}

void destroy_aggregator(Call call, shmemx_aggregator_t aggregator) {
  if (aggregator == nullptr) return;
  finish_aggregator(call, aggregator);
  with(aggregator, [](auto* set) { delete set; });
  delete aggregator;
}

void fail_aggregate(Call call, shmemx_aggregator_t aggregator, std::size_t width, std::size_t index, int pe) {
  if (aggregator == nullptr) fail(call, "argument 'aggregator' is SHMEMX_AGGREGATOR_INVALID");
  if (aggregator->width != width)
    fail(call, "the aggregator is for elements of {} bytes, not {}", aggregator->width, width);
  fail(call, "there is no element {} on PE {}", index, pe);
}

}  // namespace atl::shmem
