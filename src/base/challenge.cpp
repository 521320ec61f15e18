// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/challenge.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "atoll/base/digest.hpp"
#include "atoll/base/error.hpp"

namespace atl {
namespace {

std::string_view name_of(Side side) { return side == Side::initiator ? "initiator" : "responder"; }

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t have = 0; have < count;) {
    ssize_t got = ::getrandom(bytes.data() + have, count - have, 0);
    if (got < 0 && errno != EINTR) throw_errno("cannot get random numbers from the kernel (getrandom)");
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string Challenge::proof_of(Side side) const {
  return hmac_sha256(secret_, std::string("proof of ").append(name_of(side)).append(hello_).append(nonce_));
}

bool Challenge::is_proof_of(Side side, std::string_view proof) const { return same_digest(proof, proof_of(side)); }

std::string Challenge::acceptance() const {
  return hmac_sha256(secret_, std::string("acceptance").append(hello_).append(nonce_));
}

bool Challenge::is_acceptance(std::string_view text) const { return same_digest(text, acceptance()); }

StreamKeys Challenge::keys_of(Side sender) const {
  std::string material =
      expand_key(extract_key(hello_ + nonce_, secret_), std::string("stream of ").append(name_of(sender)), 68);
  StreamKeys keys;
  std::memcpy(keys.gcm.data(), material.data(), keys.gcm.size());
  std::memcpy(keys.poly1305.data(), material.data() + 32, keys.poly1305.size());
  std::memcpy(keys.salt.data(), material.data() + 64, keys.salt.size());
  return keys;
}

}  // namespace atl
