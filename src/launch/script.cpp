// SPDX-License-Identifier: Apache-2.0
#include "script.hpp"

#include <sys/stat.h>

#include <fstream>

#include "atoll/base/validate.hpp"

namespace atl::runtime {
namespace {

bool is_file(const std::string& path) {
  struct stat what{};
  return ::stat(path.c_str(), &what) == 0 && S_ISREG(what.st_mode);
}

bool names_python(const std::string& path) {
  std::string first(200, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(file.gcount()));
  first = first.substr(0, first.find('\n'));
  return first.starts_with("#!") && first.find("python") != std::string::npos;
}

}  // namespace

bool run_by_python(const std::string& python, const std::string& directory, std::vector<std::string>& command) {
  const std::string program = command.front();
  const std::string path = directory.empty() || program.starts_with('/') ? program : directory + "/" + program;
  bool there = is_file(path);
  if (program.ends_with(".py")) ATOLL_VALIDATE(there, ValueError, "cannot run '{}': there is no such file", program);
  else if (!there || !names_python(path)) return false;
  // -u: the launcher passes lines on as they are written.
  command.insert(command.begin(), {python, "-u"});
  return true;
}

}  // namespace atl::runtime
