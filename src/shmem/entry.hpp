// SPDX-License-Identifier: Apache-2.0
// Bodies of the generated entry points.
#pragma once

#include "atomic.hpp"
#include "collective.hpp"
#include "memory.hpp"
#include "order.hpp"
#include "rma.hpp"
#include "setup.hpp"
#include "signal.hpp"
#include "team.hpp"
#include "wait.hpp"
#include "x_aggregate.hpp"
#include "x_counter.hpp"
#include "x_request.hpp"
