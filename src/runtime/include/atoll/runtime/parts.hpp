// SPDX-License-Identifier: Apache-2.0
// References to the parts of a Context, for callers that do not include context.hpp.
#pragma once

namespace atl::fabric {
class Job;
}

namespace atl::runtime {

class Board;
class Context;
class Counters;
class Directory;
class FailureDetector;
class ForeignMemory;
class Meeting;
class Messenger;
class OneSided;
class PeMemory;
class Progress;

/// Valid as long as the Context. A caller includes the headers of the parts that it uses.
struct Parts {
  explicit Parts(Context& context);

  fabric::Job& job;
  OneSided& one_sided;
  PeMemory& memory;
  Progress& progress;
  FailureDetector& failures;
  Messenger& messenger;
  Counters& counters;
  Board& board;
  Directory& directory;
  Meeting& meeting;
  ForeignMemory& foreign_memory;
};

}  // namespace atl::runtime
