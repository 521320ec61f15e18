// SPDX-License-Identifier: Apache-2.0
// From requests to the states that answer them, and back.
#pragma once

#include <map>
#include <vector>

#include "atoll/table/kernel/aggregate.hpp"
#include "atoll/table/ops/group.hpp"

namespace atl::table {

class Plan {
 public:
  /// Collective: looks at some values of columns whose sums are wanted.
  Plan(Engine& engine, const std::vector<Array>& values, const std::vector<Request>& requests, std::uint64_t rows);

  std::span<const StateSpec> specs() const { return specs_; }
  /// The spec that says which groups there are.
  std::size_t presence() const { return presence_; }
  /// Collective. Sums by bands of magnitudes, in which nothing is left aside, for columns whose magnitudes lie far
  /// apart.
  void add_bands(Engine& engine, const std::vector<Array>& values);

  DType result_type(std::size_t request) const;
  /// Adds up sums that several requests are made of, so that finish() need not do it for each.
  void add_up(array::Work work, const Aggregated& groups);
  /// The request's figure for every group; for first and last row numbers (int64). The rests of `groups` are in order
  /// of spec and key.
  void finish(ThreadPool& threads, const Aggregated& groups, std::size_t request, void* out) const;

 private:
  struct Source {
    std::size_t state = 0;  // min, max, first, last and sums of integers
    std::vector<std::size_t> sums;  // count, sum and mean of floats, var and std: a band each
    std::vector<std::size_t> squares;  // var and std
  };
  std::size_t need(const StateSpec& spec);
  std::vector<std::size_t> add_bands(std::size_t spec, int top, double least, bool special);
  void finish_range(const Aggregated& groups, std::size_t request, std::size_t begin, std::size_t end, void* out) const;
  void add_up_range(const Aggregated& groups, const std::vector<std::size_t>& sums, std::size_t begin, std::size_t end,
                    double* out) const;
  double rows_of(const Aggregated& groups, std::size_t spec, std::size_t group) const;

  std::vector<DType> types_;
  std::vector<Request> requests_;
  std::uint64_t rows_;
  std::vector<StateSpec> specs_;
  std::vector<Source> sources_;
  std::size_t presence_ = 0;
  std::map<std::vector<std::size_t>, Buffer<double>> totals_;  // by Source::sums
};

}  // namespace atl::table
