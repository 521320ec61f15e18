// SPDX-License-Identifier: Apache-2.0
// The command line of `atoll-run`.
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "atoll/runtime/launcher.hpp"

namespace atl::runtime {
namespace {

constexpr std::string_view help_text =
    R"(usage: atoll-run -n N [options] PROGRAM [ARGUMENT...]

Runs PROGRAM as N processing elements (PEs) on this node and passes their output on, line by line.

  -n, -np, --npes N    number of PEs
  -t, --threads T      threads per PE (default: ATOLL_THREADS, or the cores shared evenly)
      --bind HOW       none (default), core (T cores of its own for each PE) or numa (a NUMA domain)
  -l, --label          begin each line of PE 3 with "[3] "
      --timeout S      end the job after S seconds, with status 124
  -h, --help           this text

PE 0 reads standard input, the others read nothing. Signals are passed on to all PEs. The exit status is that of the
first PE that failed (128 + signal when it was killed), or 0. When a PE dies the others are ended.
)";

// A wrong command line, as opposed to what goes wrong later.
class UsageError : public ValueError {
  using ValueError::ValueError;
};

template <class T>
T number(std::string_view option, std::string_view text, T least, T most) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
  if (!good) throw UsageError(fmt::format("{} '{}' is not valid. Accepted: {} to {}", option, text, least, most));
  return value;
}

enum class Wish { launch, help };

Wish parse(std::span<const char* const> arguments, LaunchOptions& options) {
  bool have_npes = false;
  std::size_t at = 1;
  while (at < arguments.size()) {
    std::string_view word = arguments[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;  // the program
    ++at;
    if (word == "-h" || word == "--help") return Wish::help;
    if (word == "-l" || word == "--label") {
      options.labels = Labels::yes;
      continue;
    }
    if (word == "-np") word = "-n";  // as SHMEM's and MPI's launchers call it
    std::string_view value;
    bool has_value = false;
    if (auto equals = word.find('='); word.starts_with("--") && equals != std::string_view::npos) {
      value = word.substr(equals + 1);
      word = word.substr(0, equals);
      has_value = true;
    } else if (!word.starts_with("--") && word.size() > 2) {
      value = word.substr(2);  // -n4
      word = word.substr(0, 2);
      has_value = true;
    }
    bool known = word == "-n" || word == "--npes" || word == "-t" || word == "--threads" || word == "--bind" ||
                 word == "--timeout";
    if (!known) throw UsageError(fmt::format("there is no option {}", word));
    if (!has_value) {
      if (at == arguments.size()) throw UsageError(fmt::format("{} needs a value", word));
      value = arguments[at++];
    }
    if (word == "-n" || word == "--npes") {
      options.npes = number<std::uint32_t>(word, value, 1, 65536);
      have_npes = true;
    } else if (word == "-t" || word == "--threads") {
      options.threads = number<unsigned>(word, value, 1, 4096);
    } else if (word == "--timeout") {
      options.timeout_seconds = number<double>(word, value, 0, 1e9);
    } else if (value == "none") {
      options.binding = Binding::none;
    } else if (value == "core") {
      options.binding = Binding::core;
    } else if (value == "numa") {
      options.binding = Binding::numa;
    } else {
      throw UsageError(fmt::format("--bind '{}' is not valid. Accepted: none, core, numa", value));
    }
  }
  for (; at < arguments.size(); ++at) options.command.emplace_back(arguments[at]);
  if (options.command.empty()) throw UsageError("no program to run is given");
  if (!have_npes) throw UsageError("the number of PEs is not given: -n N");
  return Wish::launch;
}

void print(int descriptor, std::string_view text) {
  [[maybe_unused]] auto written = ::write(descriptor, text.data(), text.size());
}

}  // namespace

int launcher_main(std::span<const char* const> arguments) {
  try {
    LaunchOptions options;
    if (parse(arguments, options) == Wish::help) {
      print(STDOUT_FILENO, help_text);
      return 0;
    }
    config::validate_environment();
    return launch(options);
  } catch (const UsageError& error) {
    print(STDERR_FILENO, fmt::format("atoll-run: {}. See atoll-run --help\n", error.what()));
    return 2;
  } catch (const Error& error) {
    print(STDERR_FILENO, fmt::format("atoll-run: {}\n", error.what()));
    return 2;
  }
}

}  // namespace atl::runtime
