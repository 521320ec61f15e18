// SPDX-License-Identifier: Apache-2.0
// What the launcher, its agents (one on each host) and their PEs say to one another, as bytes. All numbers
// little-endian.
//
// A frame:
// | offset | bytes | field | valid when                                                  |
// |--------|-------|-------|-------------------------------------------------------------|
// |   0    |   4   | bytes | length of the body; at most what the reader allows           |
// |   4    |   2   | kind  | FrameKind                                                    |
// |   6    |   2   | zero  |                                                              |
// |   8    | bytes | body  | by kind, see below; a text or list begins with its length (4) |
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl::runtime {

/// Goes up with every change of this file. Both sides of a connection must have the same.
inline constexpr std::uint32_t rendezvous_version = 8;

// `text` is a length and bytes; `entries` is a count and, for each, rank (4), key (text), value (text).
enum class FrameKind : std::uint16_t {
  // Agent and launcher until they trust one another: handshake.hpp has the tables.
  hello = 1,
  challenge,
  proof,
  welcome,         // empty
  refused,         // why (text)

  // Launcher to agent.
  order = 16,      // Order
  table,           // entries: what all PEs have published since the last
  signal,          // number (4)
  end,             // grace in ms (4), then as in failed: tell your PEs, then end them; how is empty: do not tell
  input,           // bytes for PE 0's standard input; none: its end
  leave,           // empty: all is received, or there is nothing to start: go
  end_pe,          // PE (4): the others have been told that it has died
  count_parts,     // Binding (4), the order's peer_timeout_ms (4) and environment (texts): before the order
  guests,          // GuestOrder: start these
  newcomers,       // first of the cohort (4), cards (texts, each a Newcomer): tell your PEs
  guests_admitted, // first of the cohort (4), PEs that have left or died (count, 4 each): all know these guests
  report_ends,     // number (4): report the PEs that have ended and what PEs have sent, then answer ends_reported
  no_more_guests,  // empty: to a host on which the job began with no PE: go when all PEs have ended

  // Agent to launcher.
  started = 32,    // pids (count, 4 each)
  not_started,     // exit status (4), sentence (text)
  output,          // PE (4), 1 standard output or 2 standard error (4), the rest: bytes
  output_end,      // PE (4), 1 or 2 (4)
  joined,          // PE (4): it has asked for the job
  ended,           // PE (4), wait status (4), 1: it had taken leave (4), 0 or 1 + PE that had failed before (4)
  contribution,    // entries: all PEs of this host are in an exchange
  job_abort,       // PE (4), exit status (4), sentence (text), empty: a wish, nothing went wrong
  input_taken,     // bytes of input that have gone to PE 0 (4)
  done,            // empty: all PEs have ended, nothing follows
  late_hosts,      // PE (4): which hosts does the exchange wait for?
  hosts_are_late,  // launcher's answer: PE (4), text
  loss,            // PE (4), lost PE (4), how (text)
  parts_counted,   // how many this host has (4), the answer to count_parts
  guests_started,  // first of the cohort (4), pids in the order of its seats here (count, 4 each)
  guests_refused,  // first of the cohort (4), why (text)
  newcomer,        // PE (4), its card (text, a Newcomer)
  ends_reported, // number (4), the answer to report_ends
  all_admitted,  // first of the cohort (4), a PE's objection or nothing (text): the PEs of this host know these guests

  // PE to its agent. Of these, exchange and the last three are answered.
  pe_hello = 64,  // version (4), PE (4)
  exchange,  // key whose values to send back, or empty (text), entries
  finalize,  // empty
  abort,  // exit status (4), sentence (text)
  lookup,  // rank (4), key (text)
  list_missing,  // empty: which PEs does the exchange wait for? Answered by missing
  lost,  // PE that the network does not reach any more (4), how, with its host (text)
  admitted,  // first of the cohort (4), an objection or nothing (text): the answer to newcomers
  join,  // of a guest: its card (text, a Newcomer). Answered by joined_by
  gather,  // key (text): what the PEs that the job began with have published. Answered by exchanged
  find_memory,  // fabric::JobOptions of the memory of this host's node. Answered by memory_found

  // Agent to PE.
  pe_welcome = 96,  // version (4), PEs (4), host (text), hosts on which the job began with no PE (texts)
  exchanged,  // values of the key by rank: count, texts
  found,  // 1 or 0 (4), value (text)
  missing,  // the PEs that the exchange waits for (text)
  joined_by,  // PEs that have left or died (count, 4 each), cards of all guests (texts)
  failed,  // PE (4), its host or nothing (text), how (text): it has died, and with it the job
  ending,  // empty: the agent is about to kill all PEs of its host
  memory_found,  // 1 or 0 (4), its join_name() or why there is none (text)

  // Passed on by agents.
  survival = 112,  // Survival (4): what the program does about deaths; PE to launcher to all PEs
  died,  // as failed, but the job goes on; launcher to all PEs
  spawn,  // GuestWish; PE to launcher, behind the PE (4)
  spawned,  // request (4), first PE (4), why not or nothing (text); launcher to that PE, behind the PE (4)
  given_up,  // first PE (4), PEs (4): these guests are not wanted, or have not come. PE to launcher to all PEs
};

struct Frame {
  FrameKind kind{};
  std::string body;
};

inline constexpr std::size_t frame_header_bytes = 8;
/// Beyond this a length is not ours.
inline constexpr std::size_t longest_frame = std::size_t{1} << 30;

struct PublishedEntry {
  std::uint32_t rank = 0;
  std::string key;
  std::string value;
};

/// Writes a body.
class Packer {
 public:
  Packer& number(std::uint32_t value);
  Packer& text(std::string_view value);
  Packer& texts(const std::vector<std::string>& values);
  Packer& entries(const std::vector<PublishedEntry>& values);
  Packer& raw(std::string_view bytes);
  const std::string& body() const { return body_; }

 private:
  std::string body_;
};

/// Reads one. Throws SetupError when there is less than asked for.
class Unpacker {
 public:
  explicit Unpacker(std::string_view body) : rest_(body) {}
  std::uint32_t number();
  std::string text();
  std::vector<std::string> texts();
  std::vector<PublishedEntry> entries();
  std::string_view take(std::size_t bytes);
  std::string_view rest() const { return rest_; }
  /// Throws SetupError when something is left.
  void end() const;

 private:
  std::uint32_t count(std::size_t least);

  std::string_view rest_;
};

std::string frame_header(FrameKind kind, std::size_t body_bytes);

struct FrameHeader {
  std::size_t body_bytes = 0;
  FrameKind kind{};
};
/// Throws SetupError when these 8 bytes are not a header, or announce more than `longest`.
FrameHeader parse_frame_header(std::string_view header, std::size_t longest);

}  // namespace atl::runtime
