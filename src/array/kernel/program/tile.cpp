// SPDX-License-Identifier: Apache-2.0
// Filling tile registers from leaves, and running a plan's kernels over them.
#include "kernel/program/tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "atoll/base/raise.hpp"
#include "atoll/base/random.hpp"

namespace atl::array {
namespace {

/// One thread's tile registers: kept between runs, so that small programs do not pay for an allocation. A thread runs
/// one TileRunner at a time.
class Arena {
 public:
  std::byte* get(std::size_t bytes) {
    if (bytes > size_) {
      std::free(block_);
      size_ = 0;
      block_ = static_cast<std::byte*>(std::aligned_alloc(4096, round_up(bytes, std::size_t{4096})));
      if (block_ == nullptr) raise<MemoryError>(fmt::format("cannot allocate {} of tiles", format_bytes(bytes)));
      size_ = round_up(bytes, std::size_t{4096});
    }
    return block_;
  }
  ~Arena() { std::free(block_); }

 private:
  std::byte* block_ = nullptr;
  std::size_t size_ = 0;
};
thread_local Arena thread_arena;

template <class T>
void fill(void* out, std::uint64_t bits, std::size_t count) {
  const T value = from_bits<T>(bits);
  T* to = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i) to[i] = value;
}

void fill_sized(void* out, std::size_t size, std::uint64_t bits, std::size_t count) {
  dispatch_size(size, [&](auto t) { fill<typename decltype(t)::type>(out, bits, count); });
}

template <class T>
void fill_iota(void* out, std::uint64_t start_bits, std::uint64_t step_bits, std::uint64_t index, std::size_t count) {
  T* to = static_cast<T*>(out);
  if constexpr (std::is_floating_point_v<T>) {
    const T start = from_bits<T>(start_bits), step = from_bits<T>(step_bits);
    const double base = static_cast<double>(index);  // exact below 2^53
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = start + step * static_cast<T>(base + static_cast<double>(static_cast<std::int32_t>(i)));
    }
  } else {
    using U = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t,
                                 std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>>;
    const U step = from_bits<U>(step_bits);
    std::uint64_t value = std::uint64_t{from_bits<U>(start_bits)} + index * std::uint64_t{step};
    U* words = reinterpret_cast<U*>(to);
    for (std::size_t i = 0; i < count; ++i, value += step) words[i] = static_cast<U>(value);
  }
}

}  // namespace

Leaf Leaf::dense(const void* data, const Domain& domain) {
  Leaf leaf;
  leaf.data = data;
  std::int64_t stride = 1;
  for (int d = domain.dims - 1; d >= 0; --d) {
    leaf.strides[d] = stride;
    stride *= domain.shape[d];
  }
  return leaf;
}

StridedReader::StridedReader(const Domain& domain, const Leaf& leaf, std::size_t element_size)
    : data_(static_cast<const std::byte*>(leaf.data)), size_(element_size) {
  for (int d = 0; d < domain.dims; ++d) {
    const std::int64_t extent = domain.shape[d], stride = leaf.strides[d];
    if (extent == 1) continue;
    if (dims_ > 0 && strides_[dims_ - 1] == stride * extent) {
      shape_[dims_ - 1] *= extent;
      strides_[dims_ - 1] = stride;
    } else {
      shape_[dims_] = extent;
      strides_[dims_] = stride;
      ++dims_;
    }
  }
  scalar_ = dims_ == 0 || (dims_ == 1 && strides_[0] == 0);
}

template <class T>
void StridedReader::read_as(T* out, std::uint64_t begin, std::size_t count) const {
  std::int64_t index[max_dims];
  std::uint64_t rest = begin;
  const T* at = reinterpret_cast<const T*>(data_);
  for (int d = dims_ - 1; d >= 0; --d) {
    index[d] = static_cast<std::int64_t>(rest % static_cast<std::uint64_t>(shape_[d]));
    rest /= static_cast<std::uint64_t>(shape_[d]);
    at += index[d] * strides_[d];
  }
  const int inner = dims_ - 1;
  while (count > 0) {
    const std::size_t run = std::min(count, static_cast<std::size_t>(shape_[inner] - index[inner]));
    const std::int64_t stride = strides_[inner];
    if (stride == 1) {
      std::memcpy(out, at, run * sizeof(T));
    } else if (stride == 0) {
      const T value = *at;
      for (std::size_t i = 0; i < run; ++i) out[i] = value;
    } else {
      for (std::size_t i = 0; i < run; ++i) out[i] = at[static_cast<std::int64_t>(i) * stride];
    }
    out += run;
    count -= run;
    if (count == 0) return;
    // To the start of the next line.
    at -= index[inner] * stride;
    index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {
      at += strides_[d];
      if (++index[d] < shape_[d]) break;
      at -= shape_[d] * strides_[d];
      index[d] = 0;
    }
  }
}

