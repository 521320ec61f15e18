// SPDX-License-Identifier: Apache-2.0
#include "libcrypto.hpp"

#include <dlfcn.h>

#include "atoll/base/validate.hpp"

namespace atl {
namespace {

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  ATOLL_VALIDATE(function != nullptr, SetupError,
                 "OpenSSL's libcrypto has no {} (it is older than 1.1.1, or another library). "
                 "Install OpenSSL 1.1.1 or newer on every host?",
                 name);
}

Libcrypto load() {
  void* handle = nullptr;
  for (const char* name : {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"})
    if (handle == nullptr) handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  ATOLL_VALIDATE(
      handle != nullptr, SetupError,
      "cannot load OpenSSL's libcrypto (connections between hosts are authenticated with it). "
      "Install it on every host (Debian: libssl3), or set ATOLL_NETWORK_SECURITY=none if the network is trusted?");
  Libcrypto found{};
  find(handle, "EVP_CIPHER_CTX_new", found.cipher_new);
  find(handle, "EVP_CIPHER_CTX_free", found.cipher_free);
  find(handle, "EVP_aes_256_gcm", found.aes_256_gcm);
  find(handle, "EVP_chacha20_poly1305", found.chacha20_poly1305);
  find(handle, "EVP_EncryptInit_ex", found.encrypt_init);
  find(handle, "EVP_EncryptUpdate", found.encrypt_update);
  find(handle, "EVP_EncryptFinal_ex", found.encrypt_final);
  find(handle, "EVP_DecryptInit_ex", found.decrypt_init);
  find(handle, "EVP_DecryptUpdate", found.decrypt_update);
  find(handle, "EVP_DecryptFinal_ex", found.decrypt_final);
  find(handle, "EVP_CIPHER_CTX_ctrl", found.cipher_control);
  find(handle, "EVP_PKEY_new_raw_private_key", found.private_key);
  find(handle, "EVP_PKEY_new_raw_public_key", found.public_key);
  find(handle, "EVP_PKEY_get_raw_public_key", found.get_public_key);
  find(handle, "EVP_PKEY_free", found.key_free);
  find(handle, "EVP_PKEY_CTX_new", found.agreement_new);
  find(handle, "EVP_PKEY_CTX_free", found.agreement_free);
  find(handle, "EVP_PKEY_derive_init", found.agreement_init);
  find(handle, "EVP_PKEY_derive_set_peer", found.agreement_set_peer);
  find(handle, "EVP_PKEY_derive", found.agreement_derive);
  return found;
}

}  // namespace

const Libcrypto& libcrypto() {
  static const Libcrypto loaded = load();
  return loaded;
}

}  // namespace atl
