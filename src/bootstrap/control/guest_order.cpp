// SPDX-License-Identifier: Apache-2.0
#include "atoll/bootstrap/control/guest_order.hpp"

#include <algorithm>

#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/frame.hpp"

namespace atl::runtime {
namespace {

// A place for each PE that may come is all that a job has.
constexpr std::uint32_t most_at_once = fabric::most_guests;

void pack_programs(Packer& packer, const std::vector<GuestProgram>& programs) {
  packer.number(static_cast<std::uint32_t>(programs.size()));
  for (const GuestProgram& program : programs)
    packer.number(program.count)
        .texts(program.command)
        .text(program.directory)
        .text(program.path)
        .text(program.note)
        .texts(program.hosts);
}

std::vector<GuestProgram> unpack_programs(Unpacker& reader) {
  std::vector<GuestProgram> programs;
  for (std::uint32_t left = reader.number(); left != 0; --left) {
    GuestProgram& program = programs.emplace_back();
    program.count = reader.number();
    program.command = reader.texts();
    program.directory = reader.text();
    program.path = reader.text();
    program.note = reader.text();
    program.hosts = reader.texts();
    ATOLL_VALIDATE(program.count >= 1 && !program.command.empty(), SetupError,
                   "protocol error: a program to start has no command, or no process");
  }
  ATOLL_VALIDATE(!programs.empty(), SetupError, "protocol error: there is no program to start");
  return programs;
}

}  // namespace

std::string pack(const GuestWish& wish) {
  Packer packer;
  packer.number(wish.request).number(wish.room);
  pack_programs(packer, wish.programs);
  return packer.body();
}

GuestWish unpack_guest_wish(std::string_view body) {
  Unpacker reader(body);
  GuestWish wish;
  wish.request = reader.number();
  wish.room = reader.number();
  wish.programs = unpack_programs(reader);
  reader.end();
  return wish;
}

std::string pack(const GuestOrder& order) {
  Packer packer;
  packer.number(order.first).number(order.count).number(static_cast<std::uint32_t>(order.seats.size()));
  for (const GuestOrder::Seat& seat : order.seats) packer.number(seat.pe).number(seat.program);
  pack_programs(packer, order.programs);
  return packer.body();
}

GuestOrder unpack_guest_order(std::string_view body) {
  Unpacker reader(body);
  GuestOrder order;
  order.first = reader.number();
  order.count = reader.number();
  const std::uint32_t seats = reader.number();
  ATOLL_VALIDATE(order.count <= most_at_once && seats <= order.count, SetupError,
                 "protocol error: the launcher asks for {} processes of {} on this host", seats, order.count);
  for (std::uint32_t i = 0; i < seats; ++i) {
    GuestOrder::Seat& seat = order.seats.emplace_back();
    seat.pe = reader.number();
    seat.program = reader.number();
  }
  order.programs = unpack_programs(reader);
  reader.end();
  for (const GuestOrder::Seat& seat : order.seats)
    ATOLL_VALIDATE(seat.pe - order.first < order.count && seat.program < order.programs.size(), SetupError,
                   "protocol error: the launcher asks for PE {}, program {}", seat.pe, seat.program);
  return order;
}

std::string pack(const Newcomer& newcomer) {
  return Packer().number(newcomer.pe.value()).number(newcomer.node).text(newcomer.host).text(newcomer.card).body();
}

Newcomer unpack_newcomer(std::string_view body) {
  Unpacker reader(body);
  Newcomer newcomer;
  newcomer.pe = PeId(reader.number());
  newcomer.node = reader.number();
  newcomer.host = reader.text();
  newcomer.card = reader.text();
  reader.end();
  return newcomer;
}

std::string pack(const fabric::JobOptions& options) {
  Packer packer;
  packer.number(options.npes)
      .number(static_cast<std::uint32_t>(options.segment_bytes))
      .number(static_cast<std::uint32_t>(options.segment_bytes >> 32))
      .number(options.threads_per_pe)
      .number(options.node)
      .number(options.guests);
  for (std::uint32_t node : options.node_of_pe) packer.number(node);
  return packer.body();
}

fabric::JobOptions unpack_job_options(std::string_view body) {
  Unpacker reader(body);
  fabric::JobOptions options{.npes = reader.number()};
  const std::uint64_t low = reader.number();
  options.segment_bytes = std::uint64_t{reader.number()} << 32 | low;
  options.threads_per_pe = reader.number();
  options.node = reader.number();
  options.guests = reader.number();
  while (!reader.rest().empty()) options.node_of_pe.push_back(reader.number());
  const auto& nodes = options.node_of_pe;
  ATOLL_VALIDATE(options.npes >= 1 && options.npes <= fabric::most_pes && nodes.size() > options.npes &&
                     *std::max_element(nodes.begin(), nodes.end()) < nodes.size() &&
                     std::find(nodes.begin() + options.npes, nodes.end(), options.node) != nodes.end(),
                 SetupError, "protocol error: a guest of a job of {} PEs looks for the memory of node {}", options.npes,
                 options.node);
  return options;
}

}  // namespace atl::runtime
