// SPDX-License-Identifier: Apache-2.0
#include "io/collective.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/library.hpp"
#include "datatype/wire.hpp"
#include "flow/exchange.hpp"
#include "io/plan.hpp"
#include "message/packed.hpp"

namespace atl::mpi::io {
namespace {

std::size_t size_of(Count bytes) { return static_cast<std::size_t>(bytes); }

/// A buffer in memory that the other ranks of the node access directly, while there is room.
Packed staging(Count bytes) { return bytes == 0 ? Packed() : pack_room_in_heap(size_of(bytes)); }

Count block_size(const File& file) {
  if (file.hints.striping_unit > 0) return file.hints.striping_unit;
  struct stat about{};
  return ::fstat(file.fd(), &about) == 0 && about.st_blksize > 0 ? about.st_blksize : 4096;
}

using Streams = File::Streams;

/// Sends the streams of all members to the aggregators, which keep them until the view changes.
Flow share_streams(File& file, Circle circle, const std::vector<int>& aggregators,
                   std::shared_ptr<const Streams>& shared) {
  auto members = static_cast<std::size_t>(circle.size());
  bool aggregates = std::ranges::binary_search(aggregators, circle.rank);
  const Stream& mine = file.view.stream;
  std::vector<std::byte> text(2 * sizeof(Count));
  std::memcpy(text.data(), &mine.displacement, sizeof(Count));
  std::memcpy(text.data() + sizeof(Count), &mine.extent, sizeof(Count));
  datatype::write_layout(*mine.layout, text);
  std::vector<std::uint64_t> lengths(members);
  std::uint64_t length = text.size();
  co_await allgather_bytes(circle, &length, sizeof length, lengths.data());
  std::vector<std::vector<std::byte>> texts(aggregates ? members : 0);
  Exchange exchange;
  for (int aggregator : aggregators)
    if (aggregator != circle.rank) exchange.send(circle.pe(aggregator), circle.tag, text.data(), text.size());
  for (std::size_t m = 0; m < texts.size(); ++m) {
    texts[m].resize(lengths[m]);
    if (static_cast<int>(m) == circle.rank) texts[m] = text;
    else exchange.receive(circle.pe(static_cast<int>(m)), circle.tag, texts[m].data(), texts[m].size());
  }
  co_await exchange;
  auto streams = std::make_shared<Streams>();
  streams->of.assign(members, mine);
  for (std::size_t m = 0; m < texts.size(); ++m) {
    std::span<const std::byte> rest = texts[m];
    Stream& stream = streams->of[m];
    std::memcpy(&stream.displacement, rest.data(), sizeof(Count));
    std::memcpy(&stream.extent, rest.data() + sizeof(Count), sizeof(Count));
    rest = rest.subspan(2 * sizeof(Count));
    stream.layout = datatype::read_layout(rest);
  }
  streams->disjoint = aggregates && are_disjoint(streams->of);
  shared = streams;
  file.set_streams(std::move(streams));
}

/// An aggregator's data for one window.
struct Turn {
  Plan::Window window;
  std::vector<Range> ranges;           // by member
  std::vector<const std::byte*> data;  // by member, packed
  Count bytes = 0;
};

// Unpacks packed bytes of a stream into a buffer in which file offset 0 would be at `origin`.
void scatter_into(const Stream& stream, const Range& range, std::byte* origin, const std::byte* packed) {
  datatype::unpack(stream.region(), origin + stream.displacement, range.from, range.to, packed);
}
void gather_from(const Stream& stream, const Range& range, const std::byte* origin, std::byte* packed) {
  datatype::pack(stream.region(), origin + stream.displacement, range.from, range.to, packed);
}

/// Writes each run separately.
Moved write_each_run(File& file, const Streams& streams, const Turn& turn) {
  Device device = file.device();
  for (std::size_t m = 0; m < turn.ranges.size(); ++m) {
    StreamRuns runs(streams.of[m], turn.ranges[m].from);
    for (Count done = 0; done < turn.ranges[m].bytes();) {
      Run run = runs.next(turn.ranges[m].bytes() - done);
      Moved put = device.statistics.timed_write(device.fd, turn.data[m] + done, run.bytes, run.offset);
      if (put.error != 0) return {turn.window.begin, put.error};
      done += run.bytes;
    }
  }
  return {turn.window.end, 0};
}

/// Writes one window. `bytes` of the result is the file offset up to which all data was written.
Moved write_window(File& file, const Streams& streams, const Turn& turn) {
  if (turn.bytes == 0) return {turn.window.end, 0};
  Device device = file.device();
  Statistics::Timer timer(file.statistics, Phase::file);
  file.statistics.count_aggregated(turn.bytes);
  // The span from the first to the last written byte.
  Count begin = turn.window.end, end = turn.window.begin;
  std::size_t writers = 0, writer = 0;
  for (std::size_t m = 0; m < turn.ranges.size(); ++m) {
    const Range& range = turn.ranges[m];
    if (range.bytes() == 0) continue;
    begin = std::min(begin, streams.of[m].offset_of(range.from));
    end = std::max(end, streams.of[m].offset_of(range.to - 1) + 1);
    ++writers, writer = m;
  }
  auto done = [&](const Moved& put) {
    return put.error == 0 ? Moved{turn.window.end, 0} : Moved{begin + put.bytes, put.error};
  };
  if (writers == 1 && turn.bytes == end - begin)
    return done(device.statistics.timed_write(device.fd, turn.data[writer], turn.bytes, begin));
  bool full = turn.bytes == end - begin && streams.disjoint;
  if (!full) full = merged_runs(streams.of, turn.ranges, 2).size() == 1;
  if (!full && !file.readable()) return write_each_run(file, streams, turn);
  auto buffer = std::make_unique_for_overwrite<std::byte[]>(size_of(end - begin));
  std::optional<RangeLock> lock;
  if (!full) {
    lock.emplace(device.fd, begin, end - begin, RangeLock::Mode::exclusive);
    Moved got = device.statistics.timed_read(device.fd, buffer.get(), end - begin, begin);
    if (got.error != 0) return {begin, got.error};
    // Gaps behind the end of the file read as zeros.
    std::memset(buffer.get() + got.bytes, 0, size_of(end - begin - got.bytes));
    device.statistics.count_rewrite();
  }
  for (std::size_t m = 0; m < turn.ranges.size(); ++m)
    if (turn.ranges[m].bytes() > 0) scatter_into(streams.of[m], turn.ranges[m], buffer.get() - begin, turn.data[m]);
  return done(device.statistics.timed_write(device.fd, buffer.get(), end - begin, begin));
}

/// State that all rounds of an access share.
struct Course {
  File& file;
  const Streams& streams;
  const Part& part;
  Circle circle;
  const std::vector<Wish>& wishes;
  const std::vector<int>& aggregators;
  Plan plan;
  int mine;  // index of this rank among the aggregators, or -1

