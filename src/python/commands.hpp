// SPDX-License-Identifier: Apache-2.0
// The operations that need Python on every PE, numbered behind those of tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "atoll/array/session.hpp"
#include "atoll/base/error.hpp"
#include "atoll/table/operations.hpp"
#include "atoll/table/ops/landing.hpp"

namespace atl::python {

/// What the PEs' programs have answered, in PE order.
using Answers = std::vector<std::vector<std::byte>>;

/// A program has not answered well, on any PE.
class ProgramFailed : public Error {
 public:
  using Error::Error;
};

/// Runs this process's program on every PE with `request` and that PE's rows of `inputs`, and makes columns of the rows
/// that it leaves; of how many on each PE, when that is known. Throws ProgramFailed on all PEs when one has failed.
std::vector<array::Array> run_everywhere(array::Engine& engine, array::DriverOnly<Answers*> answers,
                                         std::string request, std::vector<array::Array> inputs,
                                         std::vector<table::LandingColumn> kinds, std::vector<std::int64_t> rows);

/// What a PE has counted, by name; see Session.stats of _core.pyi.
std::map<std::string, std::uint64_t> stats_of(array::Engine& engine);

/// For tests: calls `callback(operation)` at every look of this PE's kernels for an interrupt, and
/// `while_waiting(operation)` now and then where it waits for others. What they raise is an interrupt. None: no call.
void watch_polls(array::Engine& engine, nanobind::object callback, nanobind::object while_waiting);

/// Bytes that all PEs have put, got and sent. Collective.
std::uint64_t moved_bytes(array::Engine& engine);

using Commands = table::Operations::Extended<&run_everywhere, &moved_bytes>;

}  // namespace atl::python

/// Functions that leave rows read them from files; what others do to files and to other memory is not known here.
template <>
struct atl::array::Repeatable<&atl::python::run_everywhere> {
  static bool with(const auto& arguments) {
    return !std::get<std::vector<atl::table::LandingColumn>>(arguments).empty();
  }
};

/// A request holds the PE's own paths, and what it has pickled may be in any order.
template <>
inline constexpr bool atl::array::arguments_differ<&atl::python::run_everywhere> = true;
