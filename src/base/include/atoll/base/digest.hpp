// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), HMAC (RFC 2104) and HKDF (RFC 5869), for a few hundred bytes at the start of a connection.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace atl {

/// 32 bytes.
using Digest = std::string;

Digest sha256(std::string_view text);
/// HMAC-SHA256: authenticates `text` with `key`.
Digest hmac_sha256(std::string_view key, std::string_view text);
/// Whether both are equal, in constant time.
bool same_digest(std::string_view one, std::string_view other);

/// HKDF: a key of 32 bytes from `material`, and from that key as many bytes as wanted (at most 8160) for one purpose.
Digest extract_key(std::string_view salt, std::string_view material);
std::string expand_key(std::string_view key, std::string_view purpose, std::size_t bytes);

}  // namespace atl
