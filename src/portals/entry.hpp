// SPDX-License-Identifier: Apache-2.0
// Bodies of the entry points, one function with the same arguments for each.
#pragma once

#include "event.hpp"
#include "interface.hpp"
#include "memory.hpp"
#include "move.hpp"
#include "triggered.hpp"

/// The code for the exception in flight, which is also printed to stderr where the code is too unspecific.
int code_of_exception() noexcept;
