// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include "atoll/base/validate.hpp"
#include "atoll/bootstrap/control/frame.hpp"

namespace atl::runtime {

std::string pack(const Order& order) {
  Packer packer;
  packer.number(order.first_pe)
      .number(order.pes)
      .number(order.npes)
      .number(order.threads)
      .number(order.binding)
      .number(order.peer_timeout_ms)
      .text(order.host)
      .text(order.directory)
      .texts(order.environment)
      .texts(order.idle_hosts)
      .number(static_cast<std::uint32_t>(order.programs.size()));
  for (const Program& program : order.programs)
    packer.number(program.pes).text(program.directory).texts(program.command).texts(program.environment);
  return packer.body();
}

Order unpack_order(std::string_view body) {
  Unpacker reader(body);
  Order order;
  order.first_pe = reader.number();
  order.pes = reader.number();
  order.npes = reader.number();
  order.threads = reader.number();
  order.binding = reader.number();
  order.peer_timeout_ms = reader.number();
  order.host = reader.text();
  order.directory = reader.text();
  order.environment = reader.texts();
  order.idle_hosts = reader.texts();
  std::uint32_t programs = reader.number();
  bool runnable = programs != 0;
  for (std::uint32_t i = 0; i < programs; ++i) {
    Program& program = order.programs.emplace_back();
    program.pes = reader.number();
    program.directory = reader.text();
    program.command = reader.texts();
    program.environment = reader.texts();
    runnable = runnable && !program.command.empty();
  }
  reader.end();
  bool good = order.npes >= 1 && order.npes <= 65536 && order.first_pe <= order.npes &&
              order.pes <= order.npes - order.first_pe && runnable;
  ATOLL_VALIDATE(good, SetupError, "protocol error: the launcher asks for {} PEs from PE {} on, of {}", order.pes,
                 order.first_pe, order.npes);
  return order;
}

}  // namespace atl::runtime
