// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/dtype.hpp"
#include "atoll/array/kernel/work.hpp"
