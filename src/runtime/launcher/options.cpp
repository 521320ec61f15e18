// SPDX-License-Identifier: Apache-2.0
// The command line of `atoll-run`.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "atoll/base/config.hpp"
#include "atoll/base/error.hpp"
#include "agent.hpp"
#include "guests.hpp"
#include "atoll/runtime/launcher.hpp"
#include "hosts.hpp"
#include "hosts_launch.hpp"
#include "processes.hpp"

namespace atl::runtime {
namespace {

constexpr std::string_view help_text =
    R"(usage: atoll-run -n N [options] PROGRAM [ARGUMENT...]

Runs PROGRAM as N processing elements (PEs), on this host or on several, and passes their output on, line by line.

  -n, -np, --npes N    number of PEs
  -t, --threads T      threads per PE (default: ATOLL_THREADS, or the cores shared evenly)
      --bind HOW       none (default), core (T cores of its own for each PE), numa (a NUMA domain) or socket; PEs that are
                       more than domains or sockets share them
      --pes-per-node K K PEs on every host, whatever a list says; numa or socket: as many as the host has of those, each
                       host its own number, and bound to them
  -l, --label          begin each line of PE 3 with "[3] "
      --timeout S      end the job after S seconds, with status 124
  -h, --help           this text

on several hosts:
      --hosts LIST     a:2,b:2 : two PEs on each, in blocks; a,b : N shared evenly. Without -n all that fit
      --hostfile FILE  the same, as lines: "a slots=2", "a:2" or "a"; # begins a comment
      --launch-agent C command that runs a program on a host: its name follows, or replaces {host}
                       (default: ATOLL_LAUNCH_AGENT, or ssh -o BatchMode=yes)
      --address A      address, name or interface of this host that the others can reach (default: ATOLL_ADDRESS, or the
                       one that packets to them leave from)
      --port P         port on which the hosts report here (default: a free one)
  -x NAME[=VALUE]      pass one more variable on to the PEs; those of Atoll, OpenSHMEM, libfabric, OpenMP, Python and the
                       loader are passed on in any case

The program, its directory and Atoll must be at the same place on every host. `atoll doctor --hosts LIST` tries them out.

PE 0 reads standard input, the others read nothing. Signals are passed on to all PEs. The exit status is that of the
first PE that failed (128 + signal when it was killed), or 0. When a PE dies the others are ended.
)";

// A wrong command line, as opposed to what goes wrong later.
class UsageError : public ValueError {
  using ValueError::ValueError;
};

template <class T>
T number(std::string_view option, std::string_view text, T least, T most, std::string_view or_else = "") {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool good = error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most;
  if (!good) throw UsageError(fmt::format("{} '{}' is not valid. Accepted: {} to {}{}", option, text, least, most, or_else));
  return value;
}

enum class Wish { launch, help };

// What is said of hosts, before it is known how many PEs go where.
struct HostWishes {
  std::vector<HostEntry> hosts;
  std::uint32_t per_host = 0;
  Binding pe_for_each = Binding::none;  // numa or socket: per_host is that of each host
  std::optional<Binding> binding;  // as --bind says
  bool only_for_hosts = false;  // an option was given that means nothing on one host
};

Binding binding_of(std::string_view word) {
  if (word == "none") return Binding::none;
  if (word == "core") return Binding::core;
  if (word == "numa") return Binding::numa;
  if (word == "socket") return Binding::socket;
  throw UsageError(fmt::format("--bind '{}' is not valid. Accepted: none, core, numa, socket", word));
}

// False: it is not about hosts.
bool take_host_option(std::string_view word, std::string_view value, LaunchOptions& options, HostWishes& wishes) {
  if (word == "--hosts" || word == "--hostfile") {
    auto named = word == "--hosts" ? parse_hosts(value) : read_hostfile(std::string(value));
    wishes.hosts.insert(wishes.hosts.end(), named.begin(), named.end());
    return true;
  }
  if (word == "--pes-per-node") {
    wishes.pe_for_each = value == "numa" ? Binding::numa : value == "socket" ? Binding::socket : Binding::none;
    wishes.per_host = 0;
    if (wishes.pe_for_each == Binding::none)
      wishes.per_host = number<std::uint32_t>(word, value, 1, 65536, ", numa or socket");
    return true;
  }
  if (word == "--launch-agent") {
    options.launch_agent = value;
  } else if (word == "--address") {
    options.address = value;
  } else if (word == "--port") {
    options.port = number<std::uint16_t>(word, value, 1, 65535);
  } else {
    return false;
  }
  wishes.only_for_hosts = true;
  return true;
}

constexpr std::array value_options{"-n",        "--npes",         "-t",             "--threads", "--bind", "--timeout", "--hosts",
                                   "--hostfile", "--pes-per-node", "--launch-agent", "--address", "--port", "-x"};

Wish parse(std::span<const char* const> arguments, LaunchOptions& options) {
  bool have_npes = false;
  HostWishes wishes;
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
    if (std::find(value_options.begin(), value_options.end(), word) == value_options.end())
      throw UsageError(fmt::format("there is no option {}", word));
    if (!has_value) {
      if (at == arguments.size()) throw UsageError(fmt::format("{} needs a value", word));
      value = arguments[at++];
    }
    if (take_host_option(word, value, options, wishes)) continue;
    if (word == "-n" || word == "--npes") {
      options.npes = number<std::uint32_t>(word, value, 1, 65536);
      have_npes = true;
    } else if (word == "-t" || word == "--threads") {
      options.threads = number<unsigned>(word, value, 1, 4096);
    } else if (word == "-x") {
      options.pass.emplace_back(value);
    } else if (word == "--timeout") {
      options.timeout_seconds = number<double>(word, value, 0, 1e9);
    } else {
      wishes.binding = binding_of(value);
    }
  }
  for (; at < arguments.size(); ++at) options.command.emplace_back(arguments[at]);
  if (options.command.empty()) throw UsageError("no program to run is given");
  options.binding = wishes.binding.value_or(wishes.pe_for_each);
  if (!wishes.hosts.empty() && wishes.pe_for_each != Binding::none) {
    for (HostShare& host : spread(wishes.hosts, 0, 1)) options.hosts.push_back({std::move(host.name), 0, 0});
    options.pe_for_each = wishes.pe_for_each;
    if (!have_npes) options.npes = 0;
    return Wish::launch;
  }
  if (!wishes.hosts.empty()) {
    options.hosts = spread(wishes.hosts, have_npes ? options.npes : 0, wishes.per_host);
    options.npes = options.hosts.back().first_pe + options.hosts.back().pes;
    return Wish::launch;
  }
  if (wishes.only_for_hosts) throw UsageError("there are options for several hosts, but no --hosts");
  if (wishes.pe_for_each != Binding::none) wishes.per_host = count_parts(wishes.pe_for_each);
  if (wishes.per_host != 0) {
    if (have_npes && options.npes > wishes.per_host)
      throw UsageError(fmt::format("-n {} is more than --pes-per-node {} allows on this host", options.npes, wishes.per_host));
    if (!have_npes) options.npes = wishes.per_host;
    return Wish::launch;
  }
  if (!have_npes) throw UsageError("the number of PEs is not given: -n N");
  return Wish::launch;
}

