// SPDX-License-Identifier: Apache-2.0
#include "atoll/array/ops/fourier.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "atoll/array/kernel/fourier.hpp"
#include "atoll/array/kernel/polling.hpp"
#include "atoll/array/ops/blocks.hpp"
#include "atoll/array/phase.hpp"
#include "atoll/base/assertion.hpp"

namespace atl::array {
namespace {

constexpr std::size_t cache_bytes = std::size_t{512}
                                    << 10;  // of a block of planes, or of columns: half of a second-level cache
constexpr std::size_t aligned_columns = 8;                   // a line of float64
// A network of 10 GB/s takes as long for the first as for starting a message, and hides the start beside the second.
constexpr std::size_t slab_bytes = std::size_t{16} << 10;
constexpr std::size_t message_bytes = std::size_t{64} << 10;
constexpr std::size_t pack_buffers = 4;  // that fly while the next is filled
constexpr std::size_t most_chunks = 4;   // in which the columns come back, each while the next is transformed

/// A transform along one of a plane's own axes.
struct Step {
  Fourier fourier;
  std::size_t outer, inner;  // in one plane
};

/// Which columns of a plane a PE transforms.
struct Share {
  std::size_t begin, count;
};

class Transform {
 public:
  Transform(Engine& engine, const ArrayData& re, const ArrayData* im, const std::vector<int>& axes, bool backward,
            double factor)
      : engine_(engine),
        re_(re),
        im_(im),
        element_(size_of(re.dtype)),
        planes_(static_cast<std::size_t>(re.shape.rows())),
        plane_(static_cast<std::size_t>(re.shape.row_size())),
        work_(engine.work()) {
    const Turn turn = backward ? Turn::backward : Turn::forward;
    auto order = axes;
    std::sort(order.rbegin(), order.rend());
    std::size_t scratch = 0;
    for (int axis : order) {
      Fourier fourier(static_cast<std::size_t>(re.shape[axis]), re.dtype, turn, axis == order.back() ? factor : 1.0);
      scratch = std::max(scratch, fourier.scratch_size());
      if (axis == 0) {
        first_.emplace(std::move(fourier));
        continue;
      }
      std::size_t outer = 1, inner = 1;
      for (int other = 1; other < axis; ++other) outer *= static_cast<std::size_t>(re.shape[other]);
      for (int other = axis + 1; other < re.shape.ndim(); ++other) inner *= static_cast<std::size_t>(re.shape[other]);
      steps_.push_back({std::move(fourier), outer, inner});
    }
    scratch_each_ = scratch;
    engine.together([&] { scratch_ = Buffer<double>(work_.memory, scratch * work_.threads.size()); });
    results_ = engine.make({{re.dtype, re.shape}, {re.dtype, re.shape}});
  }

  std::vector<Array> run() {
    if (!first_) {
      engine_.together([&] { transform_planes(0, local_planes()); });
    } else if (engine_.spans_nodes()) {
      across_nodes();
    } else {
      engine_.together([&] { transform_planes(0, local_planes()); });
      in_place();
    }
    return results_;
  }

 private:
  std::size_t local_planes() const { return static_cast<std::size_t>(re_.local_rows()); }
  double* scratch_of(unsigned thread) const { return scratch_.data() + scratch_each_ * thread; }
  Share share_of(std::uint32_t pe) const {
    const std::size_t lines = (plane_ + aligned_columns - 1) / aligned_columns;
    auto border = [&](std::size_t k) { return std::min(plane_, lines * k / engine_.npes() * aligned_columns); };
    const std::size_t begin = border(pe);
    return {begin, (pe + 1 == engine_.npes() ? plane_ : border(pe + 1)) - begin};
  }

  // -- along a plane's own axes --

