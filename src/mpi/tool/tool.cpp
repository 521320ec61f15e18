// SPDX-License-Identifier: Apache-2.0
// Initialisation and finalisation of MPI_T, and categories.
#include <array>
#include <atomic>
#include <vector>

#include "atoll/base/config.hpp"
#include "tool/common.hpp"

namespace atl::mpi {

using namespace tool;

namespace {

std::atomic<int> users{0};

struct Described {
  std::string_view name, meaning;
};
constexpr std::array<Described, static_cast<std::size_t>(Category::count_)> categories{
    Described{"atoll", "all that Atoll tells of itself"},
    Described{"atoll.configuration", "how the runtime is set, by variables of the environment"},
    Described{"atoll.messages", "messages of this rank: how many, how long, and what they wait for"},
    Described{"atoll.transfers", "what this rank has asked of the network and of shared memory"},
    Described{"atoll.files", "what this rank has asked of the file system"},
};

std::vector<int> members_of(Category category, Member member) {
  std::vector<int> found;
  if (member == Member::control && category == Category::configuration)
    for (std::size_t i = 0; i < config::entries().size(); ++i) found.push_back(static_cast<int>(i));
  if (member == Member::figure)
    for (std::size_t i = 0; i < figures_known(); ++i)
      if (category_of_figure(i) == category) found.push_back(static_cast<int>(i));
  if (member == Member::category && category == Category::all)
    for (int i = 1; i < static_cast<int>(Category::count_); ++i) found.push_back(i);
  return found;
}

}  // namespace

int tool_begin(int* provided) {
  ++users;
  store(provided, int{MPI_THREAD_MULTIPLE});
  return MPI_SUCCESS;
}

int tool_end() {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (--users == 0) {
    forget_controls();
    forget_sessions();
  }
  return MPI_SUCCESS;
}

bool tool_is_active() { return users.load() > 0; }
int tool_no_index() { return tool_is_active() ? MPI_T_ERR_INVALID_INDEX : MPI_T_ERR_NOT_INITIALIZED; }
int tool_no_name() { return tool_is_active() ? MPI_T_ERR_INVALID_NAME : MPI_T_ERR_NOT_INITIALIZED; }
int tool_no_handle() { return tool_is_active() ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_NOT_INITIALIZED; }

int tool_count(int* count, int value) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (count == nullptr) return MPI_T_ERR_INVALID;
  *count = value;
  return MPI_SUCCESS;
}

int category_count(int* count) { return tool_count(count, static_cast<int>(categories.size())); }

int category_index(const char* name, int* index) {
  if (!tool_is_active()) return MPI_T_ERR_NOT_INITIALIZED;
  if (name == nullptr || index == nullptr) return MPI_T_ERR_INVALID;
  auto found = std::ranges::find(categories, std::string_view(name), &Described::name);
  if (found == categories.end()) return MPI_T_ERR_INVALID_NAME;
  *index = static_cast<int>(found - categories.begin());
  return MPI_SUCCESS;
}

int category_info(int index, char* name, int* name_length, char* text, int* text_length, int* controls,
                  int* figure_number, int* below) {
  if (!tool_is_active() || !fits(index, categories.size())) return tool_no_index();
  const Described& one = categories[static_cast<std::size_t>(index)];
  auto number = [&](Member member) {
    return static_cast<int>(members_of(static_cast<Category>(index), member).size());
  };
  give_text(one.name, name, name_length);
  give_text(one.meaning, text, text_length);
  store(controls, number(Member::control));
  store(figure_number, number(Member::figure));
  store(below, number(Member::category));
  return MPI_SUCCESS;
}

int category_members(int index, Member member, int length, int* indices) {
  if (!tool_is_active() || !fits(index, categories.size())) return tool_no_index();
  if (indices == nullptr && length > 0) return MPI_T_ERR_INVALID;
  std::vector<int> members = members_of(static_cast<Category>(index), member);
  std::copy_n(members.begin(), std::min(members.size(), static_cast<std::size_t>(std::max(length, 0))), indices);
  return MPI_SUCCESS;
}

int category_events(int index, int* count) {
  return !tool_is_active() || fits(index, categories.size()) ? tool_count(count, 0) : tool_no_index();
}

}  // namespace atl::mpi
