// SPDX-License-Identifier: Apache-2.0
// Times the local sorting and grouping kernels: bench_sort_kernels [NAME [N [THREADS [TRIALS [DUMP]]]]].
//
// NAME is all or the start of a kernel/distribution below. One line per kernel: median seconds, GiB/s of nominal
// bytes, checksum of the result. Memory is reused between trials, as the array engine's pool does. With DUMP, a
// folder, inputs are written there as raw 8-byte elements, for timing peers on the same data.
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "atoll/array/kernel/group.hpp"
#include "atoll/array/kernel/sort.hpp"
#include "atoll/base/clock.hpp"
#include "atoll/base/random.hpp"
#include "huge_memory.hpp"

namespace {

using namespace atl;
using namespace atl::array;

const char* const distributions[] = {"u32",      "u64",  "f64",     "zipf",       "sorted",       "reversed",
                                     "constant", "few",  "outlier", "shared_top", "two_clusters", "organ_pipe",
                                     "nan",      "g1e3", "g1e6",    "sparse1e6",  "heavy"};

std::uint64_t element(const std::string& name, std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  std::uint64_t r = random_bits(seed, i);
  if (name == "u32") return r >> 32;
  if (name == "zipf")
    return static_cast<std::uint64_t>(std::min(1e18, std::pow(to_unit_interval(r) + 1e-18, -1 / 0.99)));
  if (name == "f64") return std::bit_cast<std::uint64_t>(to_unit_interval(r));
  if (name == "nan") return std::bit_cast<std::uint64_t>(r % 2 ? std::nan("") : to_unit_interval(r) - 0.5);
  if (name == "sorted") return i;
  if (name == "reversed") return n - i;
  if (name == "constant") return 7;
  if (name == "few") return r % 7 * 0x0123456789ABCDEFull;
  if (name == "outlier") return i == n / 2 ? ~std::uint64_t{0} >> 1 : r >> 44;
  if (name == "shared_top") return 0x0BCDEF0123000000ull | (r >> 40);
  if (name == "two_clusters") return (r & 1) * 0x7000000000000000ull + (r >> 44);
  if (name == "organ_pipe") return std::min(i, n - i);
  if (name == "g1e3") return r % 1000;
  if (name == "g1e6") return r % 1000000;
  if (name == "sparse1e6") return random_bits(99, r % 1000000) >> 1;
  if (name == "heavy") return r % 3 ? 0x3777777777777777ull : random_bits(seed + 1, i) >> 1;
  return r >> 1;  // u64: 63 bits, so that every peer's int64 agrees
}

struct Options {
  std::string name = "all";
  std::size_t n = 10'000'000;
  unsigned threads = 2;
  int trials = 5;
  std::string dump;
};

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc > 1) options.name = argv[1];
  if (argc > 2) options.n = static_cast<std::size_t>(std::atof(argv[2]));
  if (argc > 3) options.threads = static_cast<unsigned>(std::atoi(argv[3]));
  if (argc > 4) options.trials = std::atoi(argv[4]);
  if (argc > 5) options.dump = argv[5];
  ThreadPool pool(options.threads);
  bench::HugeMemory memory;
  Monitor monitor;
  Work work{pool, memory, monitor};

  auto time = [&](const std::string& name, std::size_t bytes, auto&& prepare, auto&& run, auto&& checksum) {
    if (options.name != "all" && name.rfind(options.name, 0) != 0) return;
    prepare();
    std::vector<double> seconds;
    memory.take_peak();
    for (int trial = 0; trial <= options.trials; ++trial) {
      std::int64_t start = now_ns();
      run();
      if (trial > 0) seconds.push_back(static_cast<double>(now_ns() - start) * 1e-9);
    }
    std::sort(seconds.begin(), seconds.end());
    double median = seconds[seconds.size() / 2];
    std::printf("%-24s n=%zu threads=%u  median %.4f s (%.4f–%.4f)  %.2f GiB/s  scratch %.2f N  checksum %016llx\n",
                name.c_str(), options.n, options.threads, median, seconds.front(), seconds.back(),
                static_cast<double>(bytes) / median / GiB,
                static_cast<double>(memory.take_peak()) / static_cast<double>(options.n),
                static_cast<unsigned long long>(checksum()));
    std::fflush(stdout);
  };

  const std::size_t n = options.n;
  struct Block {
    std::unique_ptr<void, void (*)(void*)> owner{nullptr, std::free};
    std::uint64_t* get(std::size_t count) {
      if (!owner) {
        owner.reset(std::aligned_alloc(2 * MiB, round_up(count * 8 + 64, std::size_t{2 * MiB})));
        madvise(owner.get(), count * 8, MADV_HUGEPAGE);
        std::memset(owner.get(), 1, count * 8);
      }
      return static_cast<std::uint64_t*>(owner.get());
    }
  } in_block, out_block;
  std::uint64_t* in = in_block.get(n);
  std::uint64_t* out = out_block.get(n);
  auto fill = [&](const std::string& name, std::size_t from, std::size_t count, std::uint64_t seed) {
    pool.for_ranges(count, 64, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i) in[from + i] = element(name, i, count, seed);
    });
  };
  auto dump = [&](const std::string& name) {
    if (options.dump.empty()) return;
    std::ofstream(options.dump + "/" + name + ".bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(in), static_cast<std::streamsize>(n * 8));
  };
  std::size_t rows = n;
  auto sum = [&] {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < rows; ++i) hash = (hash ^ out[i]) * 0x9E3779B97F4A7C15ull;
    return hash;
  };
  for (const std::string name : distributions) {
    DType type = name == "f64" || name == "nan" ? DType::f64 : DType::i64;
    auto prepare = [&] {
      fill(name, 0, n, 1);
      dump(name);
    };
    time(
        "argsort/" + name, 8 * n, prepare, [&] { argsort(work, type, in, n, 0, reinterpret_cast<std::int64_t*>(out)); },
        sum);
    time("sort/" + name, 8 * n, prepare, [&] { sort(work, type, in, out, n); }, sum);
  }
  for (const std::string name : {"u64", "zipf", "few", "g1e3", "g1e6", "sparse1e6", "heavy"}) {
    rows = 0;
    auto prepare = [&] {
      fill(name, 0, n, 1);
      dump(name);
    };
    auto take = [&](const UniqueWants& wants) {
      Unique found = unique(work, DType::i64, in, n, wants);
      rows = found.count;
      std::memcpy(out, found.values.data(), rows * 8);
    };
    time("unique/" + name, 8 * n, prepare, [&] { take({}); }, sum);
    time("value_counts/" + name, 8 * n, prepare, [&] { take({false, false, true}); }, sum);
    time("unique_inverse/" + name, 8 * n, prepare, [&] { take({true, true, true}); }, sum);
  }
  for (const std::string name : {"u32", "u64", "zipf", "few"}) {
    for (std::size_t columns : {2, 3}) {
      rows = n / columns;
      std::vector<Key> keys;
      time(
          "coargsort" + std::to_string(columns) + "/" + name, 8 * n,
          [&] {
            for (std::size_t c = 0; c < columns; ++c) {
              fill(name, c * rows, rows, c + 1);
              keys.push_back({DType::i64, in + c * rows});
            }
            dump("coargsort" + std::to_string(columns) + "_" + name);
          },
          [&] { coargsort(work, keys, rows, 0, reinterpret_cast<std::int64_t*>(out)); }, sum);
    }
  }
}
