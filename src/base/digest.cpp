// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/digest.hpp"

#include <bit>

namespace atl {
namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::size_t digest_bytes = 32;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void compress(State& state, std::string_view block) {
  std::array<std::uint32_t, 64> word{};
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t byte = 0; byte < 4; ++byte)
      word[i] = word[i] << 8 | static_cast<std::uint8_t>(block[4 * i + byte]);
  for (std::size_t i = 16; i < 64; ++i) {
    std::uint32_t small0 = std::rotr(word[i - 15], 7) ^ std::rotr(word[i - 15], 18) ^ (word[i - 15] >> 3);
    std::uint32_t small1 = std::rotr(word[i - 2], 17) ^ std::rotr(word[i - 2], 19) ^ (word[i - 2] >> 10);
    word[i] = word[i - 16] + small0 + word[i - 7] + small1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    std::uint32_t big1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    std::uint32_t first = h + big1 + ((e & f) ^ (~e & g)) + round_constants[i] + word[i];
    std::uint32_t big0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    std::uint32_t second = big0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  State added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

}  // namespace

Digest sha256(std::string_view text) {
  // The first 32 bits of the fractional parts of the square roots of the first 8 primes.
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % block_bytes != block_bytes - 8) padded += '\0';
  std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) padded += static_cast<char>(bits >> shift);
  for (std::size_t at = 0; at < padded.size(); at += block_bytes)
    compress(state, std::string_view(padded).substr(at, block_bytes));
  Digest digest;
  for (std::uint32_t word : state)
    for (int shift = 24; shift >= 0; shift -= 8) digest += static_cast<char>(word >> shift);
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  std::string padded = key.size() > block_bytes ? sha256(key) : std::string(key);
  padded.resize(block_bytes, '\0');
  std::string inner = padded, outer = padded;
  for (char& byte : inner) byte = static_cast<char>(byte ^ 0x36);
  for (char& byte : outer) byte = static_cast<char>(byte ^ 0x5c);
  return sha256(outer + sha256(inner.append(text)));
}

bool same_digest(std::string_view one, std::string_view other) {
  if (one.size() != digest_bytes || other.size() != digest_bytes) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < digest_bytes; ++i) difference |= static_cast<unsigned>(one[i] ^ other[i]) & 0xFF;
  return difference == 0;
}

Digest extract_key(std::string_view salt, std::string_view material) { return hmac_sha256(salt, material); }

std::string expand_key(std::string_view key, std::string_view purpose, std::size_t bytes) {
  std::string made, block;
  for (char number = 1; made.size() < bytes; ++number) {
    block = hmac_sha256(key, block.append(purpose).append(1, number));
    made += block;
  }
  made.resize(bytes);
  return made;
}

}  // namespace atl
