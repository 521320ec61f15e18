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
void set_environment(const char* name, const char* value);
void unset_environment(const char* name);
int tells_environment();

char* format_number(std::int64_t value, char* into, std::size_t bytes, int is_size);
std::int64_t parse_number(const char* text, std::uint64_t unit);

}  // namespace atl::gasnet
