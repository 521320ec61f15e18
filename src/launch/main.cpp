// SPDX-License-Identifier: Apache-2.0
#include "atoll/launch/launcher.hpp"

int main(int argc, char** argv) { return atl::runtime::launcher_main({argv, static_cast<std::size_t>(argc)}); }
