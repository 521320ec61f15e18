// SPDX-License-Identifier: Apache-2.0
// What the entry points call: a function of the same arguments for each.
#pragma once

#include "event.hpp"
#include "interface.hpp"
#include "memory.hpp"
#include "move.hpp"
#include "triggered.hpp"

/// The code for the exception in flight, which is said on stderr where the code says too little.
int code_of_exception() noexcept;
