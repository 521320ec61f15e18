// SPDX-License-Identifier: Apache-2.0
// Bodies of the entry points, one function with the same arguments for each.
#pragma once

#include "atomic.hpp"
#include "barrier.hpp"
#include "client.hpp"
#include "collective.hpp"
#include "environment.hpp"
#include "event.hpp"
#include "exit.hpp"
#include "format.hpp"
#include "legacy_collective.hpp"
#include "message.hpp"
#include "rma.hpp"
#include "tools.hpp"
#include "vis.hpp"
