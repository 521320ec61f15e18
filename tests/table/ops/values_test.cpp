// SPDX-License-Identifier: Apache-2.0
// Values that lie in files as in memory, read by every number of PEs.
#include "atoll/table/ops/values.hpp"
#include "atoll/base/error.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "../../array/ops/fixture.hpp"

namespace atl::table {
namespace {

using array::Engine;
using array::testing::name_of_param;
using array::testing::OnPes;
using array::testing::to_vector;

class Values : public OnPes {};

/// A file of a few bytes and the numbers from 0 on behind them.
class NumbersFile {
 public:
  explicit NumbersFile(std::int64_t count) {
    ::close(::mkstemp(name_.data()));
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ofstream out(name_, std::ios::binary);
    out << "head!";
    out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(4 * numbers.size()));
  }
  ~NumbersFile() { ::unlink(name_.c_str()); }
  NumbersFile(const NumbersFile&) = delete;
  NumbersFile& operator=(const NumbersFile&) = delete;

  const std::string& name() const { return name_; }

 private:
  std::string name_ = "/tmp/atoll-values-XXXXXX";
};

// More than a thread reads at a time, in shares that are not those in which arrays lie.
TEST_P(Values, ComeToWhereTheyBelong) {
  const std::int64_t total = 700'001;
  const NumbersFile file(total);
  run([&](Engine& engine) {
    std::vector<std::int64_t> counts(engine.npes(), 1000);
    counts[0] = total - 1000 * (engine.npes() - 1);
    const std::int64_t mine = counts[engine.pe()], first = engine.pe() == 0 ? 0 : counts[0] + 1000 * (engine.pe() - 1);
    Landing landing(engine, {{DType::i32, false}}, counts);
    const std::int64_t half = mine / 3;  // two parts
    land_values(engine, landing,
                std::vector<ValuesPart>{{0, half, mine - half, file.name(), 5 + 4 * (first + half), "late"},
                                        {0, 0, half, file.name(), 5 + 4 * first, "early"}});
    const auto made = landing.finish();
    EXPECT_EQ(made[1], nullptr);
    std::vector<std::int32_t> wanted(static_cast<std::size_t>(total));
    std::iota(wanted.begin(), wanted.end(), 0);
    EXPECT_EQ(to_vector<std::int32_t>(engine, made[0]), wanted);
  });
}

TEST_P(Values, ReportMissingData) {
  const NumbersFile file(10);
  run([&](Engine& engine) {
    Landing landing(engine, {{DType::i32, false}}, std::vector<std::int64_t>(engine.npes(), 11));
    try {
      land_values(engine, landing, std::vector<ValuesPart>{{0, 0, 11, file.name(), 5, "that file"}});
      ADD_FAILURE() << "there are 10";
    } catch (const ValueError& error) {
      EXPECT_STREQ(error.what(), "cannot read that file: the file has become shorter");
    }
    EXPECT_THROW(land_values(engine, landing, std::vector<ValuesPart>{{0, 0, 1, file.name() + ".none", 0, "no file"}}),
                 Error);
    landing.give_up();
  });
}

ATOLL_ON_PES(Values);

}  // namespace
}  // namespace atl::table
