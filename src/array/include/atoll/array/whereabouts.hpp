// SPDX-License-Identifier: Apache-2.0
// What the PEs of an SPMD session are doing in their program, for the error that says where they have diverged.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/ids.hpp"

namespace atl::runtime {
class Context;
}

namespace atl::array {

class Engine;

/// A text of each PE, which the others read without its help: "in ndarray.sum (sums.py:4: `print(a.sum())`)".
class Whereabouts {
 public:
  static constexpr std::size_t longest = 1000;

  /// Collective.
  explicit Whereabouts(Engine& engine);
  /// After the PEs have met for the last time; else the memory stays, as others may read it.
  ~Whereabouts();
  Whereabouts(const Whereabouts&) = delete;
  Whereabouts& operator=(const Whereabouts&) = delete;

  /// Replaces this PE's text.
  void show(std::string_view text);
  /// The PEs have diverged: this PE's text stays as it is, and so does the memory.
  void freeze() { frozen_ = true; }
  /// What the PEs do, in a sentence: "PE 0 in …; PEs 1, 2 at the end of the script". Waits until `deadline` for PEs
  /// that have shown nothing. Empty: no other PE is known to do anything else than this one.
  std::string differences(Deadline deadline);

 private:
  struct Note;
  std::optional<std::string> text_of(std::uint32_t pe) const;

  std::shared_ptr<runtime::Context> context_;
  std::uint32_t pe_;
  std::vector<PeId> pes_;
  std::vector<HeapOffset> places_;  // of the PEs' notes
  Note* note_ = nullptr;
  bool frozen_ = false;
};

/// The text of an error: what PEs do, what an SPMD script is, and how it was noticed, if that tells more.
std::string divergence(const std::string& differences, const std::string& cause);

/// The text of an error, the same on all PEs, when they are about to run different operations; else empty. `digest` is
/// that of this PE's operation and arguments, `where` its text. Collective.
std::string difference_between(Engine& engine, std::uint64_t digest, const std::string& where);

/// Of an operation, its arguments and the line that called it.
std::uint64_t digest_of(std::span<const std::byte> call, std::string_view where);

}  // namespace atl::array
