// SPDX-License-Identifier: Apache-2.0
// Hand-written loops for moving by data, without the engine's machinery: no negative or checked indices, int64 and
// float64 only, outputs start at a multiple of 64 bytes, results unspecified for repeated scatter indices. Contenders
// in benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/parallel.hpp"

namespace atl::limit {

/// out[i] = values[indices[i]]
void gather(ThreadPool& threads, const std::int64_t* values, const std::int64_t* indices, std::int64_t* out,
            std::size_t n);
/// out[indices[i]] = values[i]
void scatter(ThreadPool& threads, const std::int64_t* values, const std::int64_t* indices, std::int64_t* out,
             std::size_t n);
/// Bins of one width over [0, 1): the values must lie there. counts: `bins` of them, at most 1024.
void histogram(ThreadPool& threads, const double* values, std::size_t n, std::size_t bins, std::int64_t* counts);
/// out[i] = whether bit values[i] of `bitmap` is set: the values must be below its size.
void isin_dense(ThreadPool& threads, const std::int64_t* values, std::size_t n, const std::uint64_t* bitmap, bool* out);

}  // namespace atl::limit
