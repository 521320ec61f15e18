// SPDX-License-Identifier: Apache-2.0
// The footer of a Parquet file, in Thrift's compact protocol.
#include "atoll/base/error.hpp"
#include "atoll/table/kernel/parquet/footer.hpp"
#include "target.hpp"

ATOLL_FUZZ(parquet_footer) {
  atl::fuzz::Input input(bytes);
  const std::int64_t size = std::int64_t{1} << input.byte() % 40;
  try {
    for (const atl::table::ParquetGroup& group : atl::table::read_parquet_footer(std::as_bytes(input.rest()), size)) {
      atl::fuzz::expect(group.rows >= 0 && group.bytes >= 0, "sizes of a row group are not negative");
      for (const atl::table::ParquetColumn& column : group.columns)
        atl::fuzz::expect(column.offset >= 0 && column.packed >= 0 && column.packed <= size - column.offset,
                          "a column is inside the file");
    }
  } catch (const atl::ValueError&) {}
}
