// SPDX-License-Identifier: Apache-2.0
#include "rma.hpp"

#include <cstdint>
#include <cstring>

#include "atoll/runtime/one_sided.hpp"

namespace atl::shmem {
namespace {

std::size_t bytes_of(Call call, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX)
    fail(call, "argument 'nelems': {} elements are more than there is memory", count);
  return bytes;
}

// Bytes from the first element of the first block to the last element of the last block.
std::size_t extent(Call call, const char* argument, std::ptrdiff_t stride, const Strided& shape) {
  if (stride < static_cast<std::ptrdiff_t>(shape.block) && shape.blocks > 1)
    fail(call, "argument '{}': a stride of {} is less than the {} elements of a block", argument, stride, shape.block);
  std::size_t steps = 0, elements = 0;
  if (__builtin_mul_overflow(shape.blocks - 1, static_cast<std::size_t>(stride), &steps) ||
      __builtin_add_overflow(steps, shape.block, &elements))
    fail(call, "argument '{}': a stride of {} goes past the end of memory", argument, stride);
  return bytes_of(call, elements, shape.element_bytes);
}

template <class Word>
void copy_words(std::byte* to, const std::byte* from, std::size_t to_step, std::size_t from_step, std::size_t count) {
  for (; count != 0; --count, to += to_step, from += from_step) {
    Word word;
    std::memcpy(&word, from, sizeof(Word));
    std::memcpy(to, &word, sizeof(Word));
  }
}

void copy_blocks(std::byte* to, const std::byte* from, const Strided& shape) {
  std::size_t to_step = shape.to_bytes(), from_step = shape.from_bytes(), bytes = shape.block_bytes(),
              count = shape.blocks;
  struct Wide {
    std::uint64_t low, high;
  };
  switch (bytes) {
    case 1: return copy_words<std::uint8_t>(to, from, to_step, from_step, count);
    case 2: return copy_words<std::uint16_t>(to, from, to_step, from_step, count);
    case 4: return copy_words<std::uint32_t>(to, from, to_step, from_step, count);
    case 8: return copy_words<std::uint64_t>(to, from, to_step, from_step, count);
    case 16: return copy_words<Wide>(to, from, to_step, from_step, count);
  }
  for (; count != 0; --count, to += to_step, from += from_step) std::memcpy(to, from, bytes);
}

}  // namespace

void put_by_offset(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                   int pe, Completion completion) {
  std::size_t bytes = bytes_of(call, count, size);
  if (bytes == 0) return;
  Target to = resolve(call, ctx, "dest", dest, bytes, pe);
  check_overlap(call, to, bytes, source, bytes);
  if (completion == Completion::on_return) return to.one_sided.put(to.pe, to.at, source, bytes);
  if (fabric::Queueing* path = queueing_path_to(to)) path->queue_put(to.pe, to.at, source, bytes, nullptr);
  else to.one_sided.put_nbi(to.pe, to.at, source, bytes);
}

void get_by_offset(Call call, shmem_ctx_t ctx, void* dest, const void* source, std::size_t count, std::size_t size,
                   int pe, Completion completion) {
  std::size_t bytes = bytes_of(call, count, size);
  if (bytes == 0) return;
  Target from = resolve(call, ctx, "source", source, bytes, pe);
  check_overlap(call, from, bytes, dest, bytes);
  if (completion == Completion::on_return) return from.one_sided.get(dest, from.pe, from.at, bytes);
  if (fabric::Queueing* path = queueing_path_to(from)) path->queue_get(dest, from.pe, from.at, bytes, nullptr);
  else from.one_sided.get_nbi(dest, from.pe, from.at, bytes);
}

void put_strided(Call call, shmem_ctx_t ctx, void* dest, const void* source, const Strided& shape, int pe) {
  if (shape.block == 0 || shape.blocks == 0) return;
  std::size_t span = extent(call, "dst", shape.to, shape);
  std::size_t source_span = extent(call, "sst", shape.from, shape);
  Target to = resolve(call, ctx, "dest", dest, span, pe);
  check_overlap(call, to, span, source, source_span);
  const auto* from = static_cast<const std::byte*>(source);
  if (std::byte* there = to.one_sided.peer_pointer(to.pe, to.at, span)) {
    copy_blocks(there, from, shape);
    to.one_sided.notify(to.pe);
    return;
  }
  for (std::size_t i = 0; i < shape.blocks; ++i)
    to.one_sided.put(to.pe, HeapOffset(to.at.value() + i * shape.to_bytes()), from + i * shape.from_bytes(),
                     shape.block_bytes());
}

void get_strided(Call call, shmem_ctx_t ctx, void* dest, const void* source, const Strided& shape, int pe) {
  if (shape.block == 0 || shape.blocks == 0) return;
  std::size_t dest_span = extent(call, "dst", shape.to, shape);
  std::size_t span = extent(call, "sst", shape.from, shape);
  Target from = resolve(call, ctx, "source", source, span, pe);
  check_overlap(call, from, span, dest, dest_span);
  auto* to = static_cast<std::byte*>(dest);
  if (const std::byte* there = from.one_sided.peer_pointer(from.pe, from.at, span))
    return copy_blocks(to, there, shape);
  for (std::size_t i = 0; i < shape.blocks; ++i)
    from.one_sided.get(to + i * shape.to_bytes(), from.pe, HeapOffset(from.at.value() + i * shape.from_bytes()),
                       shape.block_bytes());
}

}  // namespace atl::shmem
