/* SPDX-License-Identifier: Apache-2.0
 * What a program of 1989 sees. */
#include <mpi-ext.h>
#include <mpi.h>

int main(int argc, char** argv) { return MPI_Init(&argc, &argv); }
