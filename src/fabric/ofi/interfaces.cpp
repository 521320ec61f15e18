// SPDX-License-Identifier: Apache-2.0
#include "interfaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "atoll/base/config.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/base/validate.hpp"

namespace atl::fabric::ofi {
namespace {

bool is_on_pci(const fi_info& info) {
  return info.nic != nullptr && info.nic->bus_attr != nullptr && info.nic->bus_attr->bus_type == FI_BUS_PCI;
}

Interface describe(const fi_info& info) {
  Interface one{.name = interface_name(info)};
  if (!is_on_pci(info)) return one;
  const fi_pci_attr& at = info.nic->bus_attr->attr.pci;
  std::ifstream file(fmt::format("/sys/bus/pci/devices/{:04x}:{:02x}:{:02x}.{:x}/numa_node", at.domain_id, at.bus_id,
                                 at.device_id, at.function_id));
  if (!(file >> one.numa)) one.numa = -1;
  one.ready = info.nic->link_attr == nullptr || info.nic->link_attr->state != FI_LINK_DOWN;
  return one;
}

// That all of this process's cores belong to; -1: to several.
int own_numa() {
  const Topology& here = topology();
  for (std::size_t domain = 0; domain < here.numa.size(); ++domain) {
    const auto& cores = here.numa[domain].cores;
    if (std::all_of(here.cores.begin(), here.cores.end(),
                    [&](unsigned core) { return std::find(cores.begin(), cores.end(), core) != cores.end(); }))
      return static_cast<int>(domain);
  }
  return -1;
}

// Whether packets to nowhere in particular leave by it.
bool is_default_route(const std::string& name) {
  std::ifstream table("/proc/net/route");
  std::string line, interface, destination;
  std::getline(table, line);  // the heads of its columns
  while (std::getline(table, line))
    if (std::istringstream(line) >> interface >> destination && interface == name && destination == "00000000")
      return true;
  return false;
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> list;
  for (std::size_t begin = 0; begin <= names.size();) {
    std::size_t end = std::min(names.find(',', begin), names.size());
    if (end != begin) list.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return list;
}

std::string names_of(const std::vector<Interface>& there) {
  std::string names;
  for (const Interface& one : there) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  return names;
}

}  // namespace

int doubt(const std::string& name) {
  std::filesystem::path known = "/sys/class/net/" + name;
  if (!std::filesystem::exists(known)) return 3;
  if (name == "lo") return 2;
  return std::filesystem::exists(known / "bridge") && !is_default_route(name) ? 1 : 0;
}

std::vector<std::size_t> choose_interfaces(const std::vector<Interface>& there, const std::string& wanted, int numa,
                                           std::size_t place) {
  std::vector<std::size_t> chosen;
  for (const std::string& name : split(wanted)) {
    auto at = std::find_if(there.begin(), there.end(), [&](const Interface& one) { return one.name == name; });
    ATOLL_VALIDATE(at != there.end(), SetupError, "ATOLL_FABRIC_INTERFACES names '{}': the network's provider has {}",
                   name, names_of(there));
    chosen.push_back(static_cast<std::size_t>(at - there.begin()));
  }
  auto take = [&](int domain) {
    for (std::size_t i = 0; i < there.size(); ++i)
      if (there[i].ready && (domain < 0 || there[i].numa == domain)) chosen.push_back(i);
  };
  if (chosen.empty()) take(numa);
  if (chosen.empty()) take(-1);
  if (chosen.empty()) chosen.push_back(0);
  std::rotate(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(place % chosen.size()), chosen.end());
  return chosen;
}

std::vector<Info> interfaces_for(std::size_t place) {
  std::vector<Info> all = find_provider();
  std::string wanted = config::text(config::Variable::fabric_interfaces);
  // Addresses of hosts may each be of a network of its own (tcp): only the user knows which of them reach all others.
  if (wanted.empty() && !is_on_pci(*all[0])) {
    auto likely = [](const Info& a, const Info& b) { return doubt(interface_name(*a)) < doubt(interface_name(*b)); };
    std::iter_swap(all.begin(), std::min_element(all.begin(), all.end(), likely));
    all.resize(1);
  }
  std::vector<Interface> there;
  for (const Info& one : all) there.push_back(describe(*one));
  std::vector<Info> chosen;
  for (std::size_t i : choose_interfaces(there, wanted, own_numa(), place)) {
    chosen.emplace_back(library().dupinfo(all[i].get()));
    if (!chosen.back()) raise<MemoryError>("no memory for the network's description");
  }
  return chosen;
}

}  // namespace atl::fabric::ofi
