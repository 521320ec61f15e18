// SPDX-License-Identifier: Apache-2.0
#include "atoll/table/kernel/text/offsets.hpp"

#include "atoll/array/kernel/polling.hpp"
#include "atoll/base/validate.hpp"

namespace atl::table {

void check_offsets(const array::Work& work, const TextView& texts, std::int64_t size) {
  array::Polling(work).for_pieces(texts.count, text_piece, [&](std::size_t begin, std::size_t end, unsigned) {
    bool ordered = texts.offsets[begin] >= 0;
    for (std::size_t i = begin; i < end; ++i) ordered &= texts.offsets[i] <= texts.offsets[i + 1];
    ordered &= texts.offsets[end] <= size;
    for (std::size_t i = begin; !ordered && i < end; ++i)
      ATOLL_VALIDATE(texts.offsets[i] >= 0 && texts.offsets[i] <= texts.offsets[i + 1] && texts.offsets[i + 1] <= size,
                     ValueError,
                     "text {} lies from byte {} to byte {} of {}: offsets must not fall, nor leave the bytes", i,
                     texts.offsets[i], texts.offsets[i + 1], size);
  });
}

}  // namespace atl::table