  /// Of this PE's planes [begin, end), from the source to the results.
  void transform_planes(std::size_t begin, std::size_t end) {
    if (steps_.empty() || begin == end) return;
    const Phase phase(engine_, "fft_planes");
    const std::size_t threads = work_.threads.size(), count = end - begin, bytes = plane_ * element_;
    // Whole vectors of rows where planes are small.
    const std::size_t fair = std::max<std::size_t>(1, count / threads / 16 * 16);
    const std::size_t each = std::clamp<std::size_t>(cache_bytes / (2 * bytes), 1, fair),
                      blocks = (count + each - 1) / each;
    auto from = [&](bool source, std::size_t plane) -> Parts<const void*> {
      const std::size_t at = plane * bytes;
      if (!source) return {results_[0]->bytes() + at, results_[1]->bytes() + at};
      return {re_.bytes() + at, im_ == nullptr ? nullptr : im_->bytes() + at};
    };
    auto to = [&](std::size_t plane) -> Parts<void*> {
      return {results_[0]->bytes() + plane * bytes, results_[1]->bytes() + plane * bytes};
    };
    if (blocks >= threads) {
      const std::size_t turn = 16 * threads;  // between looks at the monitor
      for (std::size_t base = 0; base < blocks; base += turn) {
        work_.threads.for_each_dynamic(std::min(turn, blocks - base), [&](std::size_t block, unsigned thread) {
          const std::size_t first = begin + (base + block) * each, planes = std::min(each, end - first);
          for (const Step& step : steps_)
            step.fourier.box(from(&step == steps_.data(), first), to(first), step.outer * planes, step.inner, 0,
                             step.inner, scratch_of(thread));
        });
        work_.monitor.checkpoint(std::min(blocks, base + turn), blocks);
      }
      return;
    }
    // Fewer planes than threads: these share each.
    for (std::size_t plane = begin; plane < end; ++plane)
      for (const Step& step : steps_) {
        const Parts<const void*> source = from(&step == steps_.data(), plane);
        if (step.inner >= aligned_columns * threads) {
          work_.threads.for_ranges(
              step.inner, aligned_columns, [&](std::size_t low, std::size_t high, unsigned thread) {
                step.fourier.box(source, to(plane), step.outer, step.inner, low, high, scratch_of(thread));
              });
        } else {
          const std::size_t box = step.fourier.length() * step.inner * element_;
          work_.threads.for_ranges(
              step.outer, step.inner == 1 ? aligned_columns : 1,
              [&](std::size_t low, std::size_t high, unsigned thread) {
                auto behind = [&](auto* at) -> decltype(at) {
                  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(at)>>, const std::byte,
                                                  std::byte>;
                  return at == nullptr ? nullptr : static_cast<Byte*>(at) + low * box;
                };
                const Parts<void*> target = to(plane);
                step.fourier.box({behind(source.re), behind(source.im)}, {behind(target.re), behind(target.im)},
                                 high - low, step.inner, 0, step.inner, scratch_of(thread));
              });
        }
      }
  }

  // -- along the first axis --

  /// Columns [begin, begin + count) of rows that `from` and `to` find: functions of part and row that give the address
  /// of column 0.
  template <class From, class To>
  void transform_columns(std::size_t begin, std::size_t count, bool real, From&& from, To&& to) {
    if (count == 0) return;
    const Phase phase(engine_, "fft_columns");
    const std::size_t fits = cache_bytes / (2 * planes_ * element_) / aligned_columns * aligned_columns;
    const std::size_t fair = (count / work_.threads.size() + aligned_columns - 1) / aligned_columns * aligned_columns;
    const std::size_t each = std::max(aligned_columns, std::min(fits, fair)), pieces = (count + each - 1) / each;
    Polling(work_).for_each_dynamic(pieces, [&](std::size_t piece, unsigned thread) {
      const std::size_t low = begin + piece * each, columns = std::min(each, begin + count - low);
      std::vector<const void*> source[2];
      std::vector<void*> target[2];
      for (int part = 0; part < 2; ++part)
        for (std::size_t row = 0; row < planes_; ++row) {
          if (part == 0 || !real) source[part].push_back(from(part, row) + low * element_);
          target[part].push_back(to(part, row) + low * element_);
        }
      first_->columns({source[0].data(), real ? nullptr : source[1].data()}, {target[0].data(), target[1].data()},
                      columns, scratch_of(thread));
    });
  }

