// SPDX-License-Identifier: Apache-2.0
// OpenSSL's libcrypto, loaded when a connection between hosts is first to be protected: no program on one host needs
// it, and building Atoll needs none of its headers. These functions are the same in OpenSSL 1.1.1 and 3.
#pragma once

#include <cstddef>

namespace atl {

struct Libcrypto {
  void* (*cipher_new)();
  void (*cipher_free)(void* context);
  const void* (*aes_256_gcm)();
  const void* (*chacha20_poly1305)();
  int (*encrypt_init)(void* context, const void* cipher, void* engine, const unsigned char* key,
                      const unsigned char* nonce);
  int (*encrypt_update)(void* context, unsigned char* out, int* out_bytes, const unsigned char* in, int in_bytes);
  int (*encrypt_final)(void* context, unsigned char* out, int* out_bytes);
  int (*decrypt_init)(void* context, const void* cipher, void* engine, const unsigned char* key,
                      const unsigned char* nonce);
  int (*decrypt_update)(void* context, unsigned char* out, int* out_bytes, const unsigned char* in, int in_bytes);
  int (*decrypt_final)(void* context, unsigned char* out, int* out_bytes);
  int (*cipher_control)(void* context, int what, int bytes, void* data);
  void* (*private_key)(int type, void* engine, const unsigned char* key, std::size_t bytes);
  void* (*public_key)(int type, void* engine, const unsigned char* key, std::size_t bytes);
  int (*get_public_key)(const void* key, unsigned char* out, std::size_t* bytes);
  void (*key_free)(void* key);
  void* (*agreement_new)(void* key, void* engine);
  void (*agreement_free)(void* agreement);
  int (*agreement_init)(void* agreement);
  int (*agreement_set_peer)(void* agreement, void* key);
  int (*agreement_derive)(void* agreement, unsigned char* out, std::size_t* bytes);
};

/// Throws SetupError that says what to install when there is none.
const Libcrypto& libcrypto();

}  // namespace atl
