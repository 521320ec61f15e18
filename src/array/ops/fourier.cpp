// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/fourier.hpp"

#include "atoll/array/kernel/fourier.hpp"

namespace atl::array {

std::vector<Array> fourier(Engine& engine, Array re, Array im, bool backward) {
  engine.begin_operation("fft");
  ATOLL_EXPECT(is_float(re->dtype) && re->shape.ndim() >= 2);
  ATOLL_EXPECT(im == nullptr || (im->dtype == re->dtype && im->shape == re->shape));  // then its rows lie alike
  std::vector<Array> results = engine.make({{re->dtype, re->shape}, {re->dtype, re->shape}});
  const auto length = static_cast<std::size_t>(re->shape[re->shape.ndim() - 1]);
  const std::size_t rows = length == 0 ? 0 : static_cast<std::size_t>(re->local_size()) / length;
  fourier_rows(engine.work(), re->dtype, backward ? Turn::backward : Turn::forward, re->bytes(),
               im == nullptr ? nullptr : im->bytes(), results[0]->bytes(), results[1]->bytes(), rows, length);
  return results;
}

}  // namespace atl::array
