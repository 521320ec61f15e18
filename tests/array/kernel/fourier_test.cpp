// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/kernel/fourier.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "atoll/base/random.hpp"
#include "movement_fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;

// Every pass (2, 3, 4, 5, other primes), Bluestein's convolution (67, 134, 997), and lengths without any, by the definition.
TEST(Fourier, IsTheSumOverTheRoots) {
  for (std::size_t n : {1ul, 2ul, 3ul, 4ul, 5ul, 7ul, 8ul, 12ul, 16ul, 30ul, 49ul, 60ul, 61ul, 64ul, 67ul, 134ul, 210ul, 997ul})
    for (unsigned threads : {1u, 3u}) {
      SCOPED_TRACE(n);
      SequentialRandom random(n);
      const std::size_t rows = 5;
      std::vector<double> re(rows * n), im(rows * n), to_re(rows * n), to_im(rows * n);
      for (auto* part : {&re, &im})
        for (double& x : *part) x = to_unit_interval(random()) - 0.5;
      Harness harness(threads);
      for (Turn turn : {Turn::forward, Turn::backward})
        for (bool real : {false, true}) {
          fourier_rows(harness.work, DType::f64, turn, re.data(), real ? nullptr : im.data(), to_re.data(), to_im.data(), rows, n);
          for (std::size_t row = 0; row < rows; row += 4)
            for (std::size_t k = 0; k < n; ++k) {
              double x = 0, y = 0;
              for (std::size_t j = 0; j < n; ++j) {
                const double angle = (turn == Turn::forward ? -2 : 2) * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
                const double a = re[row * n + j], b = real ? 0.0 : im[row * n + j];
                x += a * std::cos(angle) - b * std::sin(angle);
                y += a * std::sin(angle) + b * std::cos(angle);
              }
              ASSERT_NEAR(to_re[row * n + k], x, 1e-12) << k;
              ASSERT_NEAR(to_im[row * n + k], y, 1e-12) << k;
            }
        }
      std::vector<float> narrow_re(re.begin(), re.end()), narrow_im(rows * n), out_re(rows * n), out_im(rows * n);
      fourier_rows(harness.work, DType::f32, Turn::forward, narrow_re.data(), narrow_im.data(), out_re.data(), out_im.data(), rows, n);
      fourier_rows(harness.work, DType::f64, Turn::forward, re.data(), nullptr, to_re.data(), to_im.data(), rows, n);
      for (std::size_t i = 0; i < rows * n; ++i) ASSERT_NEAR(out_re[i], to_re[i], 1e-4);
    }
}

}  // namespace
}  // namespace atl::array
