// SPDX-License-Identifier: Apache-2.0
// What the death of a PE means to the callers of this library. Several libraries of a process, each with a copy of this
// code, may share one Context.
#pragma once

namespace atl::runtime {

/// When a PE has died, waits of a library's callers throw, or a failure handler is called (Context::answer_news), which
/// may belong to another library.
enum class Deaths { fatal, answered };

/// `answered` until this is called, which a library does when it is loaded.
void set_deaths_here(Deaths deaths);
Deaths deaths_here();

}  // namespace atl::runtime
