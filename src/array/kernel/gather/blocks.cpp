// SPDX-License-Identifier: Apache-2.0
// Where rows lie, and whether indices are in range.
#include <algorithm>

#include "atoll/array/kernel/gather.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/gather/bounds.hpp"

namespace atl::array {

PeerBlocks::PeerBlocks(void* base, std::int64_t rows, std::size_t row_bytes)
    : row_bytes_(row_bytes), origins_{static_cast<unsigned char*>(base)}, begins_{0, rows} {}

PeerBlocks::PeerBlocks(std::span<void* const> bases, std::span<const std::int64_t> begins, std::size_t row_bytes)
    : row_bytes_(row_bytes), begins_(begins.begin(), begins.end()) {
  ATOLL_EXPECT(!bases.empty() && begins.size() == bases.size() + 1 && begins[0] == 0);
  for (std::size_t b = 0; b < bases.size(); ++b) {
    // Through an integer: the origin may lie outside the block, where pointer arithmetic is not defined.
    auto base = reinterpret_cast<std::uintptr_t>(bases[b]);
    origins_.push_back(reinterpret_cast<unsigned char*>(base - static_cast<std::uintptr_t>(begins[b]) * row_bytes));
  }
  std::int64_t size = begins[1];
  bool uniform = size > 1;
  for (std::size_t b = 0; b < bases.size(); ++b)
    uniform = uniform && begins[b] == std::min(static_cast<std::int64_t>(b) * size, rows());
  uniform = uniform && begins[bases.size() - 1] + size >= rows();
  if (uniform) {
    block_rows_ = static_cast<std::uint64_t>(size);
    reciprocal_ = static_cast<std::uint64_t>((static_cast<unsigned __int128>(1) << 64) / block_rows_);
  }
}

std::size_t PeerBlocks::search(std::int64_t row) const {
  // The last block that begins at or before the row; empty ones before it begin there too.
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end() - 1, row) - begins_.begin()) - 1;
}

BadIndex check_indices(const Work& work, const std::int64_t* indices, std::size_t n, std::int64_t rows) {
  FirstBad bad(work.threads.size());
  Polling(work).for_pieces(n, index_grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
    for (std::size_t first = begin; first < end; first += 1024) {
      std::size_t last = std::min(end, first + 1024);
      if (!all_in_range(indices + first, last - first, rows) &&
          !all_in_range_of_signs(indices + first, last - first, rows)) {
        std::size_t i = first;
        while (indices[i] < rows && indices[i] >= -rows) ++i;
        bad.note(thread, i, indices[i]);
        return;
      }
    }
  });
  return bad.first();
}

}  // namespace atl::array