  /// All memory is mapped: columns of rows wherever they lie.
  void in_place() {
    const bool from_source = steps_.empty();
    const ArrayData* imaginary = from_source ? im_ : results_[1].get();
    OpenBlocks to[2] = {{engine_, *results_[0]}, {engine_, *results_[1]}};
    std::optional<OpenBlocks> source[2];
    if (from_source) {
      source[0].emplace(engine_, re_);
      if (im_ != nullptr) source[1].emplace(engine_, *im_);
    }
    wait();
    const Share share = share_of(engine_.pe());
    engine_.together([&] {
      transform_columns(
          share.begin, share.count, imaginary == nullptr,
          [&](int part, std::size_t row) -> const std::byte* {
            return (from_source ? *source[part] : to[part]).row(static_cast<std::int64_t>(row));
          },
          [&](int part, std::size_t row) { return to[part].row(static_cast<std::int64_t>(row)); });
    });
    if (engine_.npes() > 1) {
      const std::size_t own = static_cast<std::size_t>(results_[0]->local_rows());
      engine_.count_got(2 * (planes_ - own) * share.count * element_);
      engine_.count_put(2 * (planes_ - own) * share.count * element_);
    }
    wait();
  }

  void wait() {
    const Phase phase(engine_, "fft_exchange");
    engine_.barrier();
  }
  void complete(const Reach& reach) {
    const Phase phase(engine_, "fft_exchange");
    reach.complete();
  }
  void send(const Reach& reach, std::uint32_t pe, std::size_t at, const void* from, std::size_t bytes) {
    if (reach.maps(pe)) reach.put(pe, at, from, bytes);
    else reach.start_put(pe, at, from, bytes);
  }

  /// Some PEs are on other nodes: columns go to where they are transformed, and come back.
  void across_nodes() {
    const Share own = share_of(engine_.pe());
    const bool real = steps_.empty() && im_ == nullptr;
    const bool packed = (plane_ / engine_.npes() + aligned_columns) * element_ < slab_bytes;  // the same everywhere
    Buffer<std::byte> landing, back;
    engine_.together([&] {
      landing = Buffer<std::byte>(engine_.memory(), 2 * planes_ * own.count * element_);
      if (packed) back = Buffer<std::byte>(engine_.memory(), 2 * local_planes() * plane_ * element_);
    });
    const Reach columns(engine_, landing.data());
    send_planes(columns, packed, real);
    auto row = [&](int part, std::size_t plane) {
      return landing.data() + ((static_cast<std::size_t>(part) * planes_ + plane) * own.count) * element_;
    };
    if (packed) {
      engine_.together([&] { transform_columns(0, own.count, real, row, row); });
      const Reach returned(engine_, back.data());
      return_packed(returned, row);
      unpack(back.data());
    } else {
      return_slabs(own, real, row);
    }
    wait();
  }

  /// Transforms the planes of this PE and sends each column's part of them to its owner, as [part][plane][column].
  void send_planes(const Reach& columns, bool packed, bool real) {
    const std::size_t share_bytes = std::max<std::size_t>(1, plane_ / engine_.npes() * element_);
    const std::size_t batch =
        std::max<std::size_t>(packed ? (message_bytes + share_bytes - 1) / share_bytes : 1, work_.threads.size());
    Buffer<std::byte> pack[pack_buffers];
    const std::size_t local = local_planes(), parts = real ? 1 : 2, first = static_cast<std::size_t>(re_.first_row());
    if (packed)
      engine_.together([&] {
        for (auto& buffer : pack)
          buffer = Buffer<std::byte>(engine_.memory(),
                                     parts * std::min(batch, std::max<std::size_t>(1, local)) * plane_ * element_);
      });
    std::size_t turn = 0;
    for (std::size_t begin = 0; begin < local; begin += batch, ++turn) {
      const std::size_t count = std::min(batch, local - begin);
      transform_planes(begin, begin + count);
      if (packed && turn >= pack_buffers && turn % pack_buffers == 0) complete(columns);  // their memory is free again
      std::byte* packing = packed ? pack[turn % pack_buffers].data() : nullptr;
      for (std::uint32_t step = 0; step < engine_.npes(); ++step) {
        // Everybody starts with another peer.
        const std::uint32_t pe = (engine_.pe() + step) % engine_.npes();
        const Share share = share_of(pe);
        const std::size_t bytes = share.count * element_;
        for (std::size_t part = 0; part < parts; ++part) {
          const std::size_t at = (part * planes_ + first + begin) * bytes;
          const std::byte* planes = local_plane(part, begin) + share.begin * element_;
          if (packed && !columns.maps(pe)) {
            {
              const Phase phase(engine_, "fft_pack");
              for (std::size_t k = 0; k < count; ++k)
                std::memcpy(packing + k * bytes, planes + k * plane_ * element_, bytes);
            }
            const Phase phase(engine_, "fft_exchange");
            columns.start_put(pe, at, packing, count * bytes);
            packing += count * bytes;
          } else {
            const Phase phase(engine_, "fft_exchange");
            for (std::size_t k = 0; k < count; ++k)
              send(columns, pe, at + k * bytes, planes + k * plane_ * element_, bytes);
          }
        }
      }
    }
    complete(columns);
    wait();
  }

