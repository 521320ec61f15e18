// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "atoll/base/topology.hpp"
#include "hosts.hpp"
#include "option_names.hpp"
#include "output.hpp"
#include "placement.hpp"
#include "processes.hpp"
#include "script.hpp"

namespace atl::runtime {
namespace {

// What is said of one program, up to the next `:`.
struct Section {
  Program program;
  bool counted = false;    // -n was given
  bool is_python = false;  // a script, which --python's interpreter runs
  std::vector<HostEntry> hosts;
};

struct Given {
  std::string_view name, first, second;
};

std::uint32_t checked(std::uint64_t npes) {
  if (npes > most_pes) throw UsageError(fmt::format("{} PEs are more than a job may have: {}", npes, most_pes));
  return static_cast<std::uint32_t>(npes);
}

class CommandLine {
 public:
  CommandLine(std::span<const char* const> words, LaunchOptions& options) : words_(words), options_(options) {}
  Wish read();

 private:
  std::optional<Wish> read_options();
  const OptionName& next_option(Given& given);
  std::string_view next_value(std::string_view option);
  std::optional<Wish> take(Option option, const Given& given);
  void take_for_program(Option option, const Given& given);
  void take_for_hosts(Option option, const Given& given);
  void take_output(const Given& given);
  void settle();
  void settle_output();
  std::uint32_t pes_without_count();
  void settle_one_host();
  void settle_hosts();
  Section& section() { return sections_.back(); }

