// SPDX-License-Identifier: Apache-2.0
// Random fills in vectors. Only + - * / sqrt and integer operations in a fixed order, never fused: every SIMD level and
// every tail gives the same bits, which the C library's logarithm would not promise.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/kernel/random.hpp"
#include "atoll/array/kernel/simd.hpp"
#include "atoll/base/assertion.hpp"
#include "atoll/base/random.hpp"
#include "kernel/random/elementary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/random/random.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace atl::array::HWY_NAMESPACE {

// Plain loops: the compiler makes vectors of them at each level.

HWY_ATTR void bits_range(std::uint64_t key, std::uint64_t first, std::uint64_t* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = random_bits(key, first + i);
}

// The high half of a 64 x 64-bit product from four 32-bit ones, which vectors have.
HWY_ATTR HWY_INLINE std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  std::uint64_t al = a & 0xFFFFFFFFu, ah = a >> 32, bl = b & 0xFFFFFFFFu, bh = b >> 32;
  std::uint64_t middle = ah * bl + (al * bl >> 32);
  std::uint64_t other = al * bh + (middle & 0xFFFFFFFFu);
  return ah * bh + (middle >> 32) + (other >> 32);
}

template <class U>
HWY_ATTR void integers_range(std::uint64_t key, std::uint64_t first, std::uint64_t low, std::uint64_t span, U* to,
                             std::size_t n) {
  if (span == 0) {
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<U>(low + random_bits(key, first + i));
  } else if (span <= 0xFFFFFFFFu) {  // half the product is enough, and the result the same
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t bits = random_bits(key, first + i);
      std::uint64_t product = (bits >> 32) * span + ((bits & 0xFFFFFFFFu) * span >> 32);
      to[i] = static_cast<U>(low + (product >> 32));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) to[i] = static_cast<U>(low + multiply_high(random_bits(key, first + i), span));
  }
}

HWY_ATTR void uniform64_range(std::uint64_t key, std::uint64_t first, double low, double width, double below,
                              double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double x = low + width * unit_double(random_bits(key, first + i));
    to[i] = x < below ? x : below;
  }
}

HWY_ATTR void uniform32_range(std::uint64_t key, std::uint64_t first, float low, float width, float below, float* to,
                              std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    auto unit = static_cast<float>(static_cast<std::int32_t>(random_bits(key, first + i) >> 40)) * 0x1.0p-24f;
    float x = low + width * unit;
    to[i] = x < below ? x : below;
  }
}

HWY_ATTR void exponential_range(std::uint64_t key, std::uint64_t first, double scale, double* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = scale * -natural_log(1.0 - unit_double(random_bits(key, first + i)));
}

// Whole pairs: `first` is even and n too.
HWY_ATTR void normal_pairs(std::uint64_t key, std::uint64_t first, double mean, double deviation, double* to,
                           std::size_t n) {
  constexpr std::size_t block = 256;
  double radius[block], sine[block], cosine[block];
  for (std::size_t begin = 0; begin < n; begin += 2 * block) {
    std::size_t pairs = std::min(block, (n - begin) / 2);
    std::uint64_t counter = first + begin;
    for (std::size_t k = 0; k < pairs; ++k) {
      double u = 1.0 - unit_double(random_bits(key, counter + 2 * k));
      radius[k] = std::sqrt(-2.0 * natural_log(u));
    }
    for (std::size_t k = 0; k < pairs; ++k)
      sine_cosine_turn(unit_double(random_bits(key, counter + 2 * k + 1)), sine[k], cosine[k]);
    for (std::size_t k = 0; k < pairs; ++k) {
      to[begin + 2 * k] = mean + deviation * (radius[k] * cosine[k]);
      to[begin + 2 * k + 1] = mean + deviation * (radius[k] * sine[k]);
    }
  }
}

