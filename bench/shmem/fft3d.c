// SPDX-License-Identifier: Apache-2.0
// fft3d: the Fourier transform of a cube of complex numbers. PEs hold planes along z; each transforms its planes along
// x and y, sends every PE the rows of that PE's share of y, and transforms what it got along z.
//
//   slabs            of a plane, the rows for a PE go as they lie: one put per plane and PE
//   packed_slabs     the rows of several planes are packed: few, large puts
//   …_overlapped     puts start as soon as a plane (or pack) is ready, and go on while the next is transformed
#include "fft.h"

enum { TOGETHER = 8, PACKS = 4 };  // columns gathered at a time; packs of an overlapped run

static size_t side, first_z, planes, first_y, own_rows;
static Complex *space, *packed, *columns;  // space: [own z][y][x]
static Complex* received;                  // symmetric: [z][own y][x]
static Complex* spectrum;                  // [own y][x][z]
static int packs, overlapped;
static const size_t modes[2][3] = {{1, 2, 3}, {0, 5, 1}};  // z, y, x of the two waves in the input
static Complex* waves;                                     // exp(2 pi i j / side)

static size_t begin_of(int pe) { return side * (size_t)pe / (size_t)comm_pes(); }

static void prepare(void) {
  for (size_t z = 0; z < planes; ++z)
    for (size_t y = 0; y < side; ++y)
      for (size_t x = 0; x < side; ++x) {
        Complex value = 0;
        for (int mode = 0; mode < 2; ++mode)
          value += waves[((first_z + z) * modes[mode][0] + y * modes[mode][1] + x * modes[mode][2]) % side];
        space[(z * side + y) * side + x] = value;
      }
  memset(received, 0, side * own_rows * side * sizeof(Complex));
}

// Transforms along a strided axis: some columns are gathered into the rows of `columns` and transformed there.
static void columns_of(Complex* from, size_t stride, size_t count) {
  for (size_t x = 0; x < TOGETHER; ++x) {
    size_t column = x < count ? x : count - 1;  // the last columns may be fewer: some are done twice
    for (size_t i = 0; i < side; ++i) columns[x * side + i] = from[i * stride + column];
  }
  fft_rows(columns);
}

static void transform_plane(size_t z) {
  Complex* plane = space + z * side * side;
  for (size_t y = 0; y < side; y += TOGETHER) {
    if (side - y >= TOGETHER) {
      fft_rows(plane + y * side);
    } else {
      memcpy(columns, plane + y * side, (side - y) * side * sizeof(Complex));
      fft_rows(columns);
      memcpy(plane + y * side, columns, (side - y) * side * sizeof(Complex));
    }
  }
  for (size_t x = 0; x < side; x += TOGETHER) {
    size_t count = side - x < TOGETHER ? side - x : TOGETHER;
    columns_of(plane + x, side, count);
    for (size_t i = 0; i < side; ++i)
      for (size_t k = 0; k < count; ++k) plane[i * side + x + k] = columns[k * side + i];
  }
}

static void send(const Complex* from, size_t z, size_t count, int pe) {
  size_t rows = begin_of(pe + 1) - begin_of(pe);
  Complex* to = received + (first_z + z) * rows * side;  // as that PE's block is laid out
  if (overlapped) comm_put_nbi(to, from, count * rows * side * sizeof(Complex), pe);
  else comm_put(to, from, count * rows * side * sizeof(Complex), pe);
}

static void send_planes(size_t begin, size_t end) {
  for (int step = 0; step < comm_pes(); ++step) {
    int pe = (comm_me() + step) % comm_pes();
    size_t y = begin_of(pe), rows = begin_of(pe + 1) - y;
    if (packs == 0) {
      for (size_t z = begin; z < end; ++z) send(space + (z * side + y) * side, z, 1, pe);
      continue;
    }
    // The parts for this PE lie behind those for the PEs before it.
    Complex* pack = packed + planes * y * side + begin * rows * side;
    for (size_t z = begin; z < end; ++z)
      memcpy(pack + (z - begin) * rows * side, space + (z * side + y) * side, rows * side * sizeof(Complex));
    send(pack, begin, end - begin, pe);
  }
}

