// SPDX-License-Identifier: Apache-2.0
// One-dimensional complex transforms, forward, of many rows at a time: by FFTW where it is (ATOLL_BENCH_FFTW), else by
// a small one of powers of two, so that fft3d runs anywhere.
#ifndef ATOLL_BENCH_FFT_H
#define ATOLL_BENCH_FFT_H

#include "bench.h"

#include <complex.h>
#include <math.h>

typedef double complex Complex;

#ifdef ATOLL_BENCH_FFTW

#include <fftw3.h>

static fftw_plan fft_plan;
static const char* const fft_name = "FFTW";

// `rows` rows of `length` numbers each, one after the other, in place.
static inline void fft_make(int length, int rows, Complex* scratch) {
  fft_plan = fftw_plan_many_dft(1, &length, rows, scratch, NULL, 1, length, scratch, NULL, 1, length, FFTW_FORWARD,
                                FFTW_MEASURE | FFTW_UNALIGNED);
  if (fft_plan == NULL) comm_fail("FFTW cannot plan this length");
}
static inline void fft_rows(Complex* data) { fftw_execute_dft(fft_plan, data, data); }
static inline void fft_end(void) { fftw_destroy_plan(fft_plan); }

#else

static int fft_length, fft_count;
static Complex *fft_roots, *fft_other;
static const char* const fft_name = "own";

static inline void fft_make(int length, int rows, Complex* scratch) {
  (void)scratch;
  if ((length & (length - 1)) != 0) comm_fail("without FFTW the side must be a power of two");
  fft_length = length;
  fft_count = rows;
  fft_roots = bench_memory((size_t)length * sizeof(Complex));
  fft_other = bench_memory((size_t)length * sizeof(Complex));
  for (int i = 0; i < length; ++i) fft_roots[i] = cexp(-2.0 * M_PI * I * i / length);
}

// Stockham's form: each step halves the transforms and doubles their number, from one array to the other; no bits are
// reversed, and the inner loop runs along memory.
static inline void fft_row(Complex* data) {
  Complex *from = data, *to = fft_other;
  for (int half = fft_length / 2, stride = 1; half >= 1; half /= 2, stride *= 2) {
    for (int k = 0; k < half; ++k) {
      double c = creal(fft_roots[k * stride]), s = cimag(fft_roots[k * stride]);
      const Complex *a = from + stride * k, *b = from + stride * (k + half);
      Complex *sum = to + stride * 2 * k, *rest = to + stride * (2 * k + 1);
      for (int i = 0; i < stride; ++i) {
        Complex d = a[i] - b[i];
        sum[i] = a[i] + b[i];
        rest[i] = CMPLX(creal(d) * c - cimag(d) * s, creal(d) * s + cimag(d) * c);
      }
    }
    Complex* other = from;
    from = to;
    to = other;
  }
  if (from != data) memcpy(data, from, (size_t)fft_length * sizeof(Complex));
}
static inline void fft_rows(Complex* data) {
  for (int row = 0; row < fft_count; ++row) fft_row(data + (size_t)row * (size_t)fft_length);
}
static inline void fft_end(void) {
  free(fft_roots);
  free(fft_other);
}

#endif
#endif
