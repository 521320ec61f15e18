// SPDX-License-Identifier: Apache-2.0
// Processor time of this process, all threads: user and kernel.
#pragma once

#include <sys/resource.h>

inline double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}