void StridedReader::read(void* out, std::uint64_t begin, std::size_t count) const {
  dispatch_size(size_, [&](auto t) {
    using T = typename decltype(t)::type;
    read_as(static_cast<T*>(out), begin, count);
  });
}

TileRunner::TileRunner(const Plan& plan, const Domain& domain, std::span<const Leaf> leaves, std::size_t max_count)
    : plan_(plan), first_(domain.first), total_(domain.size()) {
  const Program& program = plan.program_;
  // A chain alone holds its temporaries in vector registers: only what a tile costs by itself counts.
  const bool chain_alone = plan.steps_.size() == 1 && plan.steps_[0].chain != nullptr;
  tile_elements_ = chain_alone ? UnitGrid::max_unit : tile_bytes / plan.max_size_;
  const std::size_t constants = program.constants.size();
  registers_.resize(leaves.size() + constants + plan.slots_);
  arena_ = thread_arena.get(registers_.size() * slot_stride);
  for (std::size_t i = 0; i < registers_.size(); ++i) registers_[i] = arena_ + i * slot_stride;

  const std::size_t filled =
      round_up(std::min(max_count, std::max<std::size_t>(tile_elements_, UnitGrid::max_unit)), kernel_multiple);
  written_.resize(program.results.size());
  sources_.resize(leaves.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& leaf = leaves[i];
    Source& source = sources_[i];
    source.type = program.leaves[i];
    source.size = static_cast<std::uint8_t>(size_of(source.type));
    source.start = leaf.start;
    source.step = leaf.step;
    source.data = static_cast<const std::byte*>(leaf.data);
    switch (leaf.kind) {
      case Leaf::Kind::iota: source.kind = Source::Kind::iota; continue;
      case Leaf::Kind::random: source.kind = Source::Kind::random; continue;
      case Leaf::Kind::view: break;
    }
    source.reader = StridedReader(domain, leaf, source.size);
    if (source.reader.scalar() && total_ > 1) {
      source.kind = Source::Kind::scalar;
      std::uint64_t bits = 0;
      std::memcpy(&bits, source.data, source.size);
      fill_sized(registers_[i], source.size, bits, filled);
    } else {
      source.kind = source.reader.dense() ? Source::Kind::dense : Source::Kind::strided;
    }
  }
  for (std::size_t i = 0; i < constants; ++i) {
    const Constant& constant = program.constants[i];
    fill_sized(registers_[leaves.size() + i], size_of(constant.type), constant.bits, filled);
  }
}

void TileRunner::load(std::size_t leaf, std::uint64_t begin, std::size_t count, std::size_t padded) {
  const Source& source = sources_[leaf];
  std::byte* buffer = arena_ + leaf * slot_stride;
  switch (source.kind) {
    case Source::Kind::scalar: return;
    case Source::Kind::dense: {
      const std::byte* from = source.data + begin * source.size;
      if (count == padded) {
        registers_[leaf] = const_cast<std::byte*>(from);
        return;
      }
      std::memcpy(buffer, from, count * source.size);
      break;
    }
    case Source::Kind::strided: source.reader.read(buffer, begin, count); break;
    case Source::Kind::iota:
      dispatch(source.type, [&](auto t) {
        fill_iota<typename decltype(t)::type>(buffer, source.start, source.step, first_ + begin, count);
      });
      break;
    case Source::Kind::random: {
      std::uint64_t* bits = reinterpret_cast<std::uint64_t*>(buffer);
      const std::uint64_t counter = source.step + first_ + begin;
      for (std::size_t i = 0; i < count; ++i) bits[i] = random_bits(source.start, counter + i);
      break;
    }
  }
  registers_[leaf] = buffer;
  if (count == padded) return;
  // Padding repeats the last element, so that it raises no flag of its own.
  std::uint64_t last = 0;
  std::memcpy(&last, buffer + (count - 1) * source.size, source.size);
  fill_sized(buffer + count * source.size, source.size, last, padded - count);
}

