// SPDX-License-Identifier: Apache-2.0
#include "ops/dealt_keys.hpp"

#include <algorithm>
#include <utility>

#include "atoll/array/kernel/partition.hpp"
#include "atoll/base/units.hpp"
#include "atoll/coll/collectives.hpp"

namespace atl::table {

using array::CompositeKey;
using array::Engine;

IncomingKeys::IncomingKeys(Engine& engine, const DealtKeys& mine, std::size_t buckets_per_pe)
    : engine_(engine),
      width_(mine.words_per_record()),
      counts_(engine, mine.counts()),
      records_(engine, mine.records()),
      peers_(engine.npes()) {
  std::vector<Section> sections(engine.npes());
  for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
    const std::uint64_t begin = mine.start(pe * buckets_per_pe, 0);
    sections[pe] = {begin, mine.start((pe + 1) * buckets_per_pe, 0) - begin, mine.lanes()};
  }
  if (engine.npes() > 1) sections = engine.communicator().alltoall(sections);
  engine.together([&] {
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      Peer& peer = peers_[pe];
      peer.section = sections[pe];
      const std::uint64_t first = engine.pe() * buckets_per_pe * peer.section.lanes,
                          runs = buckets_per_pe * peer.section.lanes;
      if (records_.maps(pe)) {
        peer.records = reinterpret_cast<std::uint64_t*>(records_.mapped(pe)) + peer.section.begin;
        peer.counts = reinterpret_cast<const std::uint64_t*>(counts_.mapped(pe)) + first;
        if (pe != engine.pe()) engine.count_got((peer.section.words + runs) * sizeof(std::uint64_t));
        continue;
      }
      peer.fetched_records = Buffer<std::uint64_t>(engine.memory(), peer.section.words);
      peer.fetched_counts = Buffer<std::uint64_t>(engine.memory(), runs);
      peer.records = peer.fetched_records.data();
      peer.counts = peer.fetched_counts.data();
      records_.start_get(peer.records, pe, peer.section.begin * sizeof(std::uint64_t),
                         peer.section.words * sizeof(std::uint64_t));
      counts_.start_get(peer.fetched_counts.data(), pe, first * sizeof(std::uint64_t), runs * sizeof(std::uint64_t));
    }
    records_.complete();
  });
  for (Peer& peer : peers_) {
    peer.starts.resize(buckets_per_pe + 1);
    for (std::size_t bucket = 0; bucket < buckets_per_pe; ++bucket) {
      std::uint64_t words = 0;
      for (std::size_t lane = 0; lane < peer.section.lanes; ++lane)
        words +=
            round_up(peer.counts[bucket * peer.section.lanes + lane], std::uint64_t{DealtKeys::run_grain}) * width_;
      peer.starts[bucket + 1] = peer.starts[bucket] + words;
    }
  }
}

void IncomingKeys::runs(std::uint32_t pe, std::size_t bucket, std::vector<KeyRun>& out) const {
  const Peer& peer = peers_[pe];
  std::uint64_t* at = peer.records + peer.starts[bucket];
  for (std::size_t lane = 0; lane < peer.section.lanes; ++lane) {
    const std::uint64_t count = peer.counts[bucket * peer.section.lanes + lane];
    if (count > 0) out.push_back({at, count});
    at += round_up(count, std::uint64_t{DealtKeys::run_grain}) * width_;
  }
}

void IncomingKeys::put_back() {
  for (std::uint32_t pe = 0; pe < engine_.npes(); ++pe) {
    const Section& section = peers_[pe].section;
    if (!maps(pe))
      records_.start_put(pe, section.begin * sizeof(std::uint64_t), peers_[pe].records,
                         section.words * sizeof(std::uint64_t));
    else if (pe != engine_.pe()) engine_.count_put(section.words * sizeof(std::uint64_t));
  }
  records_.complete();
}

