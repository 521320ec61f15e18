// SPDX-License-Identifier: Apache-2.0
#include "agent_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/address.hpp"

namespace atl::runtime {
namespace {

std::string quote(const std::string& word) {
  constexpr std::string_view harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
  if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) return word;
  std::string quoted = "'";
  for (char one : word) quoted += one == '\'' ? "'\\''" : std::string(1, one);
  return quoted + "'";
}

bool goes_through_a_shell(const std::string& program) {
  std::string_view name = program;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return name == "ssh" || name == "rsh";
}

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  char quote = 0;
  bool inside = false;
  for (char one : text) {
    if (quote == 0 && (one == ' ' || one == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (one == quote) quote = 0;
    else if (quote == 0 && (one == '\'' || one == '"')) quote = one;
    else words.back() += one;
  }
  ATOLL_VALIDATE(quote == 0, ValueError, "--launch-agent '{}' has a quote without end", text);
  return words;
}

std::vector<std::string> command_on_host(const std::string& launch_agent, const std::string& host,
                                         std::vector<std::string> program) {
  std::vector<std::string> words = split_words(launch_agent);
  ATOLL_VALIDATE(!words.empty(), ValueError, "--launch-agent is empty. Leave it out for ssh");
  bool placed = false;
  for (std::string& word : words)
    for (std::size_t at; (at = word.find("{host}")) != std::string::npos; placed = true) word.replace(at, 6, host);
  if (!placed) words.push_back(host);
  if (goes_through_a_shell(words.front()))
    for (std::string& word : program) word = quote(word);
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::vector<std::string> carried_environment(const LaunchOptions& options) {
  static constexpr std::array prefixes{"ATOLL_", "SHMEM_", "SMA_", "FI_", "OMP_", "PYTHON", "LC_"};
  static constexpr std::array names{"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "VIRTUAL_ENV", "LANG", "TZ"};
  // Of this process alone, should it be a PE itself.
  static constexpr std::array own{"ATOLL_JOB", "ATOLL_PE", "ATOLL_NPES", "ATOLL_AGENT", "ATOLL_PROGRAM"};
  const std::vector<std::string>& pass = options.pass;
  std::vector<std::string> carried;
  for (char** item = environ; item != nullptr && *item != nullptr; ++item) {
    std::string_view assignment(*item);
    std::string_view name = assignment.substr(0, assignment.find('='));
    auto is = [&](const char* one) { return name == one; };
    auto begins = [&](const char* one) { return name.starts_with(one); };
    bool wanted = options.pass_all || std::any_of(prefixes.begin(), prefixes.end(), begins) ||
                  std::any_of(names.begin(), names.end(), is) ||
                  std::find(pass.begin(), pass.end(), name) != pass.end();
    if (wanted && std::none_of(own.begin(), own.end(), is)) carried.emplace_back(assignment);
  }
  for (const std::string& one : pass)
    if (one.find('=') != std::string::npos) carried.push_back(one);
  return carried;
}

MeetingPlace choose_meeting_place(const LaunchOptions& options, const std::vector<bool>& direct) {
  const std::string loopback = "127.0.0.1";
  MeetingPlace place;
  std::string wanted = options.address.empty() ? config::text(config::Variable::address) : options.address;
  if (!wanted.empty()) {
    place.listen = own_address(wanted);
    place.by_host.assign(options.hosts.size(), {place.listen});
    return place;
  }
  std::vector<std::string> used;
  for (std::size_t host = 0; host < options.hosts.size(); ++host) {
    if (direct[host]) {
      place.by_host.push_back({loopback});
      continue;
    }
    const std::string& name = options.hosts[host].name;
    auto towards = address_towards(name.substr(name.find('@') + 1));  // npos + 1 is 0
    // An alias that only ssh knows: the agent tries all of ours.
    place.by_host.push_back(towards ? std::vector{*towards} : own_addresses());
    used.insert(used.end(), place.by_host.back().begin(), place.by_host.back().end());
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  bool all_direct = true;  // the hosts on which the job begins
  for (std::size_t host = 0; host < direct.size(); ++host)
    all_direct = all_direct && (direct[host] || options.leaves_idle(options.hosts[host]));
  if (used.empty()) place.listen = loopback;
  if (used.size() == 1) {
    place.listen = used.front();
    place.by_host.assign(options.hosts.size(), used);
  }
  ATOLL_VALIDATE(all_direct || !used.empty(), ValueError,
                 "this host has no network address that the others could reach. Give one with --address");
  return place;
}

}  // namespace atl::runtime
