// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/control/frame.hpp"

#include "atoll/base/raise.hpp"

namespace atl::runtime {
namespace {

[[noreturn]] void throw_garbled() { raise<SetupError>("the other side speaks another protocol (garbled frame)"); }

}  // namespace

Packer& Packer::number(std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) body_ += static_cast<char>(value >> shift);
  return *this;
}

Packer& Packer::raw(std::string_view bytes) {
  body_ += bytes;
  return *this;
}

Packer& Packer::text(std::string_view value) { return number(static_cast<std::uint32_t>(value.size())).raw(value); }

Packer& Packer::texts(const std::vector<std::string>& values) {
  number(static_cast<std::uint32_t>(values.size()));
  for (const std::string& value : values) text(value);
  return *this;
}

Packer& Packer::entries(const std::vector<PublishedEntry>& values) {
  number(static_cast<std::uint32_t>(values.size()));
  for (const PublishedEntry& entry : values) number(entry.rank).text(entry.key).text(entry.value);
  return *this;
}

std::string_view Unpacker::take(std::size_t bytes) {
  if (bytes > rest_.size()) throw_garbled();
  std::string_view found = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return found;
}

std::uint32_t Unpacker::number() {
  std::uint32_t value = 0;
  int shift = 0;
  for (char byte : take(4)) {
    value |= std::uint32_t{static_cast<std::uint8_t>(byte)} << shift;
    shift += 8;
  }
  return value;
}

std::string Unpacker::text() {
  std::uint32_t bytes = number();
  return std::string(take(bytes));
}

// Of items that take at least `least` bytes each.
std::uint32_t Unpacker::count(std::size_t least) {
  std::uint32_t found = number();
  if (found > rest_.size() / least) throw_garbled();
  return found;
}

std::vector<std::string> Unpacker::texts() {
  const std::uint32_t count = this->count(4);  // a length
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < count; ++i) found.push_back(text());
  return found;
}

std::vector<PublishedEntry> Unpacker::entries() {
  const std::uint32_t count = this->count(12);  // a rank and two lengths
  std::vector<PublishedEntry> found;
  for (std::uint32_t i = 0; i < count; ++i) {
    PublishedEntry& entry = found.emplace_back();
    entry.rank = number();
    entry.key = text();
    entry.value = text();
  }
  return found;
}

void Unpacker::end() const {
  if (!rest_.empty()) throw_garbled();
}

std::string frame_header(FrameKind kind, std::size_t body_bytes) {
  return Packer().number(static_cast<std::uint32_t>(body_bytes)).number(static_cast<std::uint16_t>(kind)).body();
}

FrameHeader parse_frame_header(std::string_view header, std::size_t longest) {
  Unpacker reader(header);
  std::uint32_t bytes = reader.number(), kind = reader.number();
  if (bytes > longest || kind == 0 || kind > UINT16_MAX) throw_garbled();
  return {bytes, static_cast<FrameKind>(kind)};
}

}  // namespace atl::runtime
