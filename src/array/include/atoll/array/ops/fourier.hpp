// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of distributed arrays, along any axes.
#pragma once

#include <vector>

#include "atoll/array/engine.hpp"

namespace atl::array {

/// Real and imaginary parts of the transforms along `axes` (each once, the last first), times a factor, of `re` and
/// `im` (null: zeros), float32 or float64.
///
/// Each PE transforms its rows along all axes but the first, some rows, a plane's worth of cache, at a time. Along the
/// first axis each takes an even share of the columns. Where all PEs share memory it reads and writes these in place,
/// wherever they lie. Otherwise each plane leaves for its columns' owners when it is done, while the next is
/// transformed: straight from where it lies (slabs), or, where a PE's share of it is less than a message is worth,
/// several planes packed as one (packed slabs); the columns come back in the same two ways. (Bell, Bonachea, Nishtala,
/// Yelick: Optimizing bandwidth limited problems using one-sided communication and overlap, 2006.) Each element crosses
/// twice at most. Where the time goes is counted as phases: fft_planes, fft_columns, fft_pack, fft_exchange (which is
/// waiting, and starting to send).
std::vector<Array> fourier(Engine& engine, Array re, Array im, std::vector<int> axes, bool backward, double factor);

}  // namespace atl::array
