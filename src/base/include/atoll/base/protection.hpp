// SPDX-License-Identifier: Apache-2.0
// Protection of messages between hosts: records with an authentication tag, and key agreement by public keys. The
// algorithms are OpenSSL's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "atoll/base/challenge.hpp"

namespace atl {

/// Choices of ATOLL_NETWORK_SECURITY, in its order.
enum class Protection : std::uint32_t {
  auth,     ///< records are authenticated, so that they cannot be changed or forged, but are readable on the network
  encrypt,  ///< records are authenticated and encrypted
  none,     ///< no protection: for trusted networks
};

/// The value of ATOLL_NETWORK_SECURITY.
Protection network_protection();
std::string_view name_of(Protection protection);

/// One end of one direction of a connection. The records of a direction are numbered, and the tag covers the number, so
/// that a record that is dropped, replayed or out of order is rejected like a changed one.
///
/// `auth`: GMAC with AES-256, or Poly1305 (ChaCha20-Poly1305 without a text). Each has a key of its own. `encrypt`:
/// AES-256-GCM.
class Seal {
 public:
  static constexpr std::size_t tag_bytes = 16;
  /// What makes the tag of a record of `auth`. The sender chooses, and the receiver has to be told.
  enum class Tag : std::uint8_t { gmac, poly1305 };

  /// Throws SetupError when there is no libcrypto.
  Seal(const StreamKeys& keys, Protection protection);

  /// The faster one for a record of that many bytes, with this libcrypto on this processor. 88 bytes take GMAC 230 ns
  /// and Poly1305 590 ns. 64 KiB take 7.5 us and 5.2 us with OpenSSL 3.0, 2.9 us and 5.3 us with OpenSSL 3.5, whose
  /// GMAC uses AVX-512. Measured at the first call, which takes about 100 us.
  Tag faster_tag(std::size_t bytes) const;

  /// Precomputes the part of the next record that does not depend on its content, a third of the time of a short one.
  /// Call it when the thread is idle.
  void prepare();
  /// Seals the next record to send: encrypts it in place, if the protection is `encrypt`, and makes its tag.
  void close(std::byte* record, std::size_t bytes, std::byte* tag, Tag kind = Tag::gmac);
  /// Opens the next received record: true if it is authentic, and then decrypts it in place; else its content is
  /// undefined, and the connection must end.
  [[nodiscard]] bool open(std::byte* record, std::size_t bytes, const std::byte* tag, Tag kind = Tag::gmac);

 private:
  struct Free {
    void operator()(void* context) const;
  };
  using Context = std::unique_ptr<void, Free>;

  static Tag measure();
  void make_tag(const std::byte* record, std::size_t bytes, std::byte* tag, Tag kind);
  const unsigned char* nonce();

  Protection protection_;
  std::uint8_t nonce_[12]{};
  std::uint64_t number_ = 0;  // of the next record
  bool prepared_ = false;  // gcm_ has its nonce
  Context gcm_, poly1305_;
};

/// A random key pair of X25519 (RFC 7748): two processes that know one another's public keys share a secret, which is
/// never sent over a network.
class KeyPair {
 public:
  static constexpr std::size_t public_bytes = 32;

  /// Throws SetupError when there is no libcrypto.
  KeyPair();
  /// The public key, `public_bytes` long.
  const std::string& public_key() const { return public_; }
  /// The secret shared with the owner of the public key `other`; empty when `other` is not a key.
  std::string agree(std::string_view other) const;

 private:
  struct Free {
    void operator()(void* key) const;
  };
  std::unique_ptr<void, Free> key_;
  std::string public_;
};

}  // namespace atl
