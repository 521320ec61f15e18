// SPDX-License-Identifier: Apache-2.0
// What PMI-1 and PMI-2 have in common: the launcher keeps a table of short texts. Values are encoded and cut into
// pieces that fit; everybody's values are gathered in log2(size) rounds instead of by size look-ups each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/bootstrap/bootstrap.hpp"

namespace atl::runtime {

class TableBootstrap : public Bootstrap {
 public:
  TableBootstrap(std::uint32_t rank, std::uint32_t size) : rank_(rank), size_(size) {}

  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  void publish(std::string_view key, std::string_view value) override;
  void exchange(Deadline deadline) override;
  std::string lookup(std::uint32_t rank, std::string_view key) override;
  /// By recursive doubling (Bruck, Ho, Kipnis, Upfal, Weathersby 1997): in round k from the process 2^k before.
  std::vector<std::string> allgather(std::string_view key, std::string_view mine, Deadline deadline) override;

 protected:
  // Keys are up to 60 characters of [0-9a-zA-Z._-]; values up to value_bytes_ of [0-9a-zA-Z._:-].
  virtual void put(const std::string& key, const std::string& value) = 0;
  virtual void fence(Deadline deadline) = 0;
  virtual std::optional<std::string> get(const std::string& key) = 0;
  std::size_t value_bytes_ = 256;

 private:
  std::string name_of(std::uint32_t rank, std::uint32_t round, std::string_view key, std::size_t piece) const;

  std::uint32_t rank_, size_;
  std::uint32_t round_ = 0;
  std::map<std::string, std::string, std::less<>> pending_;
  std::map<std::string, std::uint32_t, std::less<>> published_;  // in which round we published a key last
};

/// Bytes as text of [0-9a-zA-Z._], and back. decode throws SetupError for anything else.
std::string encode(std::string_view bytes);
std::string decode(std::string_view text);

/// Several values as one, and back.
std::string join_values(const std::vector<std::string>& values);
std::vector<std::string> split_values(std::string_view joined);

}  // namespace atl::runtime
