// SPDX-License-Identifier: Apache-2.0
#include "io/hints.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "core/memory_kinds.hpp"

namespace atl::mpi::io {
namespace {

constexpr std::array without_effect{"access_style",
                                    "cb_block_size",
                                    "cb_config_list",
                                    "chunked",
                                    "chunked_item",
                                    "chunked_size",
                                    "collective_buffering",
                                    "io_node_list",
                                    "nb_proc",
                                    "num_io_nodes",
                                    "striping_factor",
                                    "romio_no_indep_rw",
                                    "start_iodevice",
                                    "mpi_minimum_memory_alignment"};

void take_choice(Choice& choice, std::string_view value) {
  if (value == "enable" || value == "true") choice = Choice::enable;
  else if (value == "disable" || value == "false") choice = Choice::disable;
  else if (value == "automatic") choice = Choice::automatic;
}

template <class T>
void take_number(T& number, std::string_view value, int base = 10, T least = 1) {
  T read{};
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), read, base);
  if (error == std::errc() && end == value.data() + value.size() && read >= least) number = read;
}

std::string text_of(Choice choice) {
  return choice == Choice::automatic ? "automatic" : choice == Choice::enable ? "enable" : "disable";
}

std::string octal(int number) {
  std::array<char, 16> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number, 8).ptr};
}

}  // namespace

void Hints::take(const Info::Entries& entries) {
  for (const auto& [key, value] : entries) {
    if (key == "romio_cb_read") take_choice(collective_read, value);
    else if (key == "romio_cb_write") take_choice(collective_write, value);
    else if (key == "romio_ds_read") take_choice(sieve_read, value);
    else if (key == "romio_ds_write") take_choice(sieve_write, value);
    else if (key == "cb_buffer_size") take_number(collective_buffer, value);
    else if (key == "cb_nodes") take_number(aggregators, value);
    else if (key == "ind_rd_buffer_size") take_number(read_buffer, value);
    else if (key == "ind_wr_buffer_size") take_number(write_buffer, value);
    else if (key == "striping_unit") take_number(striping_unit, value);
    else if (key == "file_perm") take_number(permissions, value, 8, 0);
    else if (key == "atoll_statistics") statistics = value == "true" || value == "1" || value == "enable";
    else if (key == asserted_kinds_key) assertions = {{key, value}};
    else if (std::ranges::find(without_effect, key) != without_effect.end()) {
      auto known = std::ranges::find(others, key, &std::pair<std::string, std::string>::first);
      if (known != others.end()) known->second = value;
      else others.emplace_back(key, value);
    }
  }
}

Info::Entries Hints::entries() const {
  Info::Entries all{{"romio_cb_read", text_of(collective_read)},
                    {"romio_cb_write", text_of(collective_write)},
                    {"romio_ds_read", text_of(sieve_read)},
                    {"romio_ds_write", text_of(sieve_write)},
                    {"cb_buffer_size", std::to_string(collective_buffer)},
                    {"cb_nodes", std::to_string(aggregators)},
                    {"ind_rd_buffer_size", std::to_string(read_buffer)},
                    {"ind_wr_buffer_size", std::to_string(write_buffer)},
                    {"striping_unit", std::to_string(striping_unit)},
                    {"file_perm", octal(permissions)},
                    {"atoll_statistics", statistics ? "true" : "false"}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

}  // namespace atl::mpi::io
