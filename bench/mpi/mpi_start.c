// SPDX-License-Identifier: Apache-2.0
// mpi_start: how long MPI_Init takes. What runs it adds how long the whole job takes, which does nothing else.
// `--python 1`: each rank is the python3 of the PATH instead, which imports its mpi4py, built for the standard ABI,
// with the library that this was linked with.
#define _GNU_SOURCE
#include "../shmem/bench.h"

#include <dlfcn.h>

static void become_python(void) {
  static char script[] =
      "import os, sys\n"
      "try:\n"
      "    from mpi4py import MPI\n"
      "except (ImportError, RuntimeError) as error:\n"
      "    sys.exit(f'python3 has no mpi4py for this library of MPI: {error}')\n"
      "if MPI.Get_library_version() != os.environ['BENCH_LIBRARY']:\n"
      "    sys.exit('python3 has no mpi4py for this library of MPI, but for another: it takes one with the standard ABI')\n"
      "world = MPI.COMM_WORLD\n"
      "wrong = world.allreduce(1) != world.size\n"
      "if world.rank == 0:\n"
      "    library = MPI.Get_library_version().partition('\\n')[0].partition(',')[0].strip()\n"
      "    print('{\"library\": \"%s\", \"pes\": %d}\\n{\"end\": true, \"wrong_pes\": %d}' % (library, world.size, wrong), flush=True)\n";
  Dl_info library;
  if (dladdr((void*)MPI_Init, &library) == 0 || library.dli_fname == NULL) comm_fail("cannot find the library of MPI");
  const char* end = strrchr(library.dli_fname, '/');
  const char* before = getenv("LD_LIBRARY_PATH");
  char folders[32768];
  int bytes = snprintf(folders, sizeof folders, "%.*s%s%s", end != NULL ? (int)(end - library.dli_fname) : 1,
                       end != NULL ? library.dli_fname : ".", before != NULL && *before != '\0' ? ":" : "",
                       before != NULL ? before : "");
  if (bytes >= (int)sizeof folders) comm_fail("LD_LIBRARY_PATH is longer than 32 kB");
  setenv("LD_LIBRARY_PATH", folders, 1);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  setenv("BENCH_LIBRARY", version, 1);
  char* words[] = {"python3", "-c", script, NULL};
  execvp(words[0], words);
  comm_fail("there is no python3 on the PATH");
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  if (bench_option("python", 0)) become_python();
  double begin = bench_now();
  MPI_Init(&argc, &argv);
  double taken = bench_now() - begin;
  MPI_Comm_rank(MPI_COMM_WORLD, &comm_own_pe);
  MPI_Comm_size(MPI_COMM_WORLD, &comm_all_pes);
  bench_options_end();
  uint64_t ranks = 1;
  MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int wrong = ranks != (uint64_t)comm_pes();
  if (comm_me() == 0) {
    printf("{\"library\": \"%s\", \"pes\": %d}\n", comm_library(), comm_pes());
    bench_point((BenchPoint){.name = "init", .seconds = taken, .checksum = ranks});
    printf("{\"end\": true, \"wrong_pes\": %d}\n", wrong);
    fflush(stdout);
  }
  MPI_Finalize();
  return wrong;
}
