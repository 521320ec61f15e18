// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/protection.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "atoll/base/clock.hpp"
#include "atoll/base/config.hpp"
#include "atoll/base/validate.hpp"
#include "libcrypto.hpp"

namespace atl {
namespace {

// Of libcrypto's headers.
constexpr int get_tag = 0x10, set_tag = 0x11;
constexpr int x25519 = 1034;
// Of a record shorter than that GMAC makes the tag sooner, everywhere.
constexpr std::size_t least_poly1305 = 4096;

unsigned char* bytes_of(std::byte* at) { return reinterpret_cast<unsigned char*>(at); }
const unsigned char* bytes_of(const std::byte* at) { return reinterpret_cast<const unsigned char*>(at); }
const unsigned char* bytes_of(std::string_view at) { return reinterpret_cast<const unsigned char*>(at.data()); }

void succeed(int status) {
  ATOLL_VALIDATE(status == 1, Error, "OpenSSL's libcrypto fails in the protection of the network");
}

bool same_tag(const std::byte* one, const std::byte* other) {
  std::uint64_t a[2], b[2];
  std::memcpy(a, one, sizeof(a));
  std::memcpy(b, other, sizeof(b));
  return ((a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}

}  // namespace

Protection network_protection() { return static_cast<Protection>(config::choice(config::Variable::network_security)); }

std::string_view name_of(Protection protection) {
  switch (protection) {
    case Protection::auth: return "auth";
    case Protection::encrypt: return "encrypt";
    case Protection::none: break;
  }
  return "none";
}

void Seal::Free::operator()(void* context) const { libcrypto().cipher_free(context); }

Seal::Seal(const StreamKeys& keys, Protection protection) : protection_(protection) {
  if (protection == Protection::none) return;
  std::memcpy(nonce_, keys.salt.data(), keys.salt.size());
  auto make = [](const void* cipher, const std::uint8_t* key) {
    Context context(libcrypto().cipher_new());
    if (!context) raise<MemoryError>("no memory to protect a connection between hosts");
    succeed(libcrypto().encrypt_init(context.get(), cipher, nullptr, key, nullptr));
    return context;
  };
  gcm_ = make(libcrypto().aes_256_gcm(), keys.gcm.data());
  if (protection == Protection::auth) poly1305_ = make(libcrypto().chacha20_poly1305(), keys.poly1305.data());
}

const unsigned char* Seal::nonce() {
  for (std::size_t i = 0; i < sizeof(number_); ++i)
    nonce_[sizeof(nonce_) - 1 - i] = static_cast<std::uint8_t>(number_ >> 8 * i);
  return nonce_;
}

void Seal::prepare() {
  if (protection_ != Protection::auth || prepared_) return;
  succeed(libcrypto().encrypt_init(gcm_.get(), nullptr, nullptr, nullptr, nonce()));
  prepared_ = true;
}

Seal::Tag Seal::measure() {
  constexpr int trials = 10;  // the best of them counts: the thread may lose its core in others
  const std::vector<std::byte> record(std::size_t{16} << 10);
  Seal seal(StreamKeys{}, Protection::auth);
  auto time = [&](Tag kind) {
    std::int64_t best = INT64_MAX;
    for (int trial = 0; trial < trials; ++trial) {
      const std::int64_t begin = now_ns();
      std::byte tag[tag_bytes];
      seal.make_tag(record.data(), record.size(), tag, kind);
      best = std::min(best, now_ns() - begin);
    }
    return best;
  };
  return time(Tag::poly1305) < time(Tag::gmac) ? Tag::poly1305 : Tag::gmac;
}

Seal::Tag Seal::faster_tag(std::size_t bytes) const {
  if (protection_ != Protection::auth || bytes < least_poly1305) return Tag::gmac;
  static const Tag faster = measure();
  return faster;
}

void Seal::make_tag(const std::byte* record, std::size_t bytes, std::byte* tag, Tag kind) {
  const Libcrypto& crypto = libcrypto();
  int out = 0;
  unsigned char none = 0;
  bool is_gmac = kind == Tag::gmac;
  void* context = is_gmac ? gcm_.get() : poly1305_.get();
  if (!is_gmac || !prepared_) succeed(crypto.encrypt_init(context, nullptr, nullptr, nullptr, nonce()));
  prepared_ = false;
  ++number_;
  succeed(crypto.encrypt_update(context, nullptr, &out, bytes_of(record), static_cast<int>(bytes)));
  succeed(crypto.encrypt_final(context, &none, &out));
  succeed(crypto.cipher_control(context, get_tag, tag_bytes, tag));
}

void Seal::close(std::byte* record, std::size_t bytes, std::byte* tag, Tag kind) {
  if (protection_ == Protection::none) return;
  if (protection_ == Protection::auth) return make_tag(record, bytes, tag, kind);
  const Libcrypto& crypto = libcrypto();
  int out = 0;
  succeed(crypto.encrypt_init(gcm_.get(), nullptr, nullptr, nullptr, nonce()));
  ++number_;
  succeed(crypto.encrypt_update(gcm_.get(), bytes_of(record), &out, bytes_of(record), static_cast<int>(bytes)));
  succeed(crypto.encrypt_final(gcm_.get(), bytes_of(record), &out));
  succeed(crypto.cipher_control(gcm_.get(), get_tag, tag_bytes, tag));
}

bool Seal::open(std::byte* record, std::size_t bytes, const std::byte* tag, Tag kind) {
  if (protection_ == Protection::none) return true;
  if (protection_ == Protection::auth) {
    std::byte own[tag_bytes];
    make_tag(record, bytes, own, kind);
    return same_tag(own, tag);
  }
  const Libcrypto& crypto = libcrypto();
  int out = 0;
  succeed(crypto.decrypt_init(gcm_.get(), nullptr, nullptr, nullptr, nonce()));
  ++number_;
  succeed(crypto.decrypt_update(gcm_.get(), bytes_of(record), &out, bytes_of(record), static_cast<int>(bytes)));
  succeed(crypto.cipher_control(gcm_.get(), set_tag, tag_bytes, const_cast<std::byte*>(tag)));
  return crypto.decrypt_final(gcm_.get(), bytes_of(record), &out) == 1;
}

void KeyPair::Free::operator()(void* key) const { libcrypto().key_free(key); }

KeyPair::KeyPair() : public_(public_bytes, '\0') {
  std::string secret = random_bytes(public_bytes);
  key_.reset(libcrypto().private_key(x25519, nullptr, bytes_of(secret), secret.size()));
  std::size_t bytes = public_.size();
  bool made = key_ != nullptr &&
              libcrypto().get_public_key(key_.get(), reinterpret_cast<unsigned char*>(public_.data()), &bytes) == 1;
  ATOLL_VALIDATE(made && bytes == public_bytes, SetupError,
                 "OpenSSL's libcrypto makes no keys of X25519 (it may be restricted to other "
                 "algorithms). Set ATOLL_NETWORK_SECURITY=none if the network is trusted?");
}

std::string KeyPair::agree(std::string_view other) const {
  const Libcrypto& crypto = libcrypto();
  std::unique_ptr<void, Free> peer(crypto.public_key(x25519, nullptr, bytes_of(other), other.size()));
  if (!peer) return {};
  std::unique_ptr<void, void (*)(void*)> agreement(crypto.agreement_new(key_.get(), nullptr), crypto.agreement_free);
  std::string secret(public_bytes, '\0');
  std::size_t bytes = secret.size();
  bool agreed = agreement != nullptr && crypto.agreement_init(agreement.get()) == 1 &&
                crypto.agreement_set_peer(agreement.get(), peer.get()) == 1 &&
                crypto.agreement_derive(agreement.get(), reinterpret_cast<unsigned char*>(secret.data()), &bytes) == 1;
  return agreed && bytes == secret.size() ? secret : std::string();
}

}  // namespace atl
