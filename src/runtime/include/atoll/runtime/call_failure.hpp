// SPDX-License-Identifier: Apache-2.0
// Failed calls of C interfaces that return no error codes: a line on stderr, then the end of the job.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/base/error.hpp"
#include "atoll/fabric/job.hpp"

namespace atl::runtime {

inline constexpr int call_failure_status = 1;

/// Writes a line to stderr in one piece, so that the lines of several PEs do not mix.
inline void write_line(std::string line) {
  line += '\n';
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

/// Ends the job, null before the library is open: then the launcher takes this process's exit for the end of the job.
[[noreturn]] inline void end_job(fabric::Job* job) {
  if (job != nullptr) job->request_exit(call_failure_status);
  std::_Exit(call_failure_status);
}

/// Ends the job because of the exception that is being handled, after `report(what)`. If a PE has ended the job, this
/// process ends with that PE's status and reports nothing.
template <class Report>
[[noreturn]] void end_by_exception(fabric::Job* job, Report&& report) {
  try {
    throw;
  } catch (const PeFailedError& error) {
    auto wanted = job == nullptr ? std::nullopt : job->exit_requested();
    if (!wanted) report(std::string_view(error.what()));
    // The launcher must know of the request before this process ends, or it takes this end for the cause.
    if (wanted) job->request_exit(*wanted);
    std::_Exit(wanted ? *wanted & 0xFF : call_failure_status);
  } catch (const std::bad_alloc&) { report("out of memory"); } catch (const std::exception& error) {
    report(std::string_view(error.what()));
  }
  end_job(job);
}

}  // namespace atl::runtime
