// SPDX-License-Identifier: Apache-2.0
// What this machine and this build are, for `atoll info`; and the hand-written loops that benchmarks compare with.
#include "atoll/base/config.hpp"
#include "atoll/base/topology.hpp"
#include "atoll/fabric/network.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

nb::object text(std::string_view s) { return nb::str(s.data(), s.size()); }

/// Name, value, default, kind, choices and meaning of every variable.
nb::list config_table() {
  static constexpr std::array kinds{"integer", "bytes", "seconds", "choice", "text"};
  nb::list table;
  for (const config::Entry& entry : config::entries())
    table.append(nb::make_tuple(text(entry.name), config::text(entry.variable), text(entry.default_value),
                                kinds[static_cast<std::size_t>(entry.kind)], text(entry.choices), text(entry.meaning)));
  return table;
}

nb::dict info() {
  const Topology& machine = topology();
  nb::dict d;
  d["version"] = ATOLL_VERSION;
  d["compiler"] = __VERSION__;
  d["processor"] = machine.processor;
  d["cores"] = machine.cores.size();
  nb::list numa;
  for (const NumaDomain& domain : machine.numa) {
    nb::dict entry;
    entry["cores"] = nb::cast(domain.cores);
    entry["memory_bytes"] = domain.memory_bytes;
    numa.append(entry);
  }
  d["numa"] = numa;
  d["l2_bytes"] = machine.l2_bytes;
  d["memory_bytes"] = machine.memory_bytes;
  d["memory_available_bytes"] = available_memory_bytes();
  d["simd"] = std::string(name_of(simd_level()));
  nb::dict fabrics;
  fabrics["loop"] = "";
  fabrics["shm"] = "";
  const std::string network = fabric::describe_network();
  const std::string_view none = "none: ";
  fabrics["ofi"] = network.starts_with(none) ? network.substr(none.size()) : std::string();
  d["fabrics"] = fabrics;
  d["network"] = network;
  d["interfaces"] = nb::cast(network.starts_with(none) ? std::vector<std::string>{} : fabric::network_interfaces());
  d["config"] = config_table();
  return d;
}

}  // namespace

void bind_info(nb::module_& m) {
  m.def("info", &info);  // asks the network's library, which takes it 0.3 s to load
  m.def("config", &config_table);
}

}  // namespace atl::python
