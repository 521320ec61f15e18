// SPDX-License-Identifier: Apache-2.0
#include "kernel/csv/records.hpp"

#include <algorithm>

#include "atoll/base/validate.hpp"

namespace atl::table {
namespace {

// What a window's bytes and ends take stays in the second cache while its columns are gone through.
constexpr std::size_t window_bytes = 64 << 10;
constexpr std::size_t shown_bytes = 100;  // of a bad line

}  // namespace

CsvWindows::CsvWindows(const CsvText& text, const CsvDialect& dialect, std::size_t fields)
    : text_(text.data()), size_(text.size()), skip_bad_(dialect.skip_bad), fields_(fields), base_(text.data()) {
  ATOLL_VALIDATE(fields > 0, ValueError, "records have a field at least");
  scan_.separator = dialect.separator;
  scan_.quotes = dialect.quote.has_value();
  scan_.quote = dialect.quote.value_or('"');
  // The last record ends as all others do.
  if (char* end = text.data() + size_; size_ > 0 && end[-1] != '\n' && end[-1] != '\r') {
    *end = '\n';
    ++size_;
  }
}

bool CsvWindows::next() {
  if (fault) return false;
  // What is left of a record that goes on behind the window comes first.
  if (passed_ > 0) {
    const std::uint32_t by = ends()[passed_ - 1] + 1;
    for (std::size_t i = passed_; i < used_; ++i) ends()[i - passed_] = ends()[i] - by;
    used_ -= passed_;
    base_ += by;
    scanned_ -= by;
    passed_ = 0;
  }
  runs_.clear();
  rows_ = 0;
  for (;;) {
    const std::size_t left = size_ - static_cast<std::size_t>(base_ - text_) - scanned_;
    if (left == 0) break;
    const std::size_t some = std::min(left, window_bytes);
    ATOLL_VALIDATE(scanned_ + some < std::size_t{0xffffff00}, ValueError, "a record has 4 GiB");
    if (const std::size_t needed = used_ + some + 16; room_ < needed) {
      auto larger = std::make_unique_for_overwrite<std::uint32_t[]>(2 * needed);
      if (used_ > 0) std::copy_n(ends_.get(), used_ + 1, larger.get());
      ends_ = std::move(larger);
      room_ = 2 * needed;
    }
    ends_[0] = UINT32_MAX;  // behind it is 0
    if (used_ == 0) scan_.doubled = false;
    used_ += scan_fields(scan_, base_, scanned_, scanned_ + some, ends() + used_);
    scanned_ += some;
    std::size_t count = used_;
    while (count > 0 && !ends_line(count - 1)) --count;
    if (count == 0) continue;
    find_runs(count);
    if (fault) return false;
    passed_ = count;
    scan_.lines = 0;
    return true;
  }
  if (used_ > 0 || scanned_ > 0) {  // a record without an end: quotes hide the appended line end
    fault = CsvFault{"a quote is not closed", static_cast<std::size_t>(base_ - text_), std::nullopt};
    return false;
  }
  return false;
}

void CsvWindows::find_runs(std::size_t count) {
  bool good = count % fields_ == 0;
  if (good) {
    std::size_t lines = 0;
    for (std::size_t i = fields_ - 1; i < count; i += fields_) lines += ends_line(i);
    good = lines == scan_.lines && lines * fields_ == count;
  }
  if (good && fields_ == 1) {  // lines of nothing are no records
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t begin = ends()[static_cast<std::ptrdiff_t>(i) - 1] + 1;
      good &= ends()[i] != begin && !(ends()[i] == begin + 1 && base_[begin] == '\r');
    }
  }
  if (!good) {
    find_runs_slowly(count);
    return;
  }
  rows_ = count / fields_;
  runs_.push_back({ends(), rows_});
}

void CsvWindows::find_runs_slowly(std::size_t count) {
  std::size_t first = 0;
  CsvRun run{ends(), 0};
  auto close = [&] {
    if (run.rows > 0) runs_.push_back(run);
    rows_ += run.rows;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (!ends_line(i)) continue;
    const std::uint32_t begin = ends()[static_cast<std::ptrdiff_t>(first) - 1] + 1, end = ends()[i];
    const bool nothing = i == first && (begin == end || (begin + 1 == end && base_[begin] == '\r'));
    if (!nothing && i + 1 - first == fields_) {
      ++run.rows;
    } else {
      if (!nothing) bad_line(first, i);
      if (fault) return;
      close();
      run = {ends() + i + 1, 0};
    }
    first = i + 1;
  }
  close();
}

void CsvWindows::bad_line(std::size_t first, std::size_t last) {
  ++skipped;
  if (skip_bad_) return;
  const std::uint32_t begin = ends()[static_cast<std::ptrdiff_t>(first) - 1] + 1, end = ends()[last];
  std::string shown(base_ + begin, std::min<std::size_t>(end - begin, shown_bytes));
  if (shown.size() < end - begin) shown += "…";
  const std::size_t found = last + 1 - first;
  fault = CsvFault{fmt::format("expected {} value{}, got {}: {}", fields_, fields_ == 1 ? "" : "s", found, shown),
                   static_cast<std::size_t>(base_ - text_) + begin, std::nullopt};
}

}  // namespace atl::table