  const std::byte* local_plane(std::size_t part, std::size_t plane) const {
    const std::byte* base = !steps_.empty() ? results_[part]->bytes() : part == 0 ? re_.bytes() : im_->bytes();
    return base + plane * plane_ * element_;
  }

  /// Transforms this PE's columns, some at a time, and puts each row of them to where it belongs.
  template <class Row>
  void return_slabs(Share own, bool real, Row&& row) {
    OpenBlocks to[2] = {{engine_, *results_[0]}, {engine_, *results_[1]}};
    const Distribution& distribution = results_[0]->distribution;
    const std::size_t chunks = std::clamp<std::size_t>(own.count * element_ / slab_bytes, 1, most_chunks);
    const std::size_t each = (own.count / chunks + aligned_columns) / aligned_columns * aligned_columns;
    for (std::size_t begin = 0; begin < own.count; begin += each) {
      const std::size_t count = std::min(each, own.count - begin);
      transform_columns(begin, count, real, row, row);
      const Phase phase(engine_, "fft_exchange");
      for (int part = 0; part < 2; ++part)
        for (std::size_t step = 0; step < engine_.npes(); ++step) {
          const auto pe = static_cast<std::uint32_t>((engine_.pe() + step) % engine_.npes());
          for (std::int64_t plane = distribution.begin(pe); plane < distribution.end(pe); ++plane) {
            const auto at =
                (static_cast<std::size_t>(plane - distribution.begin(pe)) * plane_ + own.begin + begin) * element_;
            send(to[part].reach(), pe, at, row(part, static_cast<std::size_t>(plane)) + begin * element_,
                 count * element_);
          }
        }
    }
    const Phase phase(engine_, "fft_exchange");
    to[0].reach().complete();
  }

  /// Puts the rows of each PE, which lie together, into its block for this PE's columns, as [part][owner of
  /// columns][plane][column].
  template <class Row>
  void return_packed(const Reach& returned, Row&& row) {
    const Distribution& distribution = results_[0]->distribution;
    const Share own = share_of(engine_.pe());
    for (std::uint32_t step = 0; step < engine_.npes(); ++step) {
      const std::uint32_t pe = (engine_.pe() + step) % engine_.npes();
      const auto planes = static_cast<std::size_t>(distribution.count(pe)),
                 begin = static_cast<std::size_t>(distribution.begin(pe));
      const Phase phase(engine_, "fft_exchange");
      for (std::size_t part = 0; part < 2; ++part)
        send(returned, pe, planes * (part * plane_ + own.begin) * element_, row(static_cast<int>(part), begin),
             planes * own.count * element_);
    }
    complete(returned);
    wait();
  }

  void unpack(const std::byte* from) {
    const Phase phase(engine_, "fft_pack");
    for (std::size_t part = 0; part < 2; ++part)
      for (std::uint32_t pe = 0; pe < engine_.npes(); ++pe) {
        const Share share = share_of(pe);
        for (std::size_t plane = 0; plane < local_planes(); ++plane, from += share.count * element_)
          std::memcpy(results_[part]->bytes() + (plane * plane_ + share.begin) * element_, from,
                      share.count * element_);
      }
  }

  Engine& engine_;
  const ArrayData& re_;
  const ArrayData* im_;
  std::size_t element_, planes_, plane_;
  Work work_;
  std::vector<Step> steps_;
  std::optional<Fourier> first_;
  std::size_t scratch_each_ = 0;
  Buffer<double> scratch_;
  std::vector<Array> results_;
};

}  // namespace

std::vector<Array> fourier(Engine& engine, Array re, Array im, std::vector<int> axes, bool backward, double factor) {
  engine.begin_operation("fft");
  ATOLL_EXPECT(is_float(re->dtype) && re->shape.size() > 0 && !axes.empty());
  ATOLL_EXPECT(im == nullptr || (im->dtype == re->dtype && im->shape == re->shape));  // then its rows lie alike
  return Transform(engine, *re, im.get(), axes, backward, factor).run();
}

}  // namespace atl::array
