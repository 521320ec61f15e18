// SPDX-License-Identifier: Apache-2.0
// Simulated machines: atoll.sim reads their files, this runs them.
#include "atoll/base/validate.hpp"
#include "atoll/sim/simulate.hpp"

#include "atoll/sim/runtime.hpp"
#include "expr.hpp"

namespace atl::python {
namespace {

constexpr const char* span_names[] = {"compute", "send", "receive", "copy", "reduce", "wait", "transfer"};

using Trace = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

sim::Machine machine_of(const nb::dict& settings, const Trace& noise_trace) {
  sim::Machine machine;
  for (auto [name, value] : settings) machine.set(nb::cast<std::string>(name), nb::cast<std::uint64_t>(value));
  machine.noise_trace = noise_trace;
  return machine;
}

sim::Workload workload_of(const nb::dict& work) {
  sim::Workload load;
  auto number = [&]<class T>(const char* name, T& into) {
    const auto value = nb::cast<std::uint64_t>(work[name]);
    into = static_cast<T>(value);
    ATOLL_VALIDATE(static_cast<std::uint64_t>(into) == value, ValueError, "{} = {} does not fit {} bits. Smaller?",
                   name, value, 8 * sizeof(T));
  };
  load.collective.collective = nb::cast<std::string>(work["collective"]);
  load.collective.algorithm = nb::cast<std::string>(work["algorithm"]);
  number("items", load.items);
  number("bytes", load.collective.bytes);
  number("element_bytes", load.collective.element_bytes);
  number("root", load.collective.root);
  number("nodes", load.nodes);
  number("pes_per_node", load.pes_per_node);
  number("executor", load.executor);
  number("pace", load.pace);
  number("repeats", load.repeats);
  number("compute_ps", load.compute_ps);
  number("seed", load.seed);
  number("threads", load.threads);
  number("most_memory_bytes", load.most_memory_bytes);
  number("trace_events", load.trace_events);
  return load;
}

sim::RuntimeWork runtime_work_of(const sim::Workload& load) {
  return {.program = load.collective.algorithm,
          .nodes = load.nodes,
          .pes_per_node = load.pes_per_node,
          .repeats = load.repeats,
          .items = load.items,
          .bytes = load.collective.bytes,
          .seed = load.seed};
}

void check(const nb::dict& machine, const Trace& noise_trace, const nb::dict& work) {
  const sim::Machine built = machine_of(machine, noise_trace);
  const sim::Workload load = workload_of(work);
  if (load.collective.collective == "runtime") sim::check_runtime(built, runtime_work_of(load));
  else sim::check(built, load);
}

nb::dict simulate(const nb::dict& machine, const Trace& noise_trace, const nb::dict& work, const nb::object& progress) {
  const sim::Machine built = machine_of(machine, noise_trace);
  const sim::Workload load = workload_of(work);
  sim::Result result;
  {
    WithoutGil others_run;
    result = sim::simulate(built, load, [&](std::uint32_t repeats) {
      WithGil python;
      if (!progress.is_none()) progress(repeats);
    });
  }
  nb::dict d;
  d["algorithm"] = result.algorithm;
  d["times_ps"] = nb::cast(result.times);
  d["end_ps"] = result.end;
  d["messages"] = result.messages;
  d["message_bytes"] = result.message_bytes;
  d["events"] = result.events;
  d["host_active_ps"] = result.host_active;
  d["energy_joules"] = result.energy_joules;
  d["memory_bytes"] = result.memory_bytes;
  d["build_seconds"] = result.build_seconds;
  d["run_seconds"] = result.run_seconds;
  nb::list spans;
  for (const sim::Span& span : result.spans)
    spans.append(nb::make_tuple(span_names[static_cast<std::size_t>(span.kind)], span.pe, span.peer, span.bytes,
                                span.begin, span.end));
  d["spans"] = spans;
  return d;
}

nb::dict runtime(const nb::dict& machine, const Trace& noise_trace, const nb::dict& work) {
  const sim::Machine built = machine_of(machine, noise_trace);
  const sim::Workload load = workload_of(work);
  const sim::RuntimeWork run = runtime_work_of(load);
  sim::RuntimeResult result;
  {
    WithoutGil others_run;
    result = sim::simulate_runtime(built, run);
  }
  nb::dict d;
  d["algorithm"] = run.program;
  d["times_ps"] = nb::cast(std::vector<std::uint64_t>{result.time});
  d["end_ps"] = result.start + result.time * run.repeats;
  d["start_ps"] = result.start;
  d["start_messages"] = result.start_messages;
  d["messages"] = result.messages;
  d["message_bytes"] = result.message_bytes;
  d["events"] = result.messages;
  d["host_active_ps"] = 0;
  d["energy_joules"] = 0.0;
  d["runtime_bytes"] = result.runtime_bytes;
  d["memory_bytes"] = result.resident_bytes;
  d["build_seconds"] = 0.0;
  d["run_seconds"] = result.run_seconds;
  d["spans"] = nb::list();
  return d;
}

nb::dict known() {
  nb::dict all;
  auto everything = coll::Planner::known();
  for (auto& one : sim::known_patterns()) everything.push_back(one);
  for (const auto& [collective, algorithms] : everything) {
    nb::list names;
    for (std::string_view name : algorithms) names.append(nb::str(name.data(), name.size()));
    all[nb::str(collective.data(), collective.size())] = names;
  }
  nb::list programs;
  for (const std::string& name : sim::runtime_programs()) programs.append(name);
  all["runtime"] = programs;
  return all;
}

}  // namespace

void bind_sim(nb::module_& m) {
  m.def("sim_run", &simulate, nb::arg("machine"), nb::arg("noise_trace"), nb::arg("work"), nb::arg("progress").none());
  m.def("sim_runtime", &runtime);
  m.def("sim_check", &check);
  m.def("sim_collectives", &known);
}

}  // namespace atl::python
