// SPDX-License-Identifier: Apache-2.0
// Every environment variable (ATOLL_*, and those of OpenSHMEM), declared once: type, default, accepted values and
// meaning. The only place that reads the environment; docs/configuration.md and `atoll info` are made from the same
// table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace atl::config {

enum class Kind { integer, bytes, seconds, choice, text };

/// One entry per environment variable, in the order of the table in config.cpp.
enum class Variable {
  threads,
  heap_size,
  memory_limit,
  spill_dir,
  spill_limit,
  pool_size,
  pool_idle,
  huge_pages,
  simd,
  grain,
  small_elements,
  spin_us,
  peer_timeout,
  progress,
  coll,
  coll_table,
  aggregation_hops,
  shmem_check,
  shmem_version,
  shmem_info,
  shmem_debug,
  mpiio_stats,
  mpi_check,
  spmd_check,
  progress_core,
  unexpected_limit,
  cc,
  cxx,
  fabric_provider,
  fabric_rma,
  fabric_endpoints,
  fabric_interfaces,
  network_security,
  kernel_copy,
  node_name,
  log,
  bootstrap,
  pmix_library,
  launch_agent,
  address,
  pe,
  npes,
  program,
  guests,
  agent,
  job,
  shmem_symmetric_size,
  count_
};

struct Entry {
  Variable variable;
  std::string_view name;           ///< ATOLL_THREADS
  Kind kind;
  std::string_view default_value;  ///< as the user would write it
  std::string_view choices;        ///< for Kind::choice: "a|b|c", first is index 0
  std::int64_t minimum;            ///< for Kind::integer; for Kind::bytes of what is not 0
  std::int64_t maximum;
  std::string_view meaning;
};

std::span<const Entry> entries();

// Typed readers. A value that does not fit its kind throws ValueError, naming the variable and what it accepts.
std::int64_t integer(Variable variable);
std::uint64_t bytes(Variable variable);
double seconds(Variable variable);
/// Index into the entry's choices.
int choice(Variable variable);
std::string text(Variable variable);
/// Sets it, for this process and its children, if the value is valid. No other thread may read or change the
/// environment meanwhile.
void set(Variable variable, const std::string& value);
/// A variable that another launcher sets for its processes (PMI_RANK, PMIX_NAMESPACE …). Empty: not set.
std::string launcher_variable(const char* name);
/// SHMEM_SYMMETRIC_SIZE, by the rules of OpenSHMEM, rounded up to whole bytes and at least 1. 0: not set.
std::uint64_t symmetric_bytes();

/// Reads every variable once, so that a bad value is reported at start.
void validate_environment();
/// Warns of unknown ATOLL_* variables, with the most similar known name. Call once, in one process of a job, and not
/// in PEs of Atoll's own launcher, which does it.
void warn_of_unknown_names();

}  // namespace atl::config