std::vector<std::uint64_t> heavy_keys(Engine& engine, const CompositeKey& left, const CompositeKey& right) {
  std::vector<std::uint64_t> heavy;
  if (engine.npes() == 1) return heavy;
  const std::size_t share = std::clamp<std::size_t>(16'384 / engine.npes(), 64, 4096);
  for (const CompositeKey* key : {&left, &right}) {
    std::vector<std::uint64_t> sample = array::sample_keys(*key, share, engine.pe());
    for (std::uint64_t& one : sample) one = BucketRule::hashed(one);
    std::vector<std::uint64_t> all;
    for (const auto& part : engine.allgather_vector(sample)) all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end());
    // A quarter of what a PE has to do is worth the trouble.
    const std::size_t many =
        std::max<std::size_t>(8, all.size() / std::min<std::size_t>(4 * engine.npes(), BucketRule::most_heavy / 4));
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      while (end < all.size() && all[end] == all[begin]) ++end;
      if (end - begin >= many) heavy.push_back(all[begin]);
    }
  }
  std::sort(heavy.begin(), heavy.end());
  heavy.erase(std::unique(heavy.begin(), heavy.end()), heavy.end());
  return heavy;
}

namespace {

/// Calls body(place of the heavy key, record) for this PE's rows of heavy keys, in order of rows.
template <class Body>
void for_heavy(const BucketRule& rule, const DealtKeys& keys, Body&& body) {
  for (std::size_t lane = 0; lane < keys.lanes(); ++lane) {
    const std::uint64_t* record = keys.records() + keys.start(rule.buckets(), lane);
    for (std::uint64_t left = keys.counts()[rule.buckets() * keys.lanes() + lane]; left > 0;
         --left, record += keys.words_per_record())
      body(rule.heavy_place(*record), record);
  }
}

}  // namespace

HeavyPartners match_heavy(Engine& engine, const BucketRule& rule, const DealtKeys& left, const DealtKeys& right) {
  const std::size_t heavy = rule.heavy().size();
  HeavyPartners found;
  found.partners.assign(heavy, Partners::none);
  if (heavy == 0) return found;
  std::vector<std::uint64_t> counts(heavy);
  for_heavy(rule, right, [&](std::size_t key, const std::uint64_t*) { ++counts[key]; });
  std::vector<bool> wanted(heavy);
  for_heavy(rule, left, [&](std::size_t key, const std::uint64_t*) { wanted[key] = true; });
  // This PE's right rows by key; then those of all PEs that its left rows want, as lists.
  std::vector<std::uint64_t> next(heavy);
  for (std::size_t key = 1; key < heavy; ++key) next[key] = next[key - 1] + counts[key - 1];
  const auto all = engine.allgather_vector(counts);
  std::vector<std::uint64_t> lengths(heavy);
  std::uint64_t words = 0;
  for (std::size_t key = 0; key < heavy; ++key) {
    for (const auto& part : all) lengths[key] += part[key];
    if (wanted[key] && lengths[key] > 0) words += 1 + lengths[key];
  }
  Buffer<std::int64_t> mine;
  engine.together([&] {
    mine = Buffer<std::int64_t>(engine.memory(), next[heavy - 1] + counts[heavy - 1]);
    found.lists = Buffer<std::int64_t>(engine.memory(), words);
  });
  for_heavy(rule, right, [&](std::size_t key, const std::uint64_t* record) {
    mine[next[key]++] = static_cast<std::int64_t>(record[1]);
  });
  const array::Reach reach(engine, mine.data());
  engine.barrier();
  std::vector<std::uint64_t> begins(engine.npes());
  std::int64_t* at = found.lists.data();
  for (std::size_t key = 0; key < heavy; ++key) {
    std::int64_t* list = at;
    if (wanted[key] && lengths[key] > 0) *at++ = static_cast<std::int64_t>(lengths[key]);
    for (std::uint32_t pe = 0; pe < engine.npes(); ++pe) {
      const std::uint64_t count = all[pe][key], begin = std::exchange(begins[pe], begins[pe] + count);
      if (!wanted[key] || count == 0) continue;
      if (reach.maps(pe)) reach.get(at, pe, begin * sizeof(std::int64_t), count * sizeof(std::int64_t));
      else reach.start_get(at, pe, begin * sizeof(std::int64_t), count * sizeof(std::int64_t));
      at += count;
    }
    if (at != list) found.partners[key] = Partners::list(reinterpret_cast<std::uintptr_t>(list) / sizeof(std::int64_t));
  }
  reach.complete();
  for (std::int64_t& partners : found.partners) {
    const auto* list = Partners::is_list(partners)
                           ? reinterpret_cast<const std::int64_t*>(Partners::place(partners) * sizeof(std::int64_t))
                           : nullptr;
    if (list != nullptr && list[0] == 1) partners = list[1];
  }
  engine.barrier();  // no PE reads `mine` any more
  return found;
}

}  // namespace atl::table