static void run(void) {
  size_t groups = !overlapped ? 1 : packs > 0 && (size_t)packs < planes ? (size_t)packs : planes;
  for (size_t group = 0; group < groups; ++group) {
    size_t begin = planes * group / groups, end = planes * (group + 1) / groups;
    for (size_t z = begin; z < end; ++z) transform_plane(z);
    send_planes(begin, end);
  }
  comm_barrier();
  for (size_t y = 0; y < own_rows; ++y)
    for (size_t x = 0; x < side; x += TOGETHER) {
      size_t count = side - x < TOGETHER ? side - x : TOGETHER;
      columns_of(received + y * side + x, own_rows * side, count);
      memcpy(spectrum + (y * side + x) * side, columns, count * side * sizeof(Complex));
    }
  comm_barrier();
}

// Two waves in, two numbers of side^3 out, all others nothing.
static int right(uint64_t* hash) {
  double volume = (double)side * (double)side * (double)side;
  int good = 1;
  *hash = 0;
  for (size_t y = 0; y < own_rows; ++y)
    for (size_t x = 0; x < side; ++x)
      for (size_t z = 0; z < side; ++z) {
        double wanted = 0;
        for (int mode = 0; mode < 2; ++mode)
          if (z == modes[mode][0] % side && first_y + y == modes[mode][1] % side && x == modes[mode][2] % side)
            wanted += volume;
        Complex value = spectrum[(y * side + x) * side + z];
        good &= fabs(creal(value) - wanted) < 1e-9 * volume && fabs(cimag(value)) < 1e-9 * volume;
        if (cabs(value) > 0.5 * volume) *hash += bench_mix((z * side + first_y + y) * side + x);
      }
  return good;
}

static void point(const char* name, int pack_count, int overlap) {
  packs = pack_count;
  overlapped = overlap;
  double seconds = bench_problem(prepare, run);
  uint64_t hash;
  bench_check(right(&hash), name);
  hash = comm_total(hash);
  double volume = (double)side * (double)side * (double)side;
  bench_point((BenchPoint){.name = name,
                           .size = side,
                           .seconds = seconds,
                           .work = 5 * volume * log2(volume),
                           .unit = "flop",
                           .checksum = hash});
}

int main(int argc, char** argv) {
  bench_arguments(argc, argv);
  side = bench_option("side", 128);
  if (side < 8 || side > 2048) comm_fail("--side: give a number from 8 to 2048");
  size_t cube = side * side * side * sizeof(Complex);
  bench_begin(cube + side * side * sizeof(Complex), 1);
  if ((size_t)comm_pes() > side) comm_fail("--side: give a plane to each PE");
  first_z = first_y = begin_of(comm_me());
  planes = own_rows = begin_of(comm_me() + 1) - first_z;
  size_t most = side / (size_t)comm_pes() + 1;  // planes of a PE, at most
  space = bench_memory(planes * side * side * sizeof(Complex));
  packed = bench_memory(planes * side * side * sizeof(Complex));
  spectrum = bench_memory(own_rows * side * side * sizeof(Complex));
  columns = bench_memory(TOGETHER * side * sizeof(Complex));
  waves = bench_memory(side * sizeof(Complex));
  for (size_t i = 0; i < side; ++i) waves[i] = cexp(2.0 * M_PI * I * (double)i / (double)side);
  received = comm_alloc(side * most * side * sizeof(Complex));
  fft_make((int)side, TOGETHER, columns);
  if (comm_me() == 0) printf("{\"fft\": \"%s\"}\n", fft_name);
  point("slabs", 0, 0);
  point("slabs_overlapped", 0, 1);
  point("packed_slabs", 1, 0);
  point("packed_slabs_overlapped", PACKS, 1);
  fft_end();
  return bench_end();
}
