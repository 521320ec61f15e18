// SPDX-License-Identifier: Apache-2.0
// Packing and unpacking datatypes of doubles beside loops written by hand, with Google Benchmark.
#include <benchmark/benchmark.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "datatype/pack.hpp"
#include "datatype/type.hpp"

namespace {

using namespace atl;
using namespace atl::mpi::datatype;

/// Planes of rows of columns of single doubles or runs of them: all three cases are such.
struct Shape {
  Count planes, plane_stride, rows, row_stride, run = 1;  // in doubles
  Count doubles() const { return planes * rows * run; }
  Count reach() const { return (planes - 1) * plane_stride + (rows - 1) * row_stride + run; }
};
constexpr Shape vector_shape{1, 0, 4096, 8};      // MPI_Type_vector(4096, 1, 8)
constexpr Shape face_2d{1, 0, 1024, 1024};        // four columns of a matrix of 1024 x 1024
constexpr Shape face_3d{64, 64 * 64, 64, 64};     // the face x = 0 of a cube of 64
constexpr Shape face_3d_runs{64, 64 * 64, 1, 64};  // the face y = 0

TypePtr type_of(const Shape& shape) {
  TypePtr row = make_vector(Form::large, shape.rows, shape.run, shape.row_stride, named(0x214));
  TypePtr type = make_hvector(Form::large, shape.planes, 1, shape.plane_stride * 8, row);
  type->commit();
  return type;
}

template <Count run>
void pack_by_hand(const Shape& shape, const double* from, double* to) {
  for (Count plane = 0; plane < shape.planes; ++plane)
    for (Count row = 0; row < shape.rows; ++row, to += run) {
      const double* at = from + plane * shape.plane_stride + row * shape.row_stride;
      for (Count i = 0; i < run; ++i) to[i] = at[i];
    }
}
template <Count run>
void unpack_by_hand(const Shape& shape, double* to, const double* from) {
  for (Count plane = 0; plane < shape.planes; ++plane)
    for (Count row = 0; row < shape.rows; ++row, from += run) {
      double* at = to + plane * shape.plane_stride + row * shape.row_stride;
      for (Count i = 0; i < run; ++i) at[i] = from[i];
    }
}

enum class How { pack_by_hand, pack, unpack_by_hand, unpack };

template <Count run_length>
void run(benchmark::State& state, const Shape& shape, How how) {
  auto doubles = static_cast<std::size_t>(shape.doubles());
  std::vector<double> array(static_cast<std::size_t>(shape.reach())), packed(doubles), expected(doubles);
  std::iota(array.begin(), array.end(), 1.0);
  std::iota(packed.begin(), packed.end(), 1.0);
  TypePtr type = type_of(shape);
  Region region = type->region(1);
  for (auto _ : state) {
    switch (how) {
      case How::pack_by_hand: pack_by_hand<run_length>(shape, array.data(), packed.data()); break;
      case How::pack: pack(region, array.data(), 0, region.size(), packed.data()); break;
      case How::unpack_by_hand: unpack_by_hand<run_length>(shape, array.data(), packed.data()); break;
      case How::unpack: unpack(region, array.data(), 0, region.size(), packed.data()); break;
    }
    benchmark::ClobberMemory();
  }
  pack_by_hand<run_length>(shape, array.data(), expected.data());
  if (packed != expected) state.SkipWithError("the two forms differ");
  state.SetBytesProcessed(state.iterations() * region.size());
}

template <Count run_length>
void add(const char* name, Shape shape) {
  shape.run = run_length;
  for (auto [form, how] : {std::pair{"pack/by_hand", How::pack_by_hand}, std::pair{"pack/datatype", How::pack},
                           std::pair{"unpack/by_hand", How::unpack_by_hand}, std::pair{"unpack/datatype", How::unpack}})
    benchmark::RegisterBenchmark((std::string(name) + "/" + form).c_str(),
                                 [shape, how](benchmark::State& state) { run<run_length>(state, shape, how); });
}

}  // namespace

int main(int argc, char** argv) {
  add<1>("vector", vector_shape);
  add<4>("face_2d", face_2d);
  add<1>("face_3d", face_3d);
  add<64>("face_3d_runs", face_3d_runs);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
