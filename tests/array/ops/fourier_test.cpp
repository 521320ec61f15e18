// SPDX-License-Identifier: Apache-2.0
// Transforms along all axes: the same bits on any PEs, in place or by slabs and packed slabs.
#include "atoll/array/ops/fourier.hpp"

#include <complex>
#include <numbers>

#include "fixture.hpp"

namespace atl::array {
namespace {

using namespace testing;
using Complexes = std::vector<std::complex<double>>;

/// By the definition, axis by axis.
Complexes expected(Complexes x, const Shape& shape, const std::vector<int>& axes) {
  for (int axis : axes) {
    std::size_t n = static_cast<std::size_t>(shape[axis]), inner = 1;
    for (int other = axis + 1; other < shape.ndim(); ++other) inner *= static_cast<std::size_t>(shape[other]);
    Complexes found(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t k = i / inner % n, start = i - k * inner;
      for (std::size_t j = 0; j < n; ++j)
        found[i] += x[start + j * inner] *
                    std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
    }
    x = found;
  }
  return x;
}

class FourierOnPes : public OnPes {
 protected:
  static void check(Engine& engine, const Shape& shape, const std::vector<int>& axes, bool real) {
    const auto size = static_cast<std::size_t>(shape.size());
    const auto a = random_integers(size, -100, 100, 1), b = random_integers(size, -100, 100, 2);
    const std::vector<double> re(a.begin(), a.end()), im(b.begin(), b.end());
    Complexes x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = {re[i], real ? 0.0 : im[i]};
    const auto found =
        fourier(engine, to_array(engine, re, shape), real ? nullptr : to_array(engine, im, shape), axes, false, 1.0);
    const auto found_re = to_vector<double>(engine, found[0]), found_im = to_vector<double>(engine, found[1]);
    const Complexes want = expected(x, shape, axes);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_NEAR(found_re[i], want[i].real(), 1e-9 * static_cast<double>(size)) << i;
      ASSERT_NEAR(found_im[i], want[i].imag(), 1e-9 * static_cast<double>(size)) << i;
    }
  }
};

TEST_P(FourierOnPes, Axes) {
  run([](Engine& engine) {
    for (bool real : {false, true}) {
      check(engine, {6, 10, 7}, {0, 1, 2}, real);  // shares of columns are packed
      check(engine, {9, 20}, {0}, real);
      check(engine, {5, 3, 4}, {1}, real);
      check(engine, {2, 3}, {0, 1}, real);
      check(engine, {40, 9}, {1}, real);
    }
  });
}

TEST_P(FourierOnPes, LargeSharesGoAsTheyLie) {
  run([](Engine& engine) {
    for (bool real : {false, true})
      check(engine, {4, 5, 2 * 2056 * static_cast<std::int64_t>(engine.npes()) / 5}, {0}, real);
    check(engine, {3, static_cast<std::int64_t>(engine.npes()) * 2100, 2}, {0, 2}, false);
  });
}

ATOLL_ON_PES(FourierOnPes);

}  // namespace
}  // namespace atl::array
