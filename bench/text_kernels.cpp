// SPDX-License-Identifier: Apache-2.0
// Times what is done to one PE's texts of 1 to 15 bytes: text_kernels [rows] [trials] [name part]. Random rows dealt
// and one by one, texts numbered, and put in order; 1 and 2 threads, median milliseconds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/random.hpp"
#include "atoll/table/kernel/text/buckets.hpp"
#include "atoll/table/kernel/text/encode.hpp"
#include "atoll/table/kernel/text/gather.hpp"
#include "atoll/table/kernel/text/view.hpp"
#include "huge_memory.hpp"

namespace {

using namespace atl;
using namespace atl::table;

struct Column {
  Buffer<std::int64_t> offsets;
  Buffer<char> bytes;
  TextView view() const { return {offsets.data(), bytes.data(), offsets.size() - 1}; }
};

Column make(Memory& memory, std::size_t n, std::uint64_t seed) {
  SequentialRandom random(seed);
  Column made{Buffer<std::int64_t>(memory, n + 1), {}};
  made.offsets[0] = 0;
  for (std::size_t i = 0; i < n; ++i)
    made.offsets[i + 1] = made.offsets[i] + 1 + static_cast<std::int64_t>(random.below(15));
  made.bytes = Buffer<char>(memory, static_cast<std::size_t>(made.offsets[n]) + 64);
  for (std::int64_t i = 0; i < made.offsets[n]; ++i)
    made.bytes[static_cast<std::size_t>(i)] = static_cast<char>('a' + random.below(26));
  return made;
}

void time(const char* name, unsigned threads, std::size_t trials, const std::function<void()>& body) {
  std::vector<double> seconds;
  for (std::size_t trial = 0; trial <= trials; ++trial) {
    const std::int64_t begin = now_ns();
    body();
    if (trial > 0) seconds.push_back(static_cast<double>(now_ns() - begin) * 1e-6);  // the first warms up
  }
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
  fmt::print("{:14} {} threads {:8.1f} ms\n", name, threads, seconds[seconds.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::size_t trials = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 7;
  const std::string part = argc > 3 ? argv[3] : "";
  bench::HugeMemory memory;
  const Column texts = make(memory, n, 1), known = make(memory, std::max<std::size_t>(n / 100, 1), 2);
  SequentialRandom random(3);
  Buffer<std::int64_t> rows(memory, n), offsets(memory, n + 1);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::int64_t>(random.below(n));
  Buffer<char> bytes(memory, 2 * static_cast<std::size_t>(texts.view().size_bytes()));
  Buffer<std::int64_t> few_offsets(memory, n + 1);
  Buffer<char> few_bytes(memory, bytes.size());
  few_offsets[0] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view text = known.view()[random.below(known.view().count)];
    std::copy(text.begin(), text.end(), few_bytes.data() + few_offsets[i]);
    few_offsets[i + 1] = few_offsets[i] + static_cast<std::int64_t>(text.size());
  }
  auto gather = [&](const array::Work& work, bool deal) {
    const TextBlock block{texts.offsets.data(), texts.bytes.data()};
    const std::int64_t begins[] = {0, static_cast<std::int64_t>(n)};
    if (deal) {
      if (auto dealt = GatheredTexts::of(work, {&block, 1}, begins, rows.data(), n))
        return dealt->write(work, offsets.data(), bytes.data());
    }
    Spans spans(memory, n);
    locate(work, {&block, 1}, begins, rows.data(), n, spans.data.data(), spans.lengths.data());
    to_offsets(work, spans.lengths.data(), n, offsets.data());
    copy_spans(work, spans, offsets.data(), bytes.data());
  };
  for (unsigned threads : {1u, 2u}) {
    ThreadPool pool(threads);
    array::Monitor monitor;
    const array::Work work{pool, memory, monitor};
    const std::pair<const char*, std::function<void()>> cases[] = {
        {"gather dealt", [&] { gather(work, true); }},
        {"gather each", [&] { gather(work, false); }},
        {"number random", [&] { encode(work, texts.view(), Numbers::no); }},
        {"number few", [&] { encode(work, {few_offsets.data(), few_bytes.data(), n}, Numbers::yes); }},
        {"distinct few", [&] { encode(work, {few_offsets.data(), few_bytes.data(), n}, Numbers::no); }},
        {"deal", [&] { TextBuckets::of(work, texts.view(), 0); }},
        {"order", [&] { TextBuckets::of(work, texts.view(), 0)->order(work, offsets.data(), nullptr); }},
        {"sort", [&] { TextBuckets::of(work, texts.view(), 0)->write(work, offsets.data(), bytes.data()); }},
        {"distinct",
         [&] {
           TextBuckets::of(work, texts.view(), 0)
               ->distinct(work)
               .write(work, offsets.data(), bytes.data(), rows.data());
         }},
    };
    for (const auto& [name, body] : cases)
      if (std::string(name).find(part) != std::string::npos) time(name, threads, trials, body);
  }
}
