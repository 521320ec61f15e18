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

// Each pass (2, 3, 4, 5, 8, other primes), Bluestein's convolution (67, 134, 997), and lengths without any, by the
// definition; as many lines as fill vectors, and as leave some of their lanes empty.
TEST(Fourier, IsTheSumOverTheRoots) {
  for (std::size_t n : {1ul,  2ul,  3ul,  4ul,  5ul,  7ul,  8ul,   12ul,  16ul,  24ul,
                        32ul, 49ul, 60ul, 61ul, 64ul, 67ul, 128ul, 134ul, 210ul, 997ul}) {
    SCOPED_TRACE(n);
    SequentialRandom random(n);
    const std::size_t lines = 23;
    std::vector<double> re(lines * n), im(lines * n), to_re(lines * n), to_im(lines * n), across_re(lines * n),
        across_im(lines * n);
    for (auto* part : {&re, &im})
      for (double& x : *part) x = to_unit_interval(random()) - 0.5;
    auto across = [&](const std::vector<double>& x) {
      std::vector<double> turned(lines * n);
      for (std::size_t line = 0; line < lines; ++line)
        for (std::size_t k = 0; k < n; ++k) turned[k * lines + line] = x[line * n + k];
      return turned;
    };
    for (Turn turn : {Turn::forward, Turn::backward})
      for (bool real : {false, true}) {
        const Fourier fourier(n, DType::f64, turn, 0.5);
        std::vector<double> scratch(fourier.scratch_size());
        fourier.rows({re.data(), real ? nullptr : im.data()}, {to_re.data(), to_im.data()}, lines, scratch.data());
        for (std::size_t line = 0; line < lines; line += 11)
          for (std::size_t k = 0; k < n; ++k) {
            double x = 0, y = 0;
            for (std::size_t j = 0; j < n; ++j) {
              const double angle = (turn == Turn::forward ? -2 : 2) * std::numbers::pi *
                                   static_cast<double>(j * k % n) / static_cast<double>(n);
              const double a = re[line * n + j], b = real ? 0.0 : im[line * n + j];
              x += a * std::cos(angle) - b * std::sin(angle);
              y += a * std::sin(angle) + b * std::cos(angle);
            }
            ASSERT_NEAR(to_re[line * n + k], x / 2, 1e-12) << k;
            ASSERT_NEAR(to_im[line * n + k], y / 2, 1e-12) << k;
          }
        // Columns give the same bits, also in place, and do not touch those beside them.
        across_re = across(re), across_im = across(im);
        if (real) {
          fourier.box({across_re.data(), nullptr}, {across_re.data(), across_im.data()}, 1, lines, 2, lines,
                      scratch.data());
        } else {
          fourier.box({across_re.data(), across_im.data()}, {across_re.data(), across_im.data()}, 1, lines, 2, lines,
                      scratch.data());
        }
        for (std::size_t line = 2; line < lines; ++line)
          for (std::size_t k = 0; k < n; ++k) {
            ASSERT_EQ(across_re[k * lines + line], to_re[line * n + k]);
            ASSERT_EQ(across_im[k * lines + line], to_im[line * n + k]);
          }
        ASSERT_EQ(across_re[lines * (n - 1) + 1], re[1 * n + n - 1]);
        // A line alone, too.
        std::vector<double> one_re(n), one_im(n);
        fourier.rows({re.data() + n, real ? nullptr : im.data() + n}, {one_re.data(), one_im.data()}, 1,
                     scratch.data());
        for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(one_re[k], to_re[n + k]);
      }
    const Fourier narrow(n, DType::f32, Turn::forward, 1.0), wide(n, DType::f64, Turn::forward, 1.0);
    std::vector<double> scratch(narrow.scratch_size());
    std::vector<float> narrow_re(re.begin(), re.end()), narrow_im(lines * n), out_re(lines * n), out_im(lines * n);
    wide.rows({re.data(), nullptr}, {to_re.data(), to_im.data()}, lines, scratch.data());
    narrow.rows({narrow_re.data(), narrow_im.data()}, {out_re.data(), out_im.data()}, lines, scratch.data());
    for (std::size_t i = 0; i < lines * n; ++i) ASSERT_NEAR(out_re[i], to_re[i], 1e-4);
  }
}

}  // namespace
}  // namespace atl::array
