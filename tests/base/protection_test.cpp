// SPDX-License-Identifier: Apache-2.0
#include "atoll/base/protection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace atl {
namespace {

struct Record {
  std::vector<std::byte> text;
  std::byte tag[Seal::tag_bytes];
};

// Lengths around the one from which another algorithm may make the tag.
constexpr std::size_t lengths[] = {0, 1, 15, 16, 17, 88, 4095, 4096, 4097, 65536};

struct Kind {
  Protection protection;
  Seal::Tag tag;
  const char* name;
};

class Protected : public ::testing::TestWithParam<Kind> {
 protected:
  Protected() : challenge_("secret", "hello", random_bytes(nonce_bytes)) {}
  Seal end() { return Seal(challenge_.keys_of(Side::initiator), GetParam().protection); }
  static Record make(Seal& seal, std::size_t bytes, std::uint8_t fill) {
    Record record{std::vector<std::byte>(bytes, std::byte{fill}), {}};
    seal.close(record.text.data(), bytes, record.tag, GetParam().tag);
    return record;
  }
  static bool open(Seal& seal, Record& record, Seal::Tag tag = GetParam().tag) {
    return seal.open(record.text.data(), record.text.size(), record.tag, tag);
  }

  Challenge challenge_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Protected,
                         ::testing::Values(Kind{Protection::auth, Seal::Tag::gmac, "gmac"},
                                           Kind{Protection::auth, Seal::Tag::poly1305, "poly1305"},
                                           Kind{Protection::encrypt, Seal::Tag::gmac, "encrypt"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Protected, RecordsInOrderAreOpened) {
  Seal sender = end(), receiver = end();
  for (std::size_t bytes : lengths) {
    Record record = make(sender, bytes, 7);
    bool readable =
        std::all_of(record.text.begin(), record.text.end(), [](std::byte one) { return one == std::byte{7}; });
    if (bytes > 1) { EXPECT_EQ(readable, GetParam().protection == Protection::auth) << bytes; }
    ASSERT_TRUE(open(receiver, record)) << bytes;
    EXPECT_EQ(record.text, std::vector<std::byte>(bytes, std::byte{7}));
  }
}

TEST_P(Protected, PreparationChangesNothing) {
  Seal sender = end(), receiver = end();
  for (int round = 0; round < 2; ++round)
    for (std::size_t bytes : lengths) {
      sender.prepare();
      if (round == 0) receiver.prepare();
      Record record = make(sender, bytes, 7);
      ASSERT_TRUE(open(receiver, record)) << bytes;
    }
}

TEST_P(Protected, AnyFlippedBitIsNoticed) {
  for (std::size_t bytes : lengths)
    for (std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1, bytes, bytes + Seal::tag_bytes - 1}) {
      if (at >= bytes + Seal::tag_bytes) continue;
      Seal sender = end(), receiver = end();
      Record record = make(sender, bytes, 7);
      std::byte& changed = at < bytes ? record.text[at] : record.tag[at - bytes];
      changed ^= std::byte{0x10};
      EXPECT_FALSE(open(receiver, record)) << bytes << " bytes, byte " << at;
    }
}

TEST_P(Protected, ReplaysGapsAndExchangesAreNoticed) {
  for (std::size_t bytes : lengths) {
    Seal sender = end(), replayed = end(), exchanged = end();
    Record first = make(sender, bytes, 1), second = make(sender, bytes, 2), again = first;
    EXPECT_TRUE(open(replayed, first));
    EXPECT_FALSE(open(replayed, again)) << bytes;
    EXPECT_FALSE(open(exchanged, second)) << bytes;
  }
}

TEST_P(Protected, CutRecordsAreNoticed) {
  for (std::size_t bytes : lengths) {
    if (bytes == 0) continue;
    Seal sender = end(), receiver = end();
    Record record = make(sender, bytes, 1);
    record.text.pop_back();
    EXPECT_FALSE(open(receiver, record)) << bytes;
  }
}

TEST_P(Protected, EachDirectionHasKeysOfItsOwn) {
  Seal sender = end(), other(challenge_.keys_of(Side::responder), GetParam().protection);
  Record record = make(sender, 100, 1);
  EXPECT_FALSE(open(other, record));
}

TEST(Seal, RefusesARecordWhoseTagIsOfTheOtherKind) {
  const StreamKeys keys = Challenge("secret", "hello", "nonce").keys_of(Side::initiator);
  for (std::size_t bytes : lengths)
    for (Seal::Tag made : {Seal::Tag::gmac, Seal::Tag::poly1305}) {
      Seal sender(keys, Protection::auth), receiver(keys, Protection::auth);
      std::vector<std::byte> record(bytes, std::byte{7});
      std::byte tag[Seal::tag_bytes];
      sender.close(record.data(), bytes, tag, made);
      const Seal::Tag other = made == Seal::Tag::gmac ? Seal::Tag::poly1305 : Seal::Tag::gmac;
      EXPECT_FALSE(receiver.open(record.data(), bytes, tag, other)) << bytes;
    }
}

TEST(Seal, RecordsWithTagsOfBothKindsFollowOneAnother) {
  const StreamKeys keys = Challenge("secret", "hello", "nonce").keys_of(Side::initiator);
  Seal sender(keys, Protection::auth), receiver(keys, Protection::auth);
  for (int i = 0; i < 8; ++i) {
    const Seal::Tag kind = i % 3 == 0 ? Seal::Tag::poly1305 : Seal::Tag::gmac;
    std::vector<std::byte> record(5000, static_cast<std::byte>(i));
    std::byte tag[Seal::tag_bytes];
    if (i % 2 == 0) sender.prepare();
    sender.close(record.data(), record.size(), tag, kind);
    EXPECT_TRUE(receiver.open(record.data(), record.size(), tag, kind)) << i;
  }
}

TEST(Seal, ChoosesGmacForShortRecordsAndForEncryption) {
  EXPECT_EQ(Seal({}, Protection::auth).faster_tag(88), Seal::Tag::gmac);
  EXPECT_EQ(Seal({}, Protection::encrypt).faster_tag(65536), Seal::Tag::gmac);
}

TEST(Challenge, ProofsDifferBySideSecretHelloAndNonce) {
  Challenge one("secret", "hello", "nonce");
  EXPECT_TRUE(one.is_proof_of(Side::initiator, Challenge("secret", "hello", "nonce").proof_of(Side::initiator)));
  EXPECT_FALSE(one.is_proof_of(Side::initiator, one.proof_of(Side::responder)));
  for (const Challenge& other : {Challenge("Secret", "hello", "nonce"), Challenge("secret", "Hello", "nonce"),
                                 Challenge("secret", "hello", "Nonce")}) {
    EXPECT_FALSE(one.is_proof_of(Side::initiator, other.proof_of(Side::initiator)));
    EXPECT_NE(one.keys_of(Side::initiator).gcm, other.keys_of(Side::initiator).gcm);
  }
  EXPECT_FALSE(one.is_proof_of(Side::initiator, ""));
}

TEST(Challenge, OnlyTheSameChallengeAccepts) {
  Challenge one("secret", "hello", "nonce");
  EXPECT_TRUE(one.is_acceptance(Challenge("secret", "hello", "nonce").acceptance()));
  for (const Challenge& other : {Challenge("Secret", "hello", "nonce"), Challenge("secret", "Hello", "nonce"),
                                 Challenge("secret", "hello", "Nonce")})
    EXPECT_FALSE(one.is_acceptance(other.acceptance()));
  EXPECT_FALSE(one.is_acceptance(one.proof_of(Side::responder)));
}

TEST(KeyPair, OnlyBothSidesAgree) {
  KeyPair one, two, stranger;
  std::string secret = one.agree(two.public_key());
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_EQ(secret, two.agree(one.public_key()));
  EXPECT_NE(secret, stranger.agree(one.public_key()));
  EXPECT_NE(secret, stranger.agree(two.public_key()));
}

TEST(KeyPair, RefusesAnInvalidKey) {
  KeyPair one;
  EXPECT_EQ(one.agree(""), "");
  EXPECT_EQ(one.agree(std::string(31, 'x')), "");
  EXPECT_EQ(one.agree(std::string(32, '\0')), "") << "a point of small order";
}

}  // namespace
}  // namespace atl
