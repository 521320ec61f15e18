// SPDX-License-Identifier: Apache-2.0
#include "format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace atl::gasnet {
namespace {

constexpr std::size_t room_of_head = 256;
constexpr std::size_t room_of_piece = 96;

using Name = std::pair<std::uint32_t, std::string_view>;

constexpr Name types[] = {{GEX_DT_I32, "I32"}, {GEX_DT_U32, "U32"}, {GEX_DT_I64, "I64"},  {GEX_DT_U64, "U64"},
                          {GEX_DT_FLT, "FLT"}, {GEX_DT_DBL, "DBL"}, {GEX_DT_USER, "USER"}};
constexpr Name operations[] = {
    {GEX_OP_ADD, "ADD"},     {GEX_OP_SUB, "SUB"},         {GEX_OP_MULT, "MULT"}, {GEX_OP_MIN, "MIN"},
    {GEX_OP_MAX, "MAX"},     {GEX_OP_INC, "INC"},         {GEX_OP_DEC, "DEC"},   {GEX_OP_AND, "AND"},
    {GEX_OP_OR, "OR"},       {GEX_OP_XOR, "XOR"},         {GEX_OP_SET, "SET"},   {GEX_OP_CAS, "CAS"},
    {GEX_OP_USER, "USER"},   {GEX_OP_USER_NC, "USER_NC"}, {GEX_OP_FADD, "FADD"}, {GEX_OP_FSUB, "FSUB"},
    {GEX_OP_FMULT, "FMULT"}, {GEX_OP_FMIN, "FMIN"},       {GEX_OP_FMAX, "FMAX"}, {GEX_OP_FINC, "FINC"},
    {GEX_OP_FDEC, "FDEC"},   {GEX_OP_FAND, "FAND"},       {GEX_OP_FOR, "FOR"},   {GEX_OP_FXOR, "FXOR"},
    {GEX_OP_SWAP, "SWAP"},   {GEX_OP_FCAS, "FCAS"},       {GEX_OP_GET, "GET"}};
constexpr Name token_info[] = {{GEX_TI_SRCRANK, "SRCRANK"},
                               {GEX_TI_EP, "EP"},
                               {GEX_TI_ENTRY, "ENTRY"},
                               {GEX_TI_IS_REQ, "IS_REQ"},
                               {GEX_TI_IS_LONG, "IS_LONG"}};

std::size_t format_mask(char* into, std::string_view prefix, std::span<const Name> names, std::uint32_t mask) {
  std::string text;
  for (const auto& [bit, name] : names)
    if ((mask & bit) != 0) {
      text += fmt::format("{}{}{}", text.empty() ? "" : "|", prefix, name);
      mask &= ~bit;
    }
  if (mask != 0 || text.empty()) text += fmt::format("{}{:#x}", text.empty() ? "" : "|", mask);
  if (into != nullptr) std::memcpy(into, text.c_str(), text.size() + 1);
  return text.size() + 1;
}

void write(char* into, const std::string& text, std::size_t room) {
  const std::size_t bytes = std::min(text.size(), room - 1);
  std::memcpy(into, text.data(), bytes);
  into[bytes] = 0;
}

}  // namespace

std::size_t format_types(char* into, gex_DT_t mask) { return format_mask(into, "GEX_DT_", types, mask); }
std::size_t format_operations(char* into, gex_OP_t mask) { return format_mask(into, "GEX_OP_", operations, mask); }
std::size_t format_token_info(char* into, gex_TI_t mask) { return format_mask(into, "GEX_TI_", token_info, mask); }

std::size_t room_of_list(std::size_t count) { return room_of_head + count * room_of_piece; }

void format_vector(char* into, std::size_t count, const gex_Memvec_t* list) {
  std::string text = fmt::format("{} pieces:", count);
  for (const gex_Memvec_t& piece : std::span(list, count))
    text += fmt::format(" {} bytes at {};", piece.gex_len, piece.gex_addr);
  write(into, text, room_of_list(count));
}

void format_blocks(char* into, std::size_t count, void* const* list, std::size_t bytes) {
  std::string text = fmt::format("{} blocks of {} bytes:", count, bytes);
  for (const void* block : std::span(list, count)) text += fmt::format(" {}", block);
  write(into, text, room_of_list(count));
}

std::size_t format_strided(char* into, gex_Rank_t rank, const void* to, const std::ptrdiff_t* to_strides,
                           const void* from, const std::ptrdiff_t* from_strides, std::size_t element,
                           const std::size_t* count, std::size_t levels) {
  std::size_t bytes = element;
  for (std::size_t level = 0; level < levels; ++level) bytes *= count[level];
  const std::string text =
      fmt::format("{} bytes, rank {}: elements of {} bytes, counts [{}], to {} by [{}], from {} by [{}]", bytes, rank,
                  element, fmt::join(count, count + levels, ", "), to, fmt::join(to_strides, to_strides + levels, ", "),
                  from, fmt::join(from_strides, from_strides + levels, ", "));
  write(into, text, room_of_list(levels));
  return bytes;
}

}  // namespace atl::gasnet
