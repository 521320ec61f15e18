// SPDX-License-Identifier: Apache-2.0
// What the C++ benchmarks of communication share: their options, the job they join, and the JSON lines they print.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/raise.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/job.hpp"
#include "atoll/runtime/context.hpp"

namespace atl::bench {

/// Numbers by name, given as "--name number".
using Options = std::map<std::string, std::uint64_t, std::less<>>;

/// The standard values with those of the command line over them; ValueError for anything else.
inline Options parse(int argc, char** argv, Options options) {
  for (int i = 1; i < argc; i += 2) {
    std::string_view name = argv[i];
    auto found = name.starts_with("--") ? options.find(name.substr(2)) : options.end();
    char* end = nullptr;
    std::uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 10) : 0;
    if (found == options.end() || value == 0 || *end != '\0') {
      std::string accepted;
      for (const auto& [one, standard] : options) accepted += fmt::format(" --{} {}", one, standard);
      raise<ValueError>(fmt::format("'{}' is not understood. Accepted, with a number from 1:{}", name, accepted));
    }
    found->second = value;
  }
  return options;
}

/// One JSON line, by PE 0: `fields` are members as text, seconds those of each trial.
inline void record(runtime::Context& context, std::string_view name, std::string_view contender,
                   std::string_view fields, const std::vector<double>& seconds) {
  if (context.pe().value() != 0) return;
  std::printf("%s\n",
              fmt::format("{{\"name\": \"{}\", \"contender\": \"{}\", \"pes\": {}, {}, \"seconds\": [{:.4g}], "
                          "\"processor\": \"{}\"}}",
                          name, contender, context.npes(), fields, fmt::join(seconds, ", "), topology().processor)
                  .c_str());
  std::fflush(stdout);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// main(): joins the job of the launcher and runs the body, which returns whether all answers were right.
inline int run(int argc, char** argv, const Options& standard,
               const std::function<bool(runtime::Context&, const Options&)>& body) {
  try {
    Options options = parse(argc, argv, standard);
    auto membership = runtime::join_from_environment();
    ATOLL_VALIDATE(membership.has_value(), SetupError, "run this under a launcher: atoll-run -n 2 --bind core {}",
                   argv[0]);
    runtime::Context context(membership->job, membership->pe, {.threads = 1});
    bool right = body(context, options);
    context.barrier();
    return right ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}

}  // namespace atl::bench
