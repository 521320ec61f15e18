// SPDX-License-Identifier: Apache-2.0
// Error classes and codes: those of the standard, and those that programs add.
#pragma once

#include <string>

#include "mpi.h"

namespace atl::mpi {

/// The error string of a code or class.
std::string error_text(int code);
/// Highest code in use, for MPI_LASTUSEDCODE.
int* last_used_code();

void error_string(int code, char* text, int* length);
void error_class(int code, int* error_class);
void add_error_class(int* error_class);
void add_error_code(int error_class, int* code);
void add_error_string(int code, const char* text);
void remove_error_class(int error_class);
void remove_error_code(int code);
void remove_error_string(int code);

}  // namespace atl::mpi
