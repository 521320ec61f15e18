// SPDX-License-Identifier: Apache-2.0
// Environment variables of the client, and numbers with units.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl::gasnet {

/// Returns null when the variable is not set.
char* environment(const char* name);
const char* environment(const char* name, const char* otherwise);
int environment_choice(const char* name, int otherwise);
/// `unit`: bytes of the default unit of a size; 0: a plain number.
std::int64_t environment_number(const char* name, std::int64_t otherwise, std::uint64_t unit);
double environment_fraction(const char* name, double otherwise);
/// GASNET_MAX_SEGSIZE: bytes that this process may use as its segment, of a host with `memory` bytes and `processes`
/// processes. A size or fraction of the memory, `/P` (of each process; the default) or `/H` (of the host). 0: not set.
std::uint64_t segment_limit(std::uint64_t memory, std::uint64_t processes);
void set_environment(const char* name, const char* value);
void unset_environment(const char* name);
/// For clients that would take all processors of the host for each of its `ranks` ranks: Chapel's threads spin less,
/// and are not bound, when it is told so. What users have set stays.
void share_processors(std::size_t ranks);
int tells_environment();
/// Prints the value that the client uses, on rank 0, when GASNET_VERBOSEENV is set.
void tell_environment(const char* name, const char* value, int is_default);
void tell_environment(const char* name, std::int64_t value, int is_default, int is_size);
void tell_environment(const char* name, double value, int is_default);

char* format_number(std::int64_t value, char* into, std::size_t bytes, int is_size);
std::int64_t parse_number(const char* text, std::uint64_t unit);

}  // namespace atl::gasnet
