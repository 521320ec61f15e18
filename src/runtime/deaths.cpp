// SPDX-License-Identifier: Apache-2.0
#include "atoll/runtime/deaths.hpp"

namespace atl::runtime {
namespace {

Deaths deaths_in_library = Deaths::answered;

}  // namespace

void set_deaths_here(Deaths deaths) { deaths_in_library = deaths; }
Deaths deaths_here() { return deaths_in_library; }

}  // namespace atl::runtime
