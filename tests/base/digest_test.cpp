// SPDX-License-Identifier: Apache-2.0
// The examples of FIPS 180-4, RFC 4231 and RFC 5869.
#include "atoll/base/digest.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
  return text;
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, HmacKnownAnswers) {
  EXPECT_EQ(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  // A key that is longer than a block.
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Sha256, HkdfKnownAnswer) {
  std::string salt, purpose;
  for (char i = 0; i < 13; ++i) salt += i;
  for (int i = 0xf0; i < 0xfa; ++i) purpose += static_cast<char>(i);
  Digest key = extract_key(salt, std::string(22, '\x0b'));
  EXPECT_EQ(hex(key), "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
  EXPECT_EQ(hex(expand_key(key, purpose, 42)),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
}

TEST(Sha256, OnlyWholeDigestsAreTheSame) {
  Digest one = sha256("one");
  EXPECT_TRUE(same_digest(one, sha256("one")));
  EXPECT_FALSE(same_digest(one, sha256("two")));
  EXPECT_FALSE(same_digest(one, one.substr(0, 31)));
  EXPECT_FALSE(same_digest("", ""));
  for (std::size_t at = 0; at < one.size(); ++at) {
    Digest other = one;
    other[at] = static_cast<char>(other[at] ^ 0x80);
    EXPECT_FALSE(same_digest(one, other));
  }
}

}  // namespace
}  // namespace atl