  std::span<const char* const> words_;
  std::size_t at_ = 1;
  LaunchOptions& options_;
  std::vector<Section> sections_;
  Placement placement_;
  std::string python_;
  bool output_is_given_ = false;
  std::string_view only_for_hosts_;  // an option that means nothing on one host; empty: none
};

std::string_view CommandLine::next_value(std::string_view option) {
  if (at_ == words_.size()) throw UsageError(fmt::format("{} needs a value", option));
  return words_[at_++];
}

// "--name value", "--name=value", "-n4".
const OptionName& CommandLine::next_option(Given& given) {
  std::string_view word = words_[at_++];
  bool has_value = false;
  const OptionName* found = find_option(word);
  if (auto equals = word.find('='); found == nullptr && equals != std::string_view::npos && !word.starts_with("-x")) {
    given.first = word.substr(equals + 1);
    word = word.substr(0, equals);
    has_value = true;
    found = find_option(word);
  } else if (found == nullptr && word.size() > 2 && (word.starts_with("-x") || (word[2] >= '0' && word[2] <= '9'))) {
    given.first = word.substr(2);
    word = word.substr(0, 2);
    has_value = true;
    found = find_option(word);
  }
  if (found == nullptr) {
    std::string_view meant = closest_option(word);
    throw UsageError(meant.empty() ? fmt::format("unknown option {}", word)
                                   : fmt::format("unknown option {}. Did you mean {}?", word, meant));
  }
  given.name = word;
  if (has_value && found->values == Values::none) throw UsageError(fmt::format("{} takes no value", word));
  if (found->values == Values::none) return *found;
  if (!has_value) given.first = next_value(word);
  if (found->values == Values::two && given.first.find('=') == std::string_view::npos) given.second = next_value(word);
  return *found;
}

// NAME VALUE, or NAME=VALUE in one word.
std::string assignment(const Given& given) {
  return given.first.find('=') == std::string_view::npos ? fmt::format("{}={}", given.first, given.second)
                                                         : std::string(given.first);
}

double seconds(const Given& given) {
  double value = 0;
  auto [end, error] = std::from_chars(given.first.data(), given.first.data() + given.first.size(), value);
  bool good = error == std::errc{} && end == given.first.data() + given.first.size() && value >= 0 && value <= 1e9;
  if (!good) throw UsageError(fmt::format("{} '{}' is not valid. Accepted: 0 to 1e9 seconds", given.name, given.first));
  return value;
}

void CommandLine::take_for_program(Option option, const Given& given) {
  if (option == Option::npes) {
    section().program.pes = whole_number(given.name, given.first, 1, most_pes);
    section().counted = true;
  } else if (option == Option::directory) {
    section().program.directory = given.first;
  } else if (option == Option::assign_one) {
    section().program.environment.push_back(assignment(given));
  } else {
    auto named = option == Option::hosts ? parse_hosts(given.first) : read_hostfile(std::string(given.first));
    section().hosts.insert(section().hosts.end(), named.begin(), named.end());
  }
}

void CommandLine::take_for_hosts(Option option, const Given& given) {
  only_for_hosts_ = given.name;
  if (option == Option::launch_agent) options_.launch_agent = given.first;
  else if (option == Option::address) options_.address = given.first;
  else options_.port = static_cast<std::uint16_t>(whole_number(given.name, given.first, 1, 65535));
}

// "all", or the number of a PE.
void CommandLine::take_output(const Given& given) {
  output_is_given_ = true;
  if (given.first == "all") options_.shown_pe.reset();
  else options_.shown_pe = whole_number(given.name, given.first, 0, most_pes - 1);
}

std::optional<Wish> CommandLine::take(Option option, const Given& given) {
  switch (option) {
    case Option::help: return Wish::help;
    case Option::version: return Wish::version;
    case Option::label: options_.labels = Labels::yes; break;
    case Option::output: take_output(given); break;
    case Option::threads: options_.threads = whole_number(given.name, given.first, 1, most_threads); break;
    case Option::timeout: options_.timeout_seconds = seconds(given); break;
    case Option::bind: take_bind(given.name, given.first, placement_); break;
    case Option::bind_to: take_bind_to(given.name, given.first, placement_); break;
    case Option::map_by: take_map_by(given.name, given.first, placement_); break;
    case Option::rank_by: take_rank_by(given.name, given.first, placement_); break;
    case Option::pes_per_node: take_pes_per_node(given.name, given.first, placement_); break;
    case Option::python: python_ = given.first; break;
    case Option::pass: options_.pass.emplace_back(given.first); break;
    case Option::assign: options_.pass.push_back(assignment(given)); break;
    case Option::pass_all: options_.pass_all = true; break;
    case Option::pass_list:
      for (std::string_view rest = given.first; !rest.empty();) {
        std::size_t end = std::min(rest.find(','), rest.size());
        options_.pass.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      break;
    case Option::npes:
    case Option::hosts:
    case Option::hostfile:
    case Option::directory:
    case Option::assign_one: take_for_program(option, given); break;
    case Option::launch_agent:
    case Option::address:
    case Option::port: take_for_hosts(option, given); break;
    case Option::needless: break;
    case Option::foreign:
      say(fmt::format("{} {} is a setting of another launcher, and is not used", given.name, given.first));
      break;
  }
  return std::nullopt;
}

// Of one section: what comes before its program.
std::optional<Wish> CommandLine::read_options() {
  for (; at_ < words_.size();) {
    std::string_view word = words_[at_];
    if (word == "--") {
      ++at_;
      break;
    }
    if (word.size() < 2 || word[0] != '-') break;  // the program
    Given given;
    const OptionName& option = next_option(given);
    if (auto wish = take(option.option, given)) return wish;
  }
  return std::nullopt;
}

Wish CommandLine::read() {
  do {
    sections_.emplace_back();
    if (auto wish = read_options()) return *wish;
    Program& program = section().program;
    while (at_ < words_.size() && std::string_view(words_[at_]) != ":") program.command.emplace_back(words_[at_++]);
    if (program.command.empty())
      throw UsageError(sections_.size() == 1 && at_ == words_.size() ? "no program to run is given"
                                                                     : "there is no program before or after a ':'");
    if (!python_.empty()) section().is_python = run_by_python(python_, program.directory, program.command);
  } while (at_++ < words_.size());
  settle();
  return Wish::launch;
}

void CommandLine::settle() {
  bool several = sections_.size() > 1, any_hosts = false;
  for (const Section& one : sections_) any_hosts = any_hosts || !one.hosts.empty();
  if (several)
    for (const Section& one : sections_)
      if (!one.counted && one.hosts.empty())
        throw UsageError(fmt::format("the number of PEs of {} is not given: -n N", one.program.command.front()));
  if (several && placement_.pe_for_each != Binding::none)
    throw UsageError("a PE for each NUMA domain or socket is for one program. Give each of several programs its -n N");
  options_.binding = placement_.binding.value_or(placement_.pe_for_each);
  if (options_.threads == 0) options_.threads = placement_.threads;
  if (any_hosts) settle_hosts();
  else settle_one_host();
  settle_output();
  for (Section& one : sections_) options_.programs.push_back(std::move(one.program));
}

// Every PE runs the whole of a Python script, so all print the same: by default one is enough.
void CommandLine::settle_output() {
  bool all_python = std::all_of(sections_.begin(), sections_.end(), [](const Section& one) { return one.is_python; });
  if (!output_is_given_ && all_python && options_.labels == Labels::no) options_.shown_pe = 0;
  if (options_.shown_pe && options_.npes != 0 && *options_.shown_pe >= options_.npes)
    throw UsageError(
        fmt::format("--output {} names no PE of this job (PEs 0 to {})", *options_.shown_pe, options_.npes - 1));
}

// A Python script without -n runs on all cores: one PE for each, or for each `--threads` of them.
std::uint32_t CommandLine::pes_without_count() {
  if (placement_.per_host != 0 || !section().is_python) return placement_.per_host;
  return std::max(1U, static_cast<unsigned>(topology().cores.size()) / std::max(1U, options_.threads));
}

void CommandLine::settle_one_host() {
  if (!only_for_hosts_.empty())
    throw UsageError(fmt::format("{} is for several hosts, but there is no --hosts", only_for_hosts_));
  if (placement_.pe_for_each != Binding::none) placement_.per_host = count_parts(placement_.pe_for_each);
  if (sections_.size() == 1 && !section().counted) section().program.pes = pes_without_count();
  std::uint64_t npes = 0;
  for (const Section& one : sections_) npes += one.program.pes;
  if (npes == 0) throw UsageError("the number of PEs is not given: -n N");
  if (placement_.per_host != 0 && npes > placement_.per_host)
    throw UsageError(
        fmt::format("-n {} is more than --pes-per-node {} allows on this host", npes, placement_.per_host));
  options_.npes = checked(npes);
}

std::uint32_t pes_of(const std::vector<HostShare>& hosts) {
  return std::accumulate(hosts.begin(), hosts.end(), 0U,
                         [](std::uint32_t sum, const HostShare& one) { return sum + one.pes; });
}

std::vector<HostShare>::iterator find_host(std::vector<HostShare>& hosts, const std::string& name) {
  return std::find_if(hosts.begin(), hosts.end(), [&](const HostShare& one) { return one.name == name; });
}

// Hosts of the first program alone are those of all; else each program has its own.
void CommandLine::settle_hosts() {
  if (!placement_.in_turns.empty())
    throw UsageError(
        fmt::format("{}: PEs are dealt to the hosts in blocks, not in turns. Leave it out", placement_.in_turns));
  if (placement_.pe_for_each != Binding::none) {
    for (HostShare& host : spread(section().hosts, 0, 1)) options_.hosts.push_back({std::move(host.name), 0, 0});
    options_.pe_for_each = placement_.pe_for_each;
    options_.npes = section().program.pes;
    return;
  }
  bool shared =
      std::all_of(sections_.begin() + 1, sections_.end(), [](const Section& one) { return one.hosts.empty(); });
  if (shared) {
    std::uint64_t npes = 0;
    for (const Section& one : sections_) npes += one.program.pes;
    const std::uint32_t total = checked(npes);
    if (sections_.size() > 1 && !sections_.front().counted)
      throw UsageError(
          fmt::format("the number of PEs of {} is not given: -n N", sections_.front().program.command.front()));
    options_.hosts = spread(sections_.front().hosts, total, placement_.per_host);
    options_.npes = pes_of(options_.hosts);
    return;
  }
  std::vector<HostShare> idle;
  std::uint32_t first = 0;
  for (Section& one : sections_) {
    if (one.hosts.empty())
      throw UsageError(
          fmt::format("{} is given no host, and another program is. Name hosts for all, or for the first alone",
                      one.program.command.front()));
    std::vector<HostShare> shares = spread(one.hosts, one.program.pes, placement_.per_host);
    one.program.pes = pes_of(shares);
    for (HostShare& share : shares) {
      share.first_pe += first;
      auto same = find_host(options_.hosts, share.name);
      if (share.pes == 0) idle.push_back(share);
      else if (same == options_.hosts.end()) options_.hosts.push_back(share);
      else if (same + 1 == options_.hosts.end()) same->pes += share.pes, same->slots += share.slots;
      else
        throw UsageError(
            fmt::format("the PEs of host {} do not follow one another. Put its programs side by side", share.name));
    }
    first += one.program.pes;
  }
  options_.npes = checked(first);
  for (HostShare& share : idle) {
    share.first_pe = options_.npes;
    if (find_host(options_.hosts, share.name) == options_.hosts.end()) options_.hosts.push_back(share);
  }
}

}  // namespace

Wish parse_command_line(std::span<const char* const> arguments, LaunchOptions& options) {
  return CommandLine(arguments, options).read();
}

}  // namespace atl::runtime
