// SPDX-License-Identifier: Apache-2.0
#include "staging.hpp"

#include <algorithm>

#include "atoll/base/error.hpp"
#include "atoll/runtime/heap.hpp"

namespace atl::coll::detail {

void StagingPool::release() {
  if (memory_ != nullptr) heap_.release(memory_);
  memory_ = nullptr;
  free_.clear();
  loans_.clear();
  readers_.fill(0);
}

void StagingPool::open() {
  if (memory_ != nullptr) return;
  memory_ = static_cast<std::byte*>(heap_.allocate(most_chunks * chunk_bytes));
  for (std::size_t i = 0; i < most_chunks; ++i) free_.push_back(memory_ + i * chunk_bytes);
}

bool StagingPool::try_open() {
  if (memory_ != nullptr) return true;
  if (refused_) return false;
  try {
    open();
  } catch (const MemoryError&) { refused_ = true; }
  return !refused_;
}

bool StagingPool::has_free() {
  if (!try_open()) return false;
  if (free_.empty()) call_in();
  return !free_.empty();
}

std::byte* StagingPool::take() {
  if (!has_free()) return nullptr;
  std::byte* chunk = free_.back();
  free_.pop_back();
  return chunk;
}

void StagingPool::lend(std::byte* chunk, std::uint32_t reader, std::uint64_t number) {
  loans_.push_back({chunk, reader, number});
  ++readers_of(chunk);
}

void StagingPool::call_in() {
  std::erase_if(loans_, [&](const Loan& loan) {
    if (mail_.lent_read(loan.reader) < loan.number) return false;
    if (--readers_of(loan.chunk) == 0) free_.push_back(loan.chunk);
    return true;
  });
}

}  // namespace atl::coll::detail
