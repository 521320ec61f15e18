// SPDX-License-Identifier: Apache-2.0
// The mutual challenge at the start of every connection between hosts. Both sides know a secret. Each sends a fresh
// random nonce, and proves knowledge of the secret by an HMAC over both nonces and over what the initiator said first
// (hello). The keys of the connection are derived from the same, so that a recorded connection is worth nothing in
// another one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl {

inline constexpr std::size_t nonce_bytes = 32;
inline constexpr std::size_t proof_bytes = 32;

/// From the kernel's generator. Throws SetupError.
std::string random_bytes(std::size_t count);

/// The side that opens the connection, and the side that accepts it.
enum class Side { initiator, responder };

/// The keys of one direction of a connection.
struct StreamKeys {
  std::array<std::uint8_t, 32> gcm{};
  std::array<std::uint8_t, 32> poly1305{};
  std::array<std::uint8_t, 4> salt{};  ///< the first bytes of each record's nonce
};

/// One exchange: `hello` with the initiator's nonce in it, and the responder's nonce.
class Challenge {
 public:
  Challenge(std::string secret, std::string hello, std::string nonce)
      : secret_(std::move(secret)), hello_(std::move(hello)), nonce_(std::move(nonce)) {}

  /// This side's proof that it knows the secret.
  std::string proof_of(Side side) const;
  /// Whether the other side has sent its proof. Takes the same time for every wrong proof.
  bool is_proof_of(Side side, std::string_view proof) const;
  /// The responder's acceptance: it has verified the initiator's proof and uses this connection.
  std::string acceptance() const;
  /// Whether the responder has sent its acceptance. Takes the same time for every wrong one.
  bool is_acceptance(std::string_view acceptance) const;
  /// The keys of the direction in which `sender` sends.
  StreamKeys keys_of(Side sender) const;

 private:
  std::string secret_, hello_, nonce_;
};

}  // namespace atl
