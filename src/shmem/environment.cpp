// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

#include "atoll/base/config.hpp"
#include "shmem.h"

namespace atl::shmem {

void print_start_up() {
  std::string text;
  if (!config::text(config::Variable::shmem_version).empty())
    text += fmt::format(SHMEM_VENDOR_STRING ", OpenSHMEM {}.{}\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION);
  if (!config::text(config::Variable::shmem_info).empty()) {
    for (const config::Entry& entry : config::entries())
      if (entry.name.starts_with("SHMEM_") || entry.name.starts_with("ATOLL_SHMEM_"))
        text += fmt::format("{}={}\n    {}\n", entry.name, config::text(entry.variable), entry.meaning);
  }
  [[maybe_unused]] auto written = ::write(STDOUT_FILENO, text.data(), text.size());
}

}  // namespace atl::shmem
