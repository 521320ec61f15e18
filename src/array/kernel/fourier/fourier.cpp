// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/fourier.hpp"

#include <algorithm>
#include <utility>

#include "kernel/fourier/plan.hpp"

namespace atl::array {

void fourier_rows(const Work& work, DType type, Turn turn, const void* from_re, const void* from_im, void* to_re, void* to_im,
                  std::size_t rows, std::size_t n) {
  ATOLL_EXPECT(is_float(type));
  if (rows == 0 || n == 0) return;
  const FourierPlan plan(n);
  // Backward is forward with the parts exchanged, before and after.
  if (turn == Turn::backward) {
    std::swap(from_re, from_im);
    std::swap(to_re, to_im);
  }
  const std::size_t grain = std::max<std::size_t>(1, 4096 / n);
  const std::size_t each = n + plan.scratch_size();
  Buffer<Complex> scratch(work.memory, each * work.threads.size());
  auto transform = [&]<class T>(Type<T>) {
    work.threads.for_ranges(rows, grain, [&](std::size_t begin, std::size_t end, unsigned thread) {
      Complex* data = scratch.data() + each * thread;
      for (std::size_t row = begin; row < end; ++row) {
        auto part = [&](const void* from, std::size_t k) {
          return from == nullptr ? 0.0 : static_cast<double>(static_cast<const T*>(from)[row * n + k]);
        };
        for (std::size_t k = 0; k < n; ++k) data[k] = {part(from_re, k), part(from_im, k)};
        plan.run(data, data + n);
        for (std::size_t k = 0; k < n; ++k) {
          static_cast<T*>(to_re)[row * n + k] = static_cast<T>(data[k].re);
          static_cast<T*>(to_im)[row * n + k] = static_cast<T>(data[k].im);
        }
      }
    });
  };
  if (type == DType::f64) transform(Type<double>{});
  else transform(Type<float>{});
}

}  // namespace atl::array
