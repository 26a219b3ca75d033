// SPDX-License-Identifier: Apache-2.0
// tests/train/folder_lock_test.cpp: sim/train/folder_lock.h: one process a folder, until it ends.
#include "sim/train/folder_lock.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/train/run.h"

namespace {

using test::scratch_folder;

std::string refusal_of(const std::filesystem::path& folder) {
  try {
    const sim::folder_lock lock(folder);
  } catch (const sim::run_error& e) {
    return e.what();
  }
  return {};
}

std::string refusal_to_look_at(const std::filesystem::path& folder) {
  try {
    sim::refuse_locked(folder);
  } catch (const sim::run_error& e) {
    return e.what();
  }
  return {};
}

/// A process that locks a folder and waits for its end.
class locking_process {
 public:
  explicit locking_process(const std::filesystem::path& folder) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    id_ = ::fork();
    if (id_ == 0) {
      const sim::folder_lock lock(folder);
      static_cast<void>(::write(ready[1], "x", 1) == 1);
      for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~locking_process() { kill(); }
  locking_process(const locking_process&) = delete;
  locking_process& operator=(const locking_process&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  void kill() {
    if (id_ <= 0) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
    id_ = 0;
  }

 private:
  pid_t id_ = 0;
};

TEST_CASE("a_second_process_is_refused_with_the_folder_and_the_first_process") {
  const scratch_folder scratch;
  const std::filesystem::path folder = scratch / ".";
  test::put_contents(folder / "run.lock", "an earlier process" + std::string(300, '.') + "\n");
  const locking_process first(folder);
  for (const std::string& message : {refusal_of(folder), refusal_to_look_at(folder)}) {
    CAPTURE(message);
    CHECK(message.starts_with(folder.string() + ": process " + std::to_string(first.id()) + " on"));
    CHECK(message.find("-o") != std::string::npos);
    CHECK(message.find("earlier") == std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  }
}

TEST_CASE("a_killed_process_leaves_no_lock") {
  const scratch_folder scratch;
  const std::filesystem::path folder = scratch / ".";
  locking_process first(folder);
  CHECK_FALSE(refusal_of(folder).empty());
  first.kill();
  CHECK(refusal_of(folder).empty());
  CHECK(refusal_to_look_at(folder).empty());
}

TEST_CASE("looking_for_a_lock_creates_nothing") {
  const scratch_folder scratch;
  CHECK(refusal_to_look_at(scratch / ".").empty());
  CHECK(refusal_to_look_at(scratch / "missing").empty());
  CHECK(scratch.file_count() == 0);
}

TEST_CASE("a_holder_that_could_not_write_its_name_is_another_process") {
  const scratch_folder scratch;
  const std::filesystem::path folder = scratch / ".";
  const sim::folder_lock lock(folder);
  std::filesystem::resize_file(folder / "run.lock", 3);
  CHECK(refusal_of(folder).find(": another process is running") != std::string::npos);
}

TEST_CASE("a_folder_that_may_not_be_written_is_named") {
  const scratch_folder scratch;
  CHECK(refusal_of(scratch / "missing").find("run.lock: cannot be made: No such file") !=
        std::string::npos);
}

}  // namespace