  auto members() const { return wishes.size(); }
  const Wish& wish() const { return wishes[static_cast<std::size_t>(circle.rank)]; }
  const Stream& stream() const { return file.view.stream; }

  /// The bytes that this rank exchanges with an aggregator in a round.
  Range own_range(std::size_t aggregator, Count round) const {
    return range_in(stream(), wish(), plan.window_of(aggregator, round));
  }
  Turn turn(Count round) const {
    Turn turn{plan.window_of(static_cast<std::size_t>(mine), round), std::vector<Range>(members()),
              std::vector<const std::byte*>(members()), 0};
    for (std::size_t m = 0; m < members(); ++m) {
      turn.ranges[m] = range_in(streams.of[m], wishes[m], turn.window);
      turn.bytes += turn.ranges[m].bytes();
    }
    return turn;
  }
  bool is_me(std::size_t aggregator) const { return static_cast<int>(aggregator) == mine; }
};

Flow write_round(Course& course, Count round, Moved& reached) {
  const Region region = course.part.region();
  auto* base = static_cast<std::byte*>(course.part.base);
  const Wish& wish = course.wish();
  std::vector<Range> own(course.plan.aggregators);
  Count packed = 0;
  for (std::size_t a = 0; a < own.size(); ++a) packed += (own[a] = course.own_range(a, round)).bytes();
  auto outgoing = staging(region.contiguous() ? 0 : packed);
  std::vector<const std::byte*> from(own.size());
  Count used = 0;
  for (std::size_t a = 0; a < own.size(); ++a) {
    Count at = own[a].from - wish.at;
    if (region.contiguous()) {
      from[a] = base + region.layout->offset + at;
    } else if (own[a].bytes() > 0) {
      datatype::pack(region, base, at, at + own[a].bytes(), outgoing.get() + used);
      from[a] = outgoing.get() + used;
      used += own[a].bytes();
    }
  }
  Turn turn;
  if (course.mine >= 0) turn = course.turn(round);
  auto me = static_cast<std::size_t>(course.circle.rank);
  Count foreign = turn.bytes - (turn.ranges.empty() ? 0 : turn.ranges[me].bytes());
  auto incoming = staging(foreign);
  {
    Statistics::Timer timer(course.file.statistics, Phase::exchange);
    Exchange exchange;
    Count place = 0;
    for (std::size_t m = 0; m < turn.ranges.size(); ++m) {
      Count bytes = turn.ranges[m].bytes();
      if (m == me) turn.data[m] = from[static_cast<std::size_t>(course.mine)];
      if (m == me || bytes == 0) continue;
      turn.data[m] = incoming.get() + place;
      exchange.receive(course.circle.pe(static_cast<int>(m)), course.circle.tag, incoming.get() + place,
                       size_of(bytes));
      place += bytes;
    }
    for (std::size_t a = 0; a < own.size(); ++a)
      if (own[a].bytes() > 0 && !course.is_me(a))
        exchange.send(course.circle.pe(course.aggregators[a]), course.circle.tag, from[a], size_of(own[a].bytes()));
    co_await exchange;
  }
  // After an error the exchange continues for the other members, but nothing more is written.
  if (course.mine >= 0 && reached.error == 0) reached = write_window(course.file, course.streams, turn);
}

Flow read_round(Course& course, Count round, Moved& reached) {
  File& file = course.file;
  auto me = static_cast<std::size_t>(course.circle.rank);
  Turn turn;
  if (course.mine >= 0) turn = course.turn(round);
  auto outgoing = staging(turn.bytes);
  std::vector<std::byte*> packed(turn.ranges.size());
  if (turn.bytes > 0) {
    Device device = file.device();
    Statistics::Timer timer(file.statistics, Phase::file);
    file.statistics.count_aggregated(turn.bytes);
    Count begin = turn.window.end, end = turn.window.begin;
    for (std::size_t m = 0; m < turn.ranges.size(); ++m) {
      if (turn.ranges[m].bytes() == 0) continue;
      begin = std::min(begin, course.streams.of[m].offset_of(turn.ranges[m].from));
      end = std::max(end, course.streams.of[m].offset_of(turn.ranges[m].to - 1) + 1);
    }
    auto buffer = std::make_unique_for_overwrite<std::byte[]>(size_of(end - begin));
    Moved got = device.statistics.timed_read(device.fd, buffer.get(), end - begin, begin);
    if (reached.error == 0 && got.error != 0) reached = {begin + got.bytes, got.error};
    std::memset(buffer.get() + got.bytes, 0, size_of(end - begin - got.bytes));
    Count place = 0;
    for (std::size_t m = 0; m < turn.ranges.size(); ++m) {
      packed[m] = outgoing.get() + place;
      if (turn.ranges[m].bytes() > 0)
        gather_from(course.streams.of[m], turn.ranges[m], buffer.get() - begin, packed[m]);
      place += turn.ranges[m].bytes();
    }
  }
  const Region region = course.part.region();
  auto* base = static_cast<std::byte*>(course.part.base);
  std::vector<Range> own(course.plan.aggregators);
  Count bytes = 0;
  for (std::size_t a = 0; a < own.size(); ++a) bytes += (own[a] = course.own_range(a, round)).bytes();
  auto incoming = staging(region.contiguous() ? 0 : bytes);
  std::vector<std::byte*> into(own.size());
  Count used = 0;
  for (std::size_t a = 0; a < own.size(); ++a) {
    into[a] =
        region.contiguous() ? base + region.layout->offset + (own[a].from - course.wish().at) : incoming.get() + used;
    used += own[a].bytes();
  }
  {
    Statistics::Timer timer(file.statistics, Phase::exchange);
    Exchange exchange;
    for (std::size_t a = 0; a < own.size(); ++a)
      if (own[a].bytes() > 0 && !course.is_me(a))
        exchange.receive(course.circle.pe(course.aggregators[a]), course.circle.tag, into[a], size_of(own[a].bytes()));
    for (std::size_t m = 0; m < turn.ranges.size(); ++m)
      if (turn.ranges[m].bytes() > 0 && m != me)
        exchange.send(course.circle.pe(static_cast<int>(m)), course.circle.tag, packed[m],
                      size_of(turn.ranges[m].bytes()));
    if (course.mine >= 0 && turn.ranges[me].bytes() > 0)
      std::memcpy(into[static_cast<std::size_t>(course.mine)], packed[me], size_of(turn.ranges[me].bytes()));
    co_await exchange;
  }
  if (!region.contiguous())
    for (std::size_t a = 0; a < own.size(); ++a) {
      Count at = own[a].from - course.wish().at;
      datatype::unpack(region, base, at, at + own[a].bytes(), into[a]);
    }
}

}  // namespace

Flow access_together(File& file, Part part, Circle circle, Moved& moved) {
  const Stream& stream = file.view.stream;
  Count bytes = part.region().size();
  if (!part.writes) bytes = std::clamp(stream.bytes_below(file.size()) - part.at, Count{0}, bytes);
  std::shared_ptr<const Streams> streams = file.streams();
  Wish mine{.at = part.at, .bytes = bytes, .no_streams = streams == nullptr ? 1 : 0};
  if (bytes > 0) {
    mine.low = stream.offset_of(part.at), mine.high = stream.offset_of(part.at + bytes - 1) + 1;
    mine.long_runs = has_long_runs(stream, part.at, bytes, block_size(file)) ? 1 : 0;
  }
  std::vector<Wish> wishes(static_cast<std::size_t>(circle.size()));
  {
    Statistics::Timer timer(file.statistics, Phase::wait);
    co_await allgather_bytes(circle, &mine, sizeof mine, wishes.data());
  }
  Choice choice = part.writes ? file.hints.collective_write : file.hints.collective_read;
  if (circle.size() == 1 || choice == Choice::disable || (choice == Choice::automatic && !is_interleaved(wishes))) {
    Statistics::Timer timer(file.statistics, Phase::file);
    moved = part.writes ? write_stream(file.device(), stream, part.at, part.region(), part.base)
                        : read_stream(file.device(), stream, part.at, part.region(), part.base);
    co_return;
  }
  std::vector<int> aggregators = choose_aggregators(file.coll().placement(), file.hints.aggregators);
  // When another access is in progress, some members may have the streams already.
  if (std::ranges::any_of(wishes, [](const Wish& wish) { return wish.no_streams != 0; }))
    co_await share_streams(file, circle, aggregators, streams);
  auto found = std::ranges::lower_bound(aggregators, circle.rank);
  bool aggregates = found != aggregators.end() && *found == circle.rank;
  Course course{file,
                *streams,
                part,
                circle,
                wishes,
                aggregators,
                make_plan(wishes, aggregators.size(), file.hints.collective_buffer, block_size(file)),
                aggregates ? static_cast<int>(found - aggregators.begin()) : -1};
  // The file offset that this rank has reached in its own domain.
  Moved reached{aggregates ? course.plan.domain_of(static_cast<std::size_t>(course.mine)).end : 0, 0};
  for (Count round = 0; round < course.plan.rounds; ++round) {
    if (part.writes) co_await write_round(course, round, reached);
    else co_await read_round(course, round, reached);
  }
  std::vector<Moved> all(wishes.size());
  {
    Statistics::Timer timer(file.statistics, Phase::wait);
    co_await allgather_bytes(circle, &reached, sizeof reached, all.data());
  }
  moved = {0, 0};
  for (std::size_t a = 0; a < aggregators.size(); ++a) {
    const Moved& one = all[static_cast<std::size_t>(aggregators[a])];
    if (moved.error == 0) moved.error = one.error;
    Plan::Window there{course.plan.domain_of(a).begin, one.error == 0 ? course.plan.domain_of(a).end : one.bytes};
    moved.bytes += range_in(stream, mine, there).bytes();
  }
}

}  // namespace atl::mpi::io
