// SPDX-License-Identifier: Apache-2.0
// Zipf's law on 1 … bound by rejection-inversion (Hoermann and Derflinger 1996): a continuous hat over the
// probabilities, inverted; on average 1.1 trials or fewer. Trial t of element i draws from a stream of its own.
#include <algorithm>
#include <cmath>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/random.hpp"
#include "atoll/base/assertion.hpp"
#include "kernel/random/draws.hpp"

namespace atl::array {
namespace {

class Zipf {
 public:
  Zipf(double exponent, std::uint64_t bound) : exponent_(exponent), bound_(static_cast<double>(bound)) {
    integral_first_ = integral(1.5) - 1.0;
    integral_last_ = integral(bound_ + 0.5);
    shortcut_ = 2.0 - inverse(integral(2.5) - hat(2.0));
  }

  std::uint64_t draw(std::uint64_t key, std::uint64_t counter) const {
    for (Draws draws(key, counter);;) {
      double u = integral_last_ + draws.unit() * (integral_first_ - integral_last_);
      double x = inverse(u);
      double k = std::floor(x + 0.5);
      k = std::clamp(k, 1.0, bound_);
      if (k - x <= shortcut_ || u >= integral(k + 0.5) - hat(k)) return static_cast<std::uint64_t>(k);
    }
  }

 private:
  double hat(double x) const { return exponential(-exponent_ * natural_log(x)); }
  double integral(double x) const {
    double log_x = natural_log(x);
    return expm1_over((1.0 - exponent_) * log_x) * log_x;
  }
  double inverse(double x) const {
    double t = std::max(x * (1.0 - exponent_), -1.0 + 0x1.0p-53);
    return exponential(log1p_over(t) * x);
  }

  double exponent_, bound_;
  double integral_first_, integral_last_, shortcut_;
};

}  // namespace

void random_zipf(const Work& work, RandomStream stream, DType type, double exponent, std::uint64_t bound, void* to,
                 std::size_t n) {
  ATOLL_EXPECT(exponent > 0 && bound >= 1 && type != DType::b1);
  Zipf zipf(exponent, bound);
  dispatch(type, [&]<class T>(Type<T>) {
    Polling(work).for_pieces(n, 2048, [&](std::size_t begin, std::size_t end, unsigned) {
      auto* target = static_cast<T*>(to);
      for (std::size_t i = begin; i < end; ++i) target[i] = static_cast<T>(zipf.draw(stream.key, stream.first + i));
    });
  });
}

}  // namespace atl::array