const void* TileRunner::run(std::uint64_t begin, std::size_t count, std::span<void* const> outputs, Store store) {
  const std::size_t padded = round_up(count, kernel_multiple);
  for (std::size_t i = 0; i < sources_.size(); ++i) load(i, begin, count, padded);
  const bool whole = count == padded && !outputs.empty();
  const bool direct = whole && store == Store::direct,
             streamed = store == Store::streamed || store == Store::streamed_direct;
  std::fill(written_.begin(), written_.end(), 0);
  for (const Plan::Step& step : plan_.steps_) {
    void* out = registers_[step.out];
    const bool stream = whole && store == Store::streamed_direct && step.chain != nullptr;
    if (step.result >= 0 && (direct || stream)) {
      const std::size_t r = static_cast<std::size_t>(step.result);
      void* const to = r < outputs.size() ? outputs[r] : nullptr;
      if (to != nullptr && (direct || reinterpret_cast<std::uintptr_t>(to) % 64 == 0)) {
        out = to;
        written_[r] = 1;
      }
    }
    if (step.chain != nullptr) {
      ChainRun chain = chain_run(*step.chain, padded);
      chain.out = out;
      chain.stream = stream && out != registers_[step.out];
      step.chain->kernel(step.chain->steps.data(), step.chain->steps.size(), chain);
    } else {
      step.kernel(out, registers_[step.a], registers_[step.b], registers_[step.c], padded, outcome);
    }
  }
  const Program& program = plan_.program_;
  const void* first = nullptr;
  for (std::size_t r = 0; r < program.results.size(); ++r) {
    const void* from = registers_[plan_.result_places_[r]];
    if (r < outputs.size() && outputs[r] != nullptr) {
      void* to = outputs[r];
      if (written_[r]) {
        from = to;
      } else {
        const std::size_t bytes = count * size_of(program.type_of(program.results[r]));
        if (streamed && bytes % 64 == 0 && reinterpret_cast<std::uintptr_t>(to) % 64 == 0) stream_copy(to, from, bytes);
        else if (to != from) std::memcpy(to, from, bytes);
      }
    }
    if (r == 0) first = from;
  }
  return first;
}

ChainRun TileRunner::chain_run(const Chain& chain, std::size_t count) const {
  ChainRun run{};
  run.operand_count = chain.places.size();
  const std::size_t leaves = sources_.size(), constants = plan_.program_.constants.size();
  for (std::size_t k = 0; k < chain.places.size(); ++k) {
    const std::size_t place = chain.places[k];
    const bool same = place < leaves ? sources_[place].kind == Source::Kind::scalar : place < leaves + constants;
    run.operands[k] = registers_[place];
    run.masks[k] = same ? 0 : ~std::size_t{0};
  }
  run.count = count;
  return run;
}

void TileRunner::sum_lanes(std::uint64_t begin, std::size_t count, std::size_t unit, void* sums) {
  for (std::size_t i = 0; i < sources_.size(); ++i) load(i, begin, count, count);
  const DType type = plan_.program_.type_of(plan_.program_.results[0]);
  const std::uint64_t zero = type == DType::f64 ? to_bits(-0.0) : type == DType::f32 ? to_bits(-0.0f) : 0;
  fill_sized(sums, size_of(type), zero, count / unit * chain_sums_bytes / size_of(type));
  const Chain& chain = *plan_.steps_[0].chain;
  ChainRun run = chain_run(chain, count);
  run.sums = sums;
  run.unit = unit;
  chain.kernel(chain.steps.data(), chain.steps.size(), run);
}

bool TileRunner::is_plain() const {
  const Register result = plan_.program_.results[0];
  return result.kind() == Register::Kind::leaf && sources_[result.index()].kind == Source::Kind::dense;
}

bool TileRunner::reads_memory_only() const {
  return plan_.steps_.size() == 1 && plan_.steps_[0].chain != nullptr &&
         std::all_of(sources_.begin(), sources_.end(), [](const Source& source) {
           return source.kind == Source::Kind::dense || source.kind == Source::Kind::scalar;
         });
}

const void* TileRunner::run_all(std::uint64_t begin, std::size_t count, void* scratch) {
  const std::size_t size = size_of(plan_.program_.type_of(plan_.program_.results[0]));
  if (is_plain()) return sources_[plan_.program_.results[0].index()].data + begin * size;
  std::byte* out = static_cast<std::byte*>(scratch);
  for (std::size_t done = 0; done < count;) {
    const std::size_t n = std::min(tile_elements_, count - done);
    void* outputs[] = {out + done * size};
    run(begin + done, n, outputs, Store::direct);
    done += n;
  }
  return scratch;
}

}  // namespace atl::array
