// SPDX-License-Identifier: Apache-2.0
// A shared library of an application, with variables of its own.
#pragma GCC visibility push(default)
extern "C" {
long plugin_number = 41;
char plugin_table[100'000];
}
#pragma GCC visibility pop