// As HostAgents writes it: --agent HOST ADDRESS,… PORT
AgentOptions parse_agent(std::span<const char* const> arguments) {
  AgentOptions options;
  options.host = number<std::uint32_t>("--agent", arguments[2], 0, 65535);
  std::string_view rest = arguments[3];
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find(','), rest.size());
    options.addresses.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  options.port = number<std::uint16_t>("--agent", arguments[4], 1, 65535);
  return options;
}

// As start_guests() writes it: --guests FIRST COUNT HOST PROGRAM …
KeeperOptions parse_keeper(std::span<const char* const> arguments) {
  KeeperOptions options;
  options.first = number<std::uint32_t>("--guests", arguments[2], 0, 131072);
  options.count = number<std::uint32_t>("--guests", arguments[3], 1, 65536);
  options.host = number<std::uint32_t>("--guests", arguments[4], 0, 131072);
  for (const char* word : arguments.subspan(5)) options.command.emplace_back(word);
  return options;
}

void print(int descriptor, std::string_view text) {
  [[maybe_unused]] auto written = ::write(descriptor, text.data(), text.size());
}

}  // namespace

int launcher_main(std::span<const char* const> arguments) {
  try {
    if (arguments.size() == 5 && std::string_view(arguments[1]) == "--agent") return run_agent(parse_agent(arguments));
    if (arguments.size() > 5 && std::string_view(arguments[1]) == "--guests") return keep_guests(parse_keeper(arguments));
    LaunchOptions options;
    if (parse(arguments, options) == Wish::help) {
      print(STDOUT_FILENO, help_text);
      return 0;
    }
    config::validate_environment();
    config::warn_of_unknown_names();
    return options.hosts.empty() ? launch(options) : launch_on_hosts(options);
  } catch (const UsageError& error) {
    print(STDERR_FILENO, fmt::format("atoll-run: {}. See atoll-run --help\n", error.what()));
    return 2;
  } catch (const Error& error) {
    print(STDERR_FILENO, fmt::format("atoll-run: {}\n", error.what()));
    return 2;
  }
}

}  // namespace atl::runtime
