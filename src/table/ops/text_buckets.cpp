// SPDX-License-Identifier: Apache-2.0
#include "ops/text_buckets.hpp"

#include <algorithm>
#include <vector>

#include "atoll/array/ops/joined.hpp"
#include "atoll/array/ops/reach.hpp"
#include "atoll/base/error.hpp"

namespace atl::table {
namespace {

using array::Reach;
using Terms = TextBuckets::Terms;

/// Ordered: the worst of all PEs' decides.
enum class Outcome : std::uint8_t { dealt, other_bytes, refused };

Outcome worst(Engine& engine, Outcome mine) {
  const auto all = engine.allgather_value(mine);
  return *std::max_element(all.begin(), all.end());
}

/// This PE's strings, dealt by what all agree on. Nothing on all PEs or on none.
std::optional<TextBuckets> deal_own(Engine& engine, const Text& text, std::size_t depth) {
  Terms terms{depth, static_cast<std::size_t>(text.rows()), 0};
  for (const unsigned threads : engine.allgather_value(engine.threads().size())) terms.threads += threads;
  const auto sample = array::allgather_joined(engine, TextBuckets::sample(text.view(), terms, engine.pe()));
  for (const Terms::Bytes bytes : {Terms::Bytes::of_sample, Terms::Bytes::any}) {
    terms.bytes = bytes;
    std::optional<TextBuckets> mine;
    Outcome outcome = Outcome::refused;
    engine.together([&] {
      try {
        mine = TextBuckets::deal(engine.work(), text.view(), terms, sample);
        if (mine) outcome = mine->fit() ? Outcome::dealt : Outcome::other_bytes;
      } catch (const MemoryError&) {
        mine.reset();  // sorting by words takes less
      }
    });
    outcome = worst(engine, outcome);
    if (outcome == Outcome::dealt) return mine;
    if (outcome == Outcome::refused) break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TextBuckets> deal_texts(Engine& engine, const Text& text, std::size_t depth) {
  if (engine.npes() == 1) return TextBuckets::of(engine.work(), text.view(), depth);
  if (engine.spans_nodes()) return std::nullopt;
  std::optional<TextBuckets> mine = deal_own(engine, text, depth);
  if (!mine) return std::nullopt;

  std::vector<TextBuckets::Size> sizes(mine->sizes().size());
  for (const auto& others : engine.allgather_vector(mine->sizes())) {
    for (std::size_t bucket = 0; bucket < sizes.size(); ++bucket) {
      sizes[bucket].rows += others[bucket].rows;
      sizes[bucket].bytes += others[bucket].bytes;
    }
  }
  // A bucket is the PE's in whose share of all rows it begins.
  std::vector<std::size_t> begins;
  std::int64_t before = 0;
  for (std::size_t bucket = 0; bucket < sizes.size(); before += sizes[bucket++].rows)
    while (begins.size() < engine.npes() &&
           before * engine.npes() >= static_cast<std::int64_t>(begins.size()) * text.rows())
      begins.push_back(bucket);
  begins.resize(engine.npes() + 1, sizes.size());

  const TextBuckets::Dealt own = mine->dealt();
  const Reach lists(engine, own.lists), next(engine, own.next), rows(engine, own.rows), images(engine, own.images);
  const Reach offsets(engine, own.offsets), bytes(engine, own.bytes);
  const auto threads = engine.allgather_value(own.threads);
  std::vector<TextBuckets::Dealt> dealt;
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe)
    dealt.push_back({lists.mapped(pe), next.mapped(pe), rows.mapped(pe), images.mapped(pe),
                     reinterpret_cast<const std::int64_t*>(offsets.mapped(pe)),
                     reinterpret_cast<const char*>(bytes.mapped(pe)), threads[pe],
                     static_cast<std::size_t>(text.first_row(pe))});
  mine->share(dealt, std::move(sizes), begins[engine.pe()], begins[engine.pe() + 1]);
  // All PEs agree, and none has read another's memory yet.
  if (mine->crowded()) return std::nullopt;
  return mine;
}

}  // namespace atl::table
