// SPDX-License-Identifier: Apache-2.0
// What is the same under every launcher.
#include "atoll/bootstrap/bootstrap.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <fstream>

namespace atl::runtime {
namespace {

std::string namespace_number(const char* kind) {
  struct stat info{};
  return ::stat(fmt::format("/proc/self/ns/{}", kind).c_str(), &info) == 0 ? fmt::format("{}", info.st_ino) : "?";
}

}  // namespace

std::string Bootstrap::host_name() const {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "?";
}

std::string Bootstrap::node_name() const {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  if (!std::getline(file, boot)) boot = host_name();
  return fmt::format("{}/{}/{}/{}", boot, namespace_number("net"), namespace_number("pid"), namespace_number("user"));
}

std::vector<std::string> Bootstrap::allgather(std::string_view key, std::string_view mine, Deadline deadline) {
  publish(key, mine);
  exchange(deadline);
  std::vector<std::string> all;
  for (std::uint32_t other = 0; other < size(); ++other)
    all.push_back(other == rank() ? std::string(mine) : lookup(other, key));
  return all;
}

}  // namespace atl::runtime