HWY_ATTR void integers_any(std::uint64_t key, std::uint64_t first, std::size_t size, std::uint64_t low,
                           std::uint64_t span, void* to, std::size_t n) {
  dispatch_size(size,
                [&]<class U>(Type<U>) HWY_ATTR { integers_range(key, first, low, span, static_cast<U*>(to), n); });
}

}  // namespace atl::array::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace atl::array {
namespace {

HWY_EXPORT(bits_range);
HWY_EXPORT(integers_any);
HWY_EXPORT(uniform64_range);
HWY_EXPORT(uniform32_range);
HWY_EXPORT(exponential_range);
HWY_EXPORT(normal_pairs);

constexpr std::size_t grain = 8192;

// Makes doubles by `make(first, to, n)` and stores them as float64 or float32, in blocks that stay in L1.
template <class Make>
void for_doubles(const Work& work, DType type, void* to, std::size_t n, Make make) {
  ATOLL_EXPECT(is_float(type));
  Polling(work).for_pieces(n, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    if (type == DType::f64) {
      make(begin, static_cast<double*>(to) + begin, end - begin);
      return;
    }
    double block[512];
    for (std::size_t at = begin; at < end; at += 512) {
      std::size_t count = std::min<std::size_t>(512, end - at);
      make(at, block, count);
      auto* target = static_cast<float*>(to) + at;
      for (std::size_t k = 0; k < count; ++k) target[k] = static_cast<float>(block[k]);
    }
  });
}

}  // namespace

void random_bits(const Work& work, RandomStream stream, std::uint64_t* to, std::size_t n) {
  Polling(work).for_pieces(n, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    HWY_DYNAMIC_DISPATCH(bits_range)(stream.key, stream.first + begin, to + begin, end - begin);
  });
}

void random_integers(const Work& work, RandomStream stream, DType type, std::uint64_t low, std::uint64_t span, void* to,
                     std::size_t n) {
  ATOLL_EXPECT(!is_float(type));
  std::size_t size = size_of(type);
  Polling(work).for_pieces(n, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    HWY_DYNAMIC_DISPATCH(integers_any)
    (stream.key, stream.first + begin, size, low, span, static_cast<unsigned char*>(to) + begin * size, end - begin);
  });
}

void random_uniform(const Work& work, RandomStream stream, DType type, double low, double high, void* to,
                    std::size_t n) {
  ATOLL_EXPECT(is_float(type));
  Polling(work).for_pieces(n, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    std::uint64_t first = stream.first + begin;
    // Rounding could reach `high`, which must stay out: not above the value before it (unless there is no room).
    if (type == DType::f64) {
      double below = high > low ? std::nextafter(high, low) : high;
      HWY_DYNAMIC_DISPATCH(uniform64_range)
      (stream.key, first, low, high - low, below, static_cast<double*>(to) + begin, end - begin);
    } else {
      auto a = static_cast<float>(low), b = static_cast<float>(high);
      float below = b > a ? std::nextafter(b, a) : b;
      HWY_DYNAMIC_DISPATCH(uniform32_range)
      (stream.key, first, a, b - a, below, static_cast<float*>(to) + begin, end - begin);
    }
  });
}

void random_exponential(const Work& work, RandomStream stream, DType type, double scale, void* to, std::size_t n) {
  for_doubles(work, type, to, n, [&](std::size_t begin, double* at, std::size_t count) {
    HWY_DYNAMIC_DISPATCH(exponential_range)(stream.key, stream.first + begin, scale, at, count);
  });
}

void random_normal(const Work& work, RandomStream stream, DType type, double mean, double deviation, void* to,
                   std::size_t n) {
  for_doubles(work, type, to, n, [&](std::size_t begin, double* at, std::size_t count) {
    std::uint64_t first = stream.first + begin;
    auto pairs = [&](std::uint64_t counter, double* target, std::size_t elements) {
      HWY_DYNAMIC_DISPATCH(normal_pairs)(stream.key, counter, mean, deviation, target, elements);
    };
    double pair[2];
    if (first % 2 == 1 && count > 0) {
      pairs(first - 1, pair, 2);
      *at++ = pair[1];
      ++first;
      --count;
    }
    pairs(first, at, count / 2 * 2);
    if (count % 2 == 1) {
      pairs(first + count - 1, pair, 2);
      at[count - 1] = pair[0];
    }
  });
}

}  // namespace atl::array
#endif  // HWY_ONCE
