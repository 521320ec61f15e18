// SPDX-License-Identifier: Apache-2.0
// Hand-written loops without any of the engine's machinery: what the machine can do, as a contender in benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/parallel.hpp"

namespace atl::limit {

// Pointers start at a multiple of 64 bytes. Sums are of 8 partial sums per thread: their last bits depend on threads.
void triad(ThreadPool& threads, const double* a, const double* b, double scale, double* out, std::size_t n);
/// out = (a*b + c*d - e) / f
void expression(ThreadPool& threads, const double* a, const double* b, const double* c, const double* d,
                const double* e, const double* f, double* out, std::size_t n);
double expression_sum(ThreadPool& threads, const double* a, const double* b, const double* c, const double* d,
                      const double* e, const double* f, std::size_t n);
double sum(ThreadPool& threads, const double* a, std::size_t n);
std::int64_t sum(ThreadPool& threads, const std::int64_t* a, std::size_t n);
double min(ThreadPool& threads, const double* a, std::size_t n);
/// n must not be 0.
std::size_t argmax(ThreadPool& threads, const double* a, std::size_t n);
void cumsum(ThreadPool& threads, const double* a, double* out, std::size_t n);
void cumsum(ThreadPool& threads, const std::int64_t* a, std::int64_t* out, std::size_t n);

}  // namespace atl::limit
