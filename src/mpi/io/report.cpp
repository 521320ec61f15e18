// SPDX-License-Identifier: Apache-2.0
#include "io/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/config.hpp"
#include "atoll/base/log.hpp"
#include "core/library.hpp"
#include "io/file.hpp"

namespace atl::mpi::io {
namespace {

/// Statistics of one rank, in the form in which ranks exchange them.
struct Figures {
  std::array<Traffic, 2> traffic;
  std::array<std::array<Asked, 2>, access_kinds> asked;
  std::array<double, phase_kinds> phase_s;
  std::uint64_t rewrites, aggregated;
  double open_s;
};

Figures figures_of(const Statistics& statistics) {
  Figures figures{};
  for (bool writes : {false, true}) {
    figures.traffic[writes] = statistics.traffic(writes);
    for (std::size_t kind = 0; kind < access_kinds; ++kind)
      figures.asked[kind][writes] = statistics.asked(static_cast<Access>(kind), writes);
  }
  for (std::size_t phase = 0; phase < phase_kinds; ++phase)
    figures.phase_s[phase] = static_cast<double>(statistics.phase_ns(static_cast<Phase>(phase))) * 1e-9;
  figures.rewrites = statistics.rewrites();
  figures.aggregated = statistics.aggregated();
  figures.open_s = static_cast<double>(statistics.open_ns()) * 1e-9;
  return figures;
}

/// Minimum, mean and maximum over the ranks.
struct Spread {
  double least = 0, mean = 0, most = 0;
};
template <class Value>
Spread spread_of(const std::vector<Figures>& all, Value&& value) {
  Spread spread{value(all.front()), 0, value(all.front())};
  for (const Figures& one : all) {
    double here = value(one);
    spread.least = std::min(spread.least, here);
    spread.most = std::max(spread.most, here);
    spread.mean += here / static_cast<double>(all.size());
  }
  return spread;
}

std::string size_text(double bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

std::string direction_text(const std::vector<Figures>& all, bool writes) {
  constexpr std::array<std::string_view, access_kinds> kinds{"independent", "collective", "shared pointer"};
  std::string text;
  Traffic sum;
  for (const Figures& one : all) {
    const Traffic& traffic = one.traffic[writes];
    sum.calls += traffic.calls, sum.bytes += traffic.bytes, sum.time_ns += traffic.time_ns, sum.gaps += traffic.gaps;
  }
  for (std::size_t kind = 0; kind < access_kinds; ++kind) {
    Asked asked;
    for (const Figures& one : all)
      asked.calls += one.asked[kind][writes].calls, asked.bytes += one.asked[kind][writes].bytes;
    if (asked.calls == 0) continue;
    auto per_rank =
        spread_of(all, [&](const Figures& one) { return static_cast<double>(one.asked[kind][writes].bytes); });
    text += fmt::format("  {} {:<15}{:>9} calls {:>12}   per rank {} to {}\n", writes ? "write" : "read ", kinds[kind],
                        asked.calls, size_text(static_cast<double>(asked.bytes)), size_text(per_rank.least),
                        size_text(per_rank.most));
  }
  if (sum.calls == 0) return text;
  double seconds = static_cast<double>(sum.time_ns) * 1e-9;
  text += fmt::format("  {} accesses       {:>9}       {:>12}   of {} each, {} with gaps, {:.3f} s, {}/s\n",
                      writes ? "write" : "read ", sum.calls, size_text(static_cast<double>(sum.bytes)),
                      size_text(static_cast<double>(sum.bytes) / static_cast<double>(sum.calls)), sum.gaps, seconds,
                      size_text(seconds > 0 ? static_cast<double>(sum.bytes) / seconds : 0));
  return text;
}

std::string table_of(const File& file, const std::vector<Figures>& all) {
  std::string text = fmt::format("atoll-mpiio: '{}', {} ranks, open for {:.3f} s\n", file.path(), all.size(),
                                 spread_of(all, [](const Figures& one) { return one.open_s; }).most);
  for (bool writes : {false, true}) text += direction_text(all, writes);
  std::uint64_t rewrites = 0, aggregators = 0;
  for (const Figures& one : all) rewrites += one.rewrites, aggregators += one.aggregated > 0;
  if (rewrites > 0) text += fmt::format("  {} writes had to read what lay around them\n", rewrites);
  if (aggregators > 0) {
    auto shares = spread_of(all, [](const Figures& one) { return static_cast<double>(one.aggregated); });
    text += fmt::format("  {} ranks aggregated {} to {} each\n", aggregators, size_text(shares.least),
                        size_text(shares.most));
  }
  constexpr std::array<std::string_view, phase_kinds> phases{"wait", "exchange", "file"};
  for (std::size_t phase = 0; phase < phase_kinds; ++phase) {
    auto spread = spread_of(all, [&](const Figures& one) { return one.phase_s[phase]; });
    if (spread.most > 0)
      text += fmt::format("  collective {:<9} min {:.3f} mean {:.3f} max {:.3f} s\n", phases[phase], spread.least,
                          spread.mean, spread.most);
  }
  return text;
}

void write_text(int fd, std::string_view text) {
  [[maybe_unused]] auto written = ::write(fd, text.data(), text.size());
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20) result += fmt::format("\\u{:04x}", static_cast<int>(c));
    else result += c;
  }
  return result + "\"";
}

}  // namespace

bool statistics_wanted() {
  std::string where = config::text(config::Variable::mpiio_stats);
  return !where.empty() && where != "0";
}

namespace {

/// Path for the lines of JSON; empty: none are written.
std::string lines_path() {
  std::string where = config::text(config::Variable::mpiio_stats);
  return where == "0" || where == "1" ? "" : where;
}

std::string line_of(const File& file) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{{\"file\":{},\"ranks\":{},{}\n", quoted(file.path()), file.comm().size(),
                     file.statistics.json(file.comm().rank(), host.data()).substr(1));
}

std::string kept_path(const File& file, const std::string& where) {
  return fmt::format("{}.open-{}-{:06}", where, file.comm().number(), file.comm().rank());
}

}  // namespace

void keep(const File& file) {
  std::string where = lines_path();
  if (where.empty()) return;
  int fd = ::open(kept_path(file, where).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return;
  std::string line = line_of(file);
  write_text(fd, line);
  [[maybe_unused]] int cut = ::ftruncate(fd, static_cast<off_t>(line.size()));
  ::close(fd);
}

void report(File& file) {
  std::string where = lines_path();
  std::vector<Figures> all = file.coll().gather(figures_of(file.statistics), 0);
  std::vector<char> texts;
  if (!where.empty()) {
    texts = file.coll().allgatherv<char>(line_of(file));
    ::unlink(kept_path(file, where).c_str());
  }
  if (file.comm().rank() != 0) return;
  write_text(STDERR_FILENO, table_of(file, all));
  if (where.empty()) return;
  int fd = ::open(where.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) {
    log(LogLevel::warning, "ATOLL_MPIIO_STATS: cannot write '{}': {}", where, sentence_of(errno));
    return;
  }
  write_text(fd, {texts.data(), texts.size()});
  ::close(fd);
}

}  // namespace atl::mpi::io
