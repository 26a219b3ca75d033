// SPDX-License-Identifier: Apache-2.0
// sim/cli/main.cpp: the `mxprism` command: subcommands, errors, exit status.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "golden/io/file.h"
#include "golden/io/shown_text.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/help_formatter.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/interruption.h"
#include "sim/cli/terminal/standard_streams.h"
#include "sim/ranks/launched_ranks.h"
#include "sim/study/system_failure.h"

namespace sim::cli {
namespace {

std::string names_of_subcommands(const CLI::App& program) {
  std::string names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names += " " + command->get_name();
  }
  return names;
}

/// Refuses a word that is none of the subcommands of the program, or of a command that has some:
/// the parser's own message does not list them.
void expect_subcommand(const CLI::App& program, int count, char** words) {
  const CLI::App* command = &program;
  for (int i = 1; i < count && words[i][0] != '-'; ++i) {
    const std::string names = names_of_subcommands(*command);
    if (names.empty()) return;
    const auto named = [&](const CLI::App* inner) { return inner->check_name(words[i]); };
    const auto found = command->get_subcommands(named);
    if (found.empty()) {
      const std::string owner = i == 1 ? "there is" : command->get_name() + " has";
      throw usage_error("{} no command {}; expected one of:{}", owner,
                        golden::io::printable(words[i]), names);
    }
    command = found.front();
  }
}

/// Refuses the first word that begins as an option and is none of its subcommand. The parser may
/// report another fault first: that the option which was meant is missing.
void expect_options(const CLI::App& program, int count, char** words) {
  const CLI::App* command = &program;
  for (int i = 1; i < count && std::string_view(words[i]) != "--"; ++i) {
    const std::string word(words[i], std::strcspn(words[i], "="));
    const auto named = [&](const CLI::App* inner) { return inner->check_name(word); };
    const auto inner = command->get_subcommands(named);
    if (!inner.empty()) command = inner.front();
    if (!word.starts_with("--") || command->get_option_no_throw(word) != nullptr) continue;
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
    throw usage_error(
        "{} (--help lists what is expected)",
        mx::no_such_name("option", golden::io::shown(word), {options.begin(), options.end()}));
  }
}

/// The arguments after the program's name, last first, as the parser takes them. A negative number
/// gets a leading blank, so that "-inf" is not parsed as options; `--resume auto` becomes one word,
/// since a flag takes no other; arguments after "--" belong to another program and are unchanged.
std::vector<std::string> arguments(int count, char** words) {
  std::vector<std::string> reversed;
  const auto mark = std::find(words, words + count, std::string_view("--")) - words;
  for (int i = count - 1; i > 0; --i) {
    const auto is = [&](int word, std::string_view text) { return text == words[word]; };
    if (i < mark && is(i, "auto") && is(i - 1, "--resume")) {
      reversed.emplace_back("--resume=auto");
      --i;
      continue;
    }
    char* end = nullptr;
    const bool negative = i < mark && words[i][0] == '-' && words[i][1] != '\0';
    if (negative) static_cast<void>(std::strtof(words[i], &end));
    const bool number = negative && *end == '\0';
    reversed.push_back((number ? " " : "") + std::string(words[i]));
  }
  return reversed;
}

/// The parser's message, without the blank that `arguments` puts before a negative number.
std::string message_of(const CLI::ParseError& wrong) {
  std::string text = wrong.what();
  for (std::size_t at = 0; (at = text.find("  -")) != std::string::npos;) text.erase(at, 1);
  return text;
}

/// Of several ranks rank 0 reports what ends all of them; one that ends alone ends the others too.
int report_error_text(int status, const std::string& text) {
  std::fflush(stdout);
  const bool together = every_rank_fails();
  const std::string from = together ? "" : fmt::format("rank {}: ", launched_rank());
  if (!together || launched_rank() == 0) {
    std::fprintf(stderr, "mxprism: error: %s%s\n", from.c_str(), golden::io::shown(text).c_str());
  }
  if (!together) end_every_rank(status);
  return status;
}

/// Reports output that could not be written as an error.
int flushed(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  throw usage_error("standard output cannot be written; is the disk full?");
}

int parse_and_run(int count, char** words) {
  CLI::App program(
      "Microscaling (MX) arithmetic to the last bit, and what its errors do to a model.",
      "mxprism");
  program.set_version_flag("--version", std::string("mxprism ") + MXPRISM_VERSION);
  program.formatter(std::make_shared<help_formatter>());
  program.require_subcommand(1);
  program.footer(
      "Exit status: 0 done or equal, 1 a comparison found a difference, 2 bad usage or bad "
      "input,\n3 a bug of ours. `mxprism COMMAND --help` has an example.\n");
  action chosen;
  add_formats(program, chosen);
  add_explain(program, chosen);
  add_quantize(program, chosen);
  add_dequantize(program, chosen);
  add_decompose(program, chosen);
  add_dot(program, chosen);
  add_gemm(program, chosen);
  add_verify(program, chosen);
  add_probe(program, chosen);
  add_vectors(program, chosen);
  add_score(program, chosen);
  add_train(program, chosen);
  add_assess(program, chosen);
  add_export(program, chosen);
  add_cost(program, chosen);
  add_repro(program, chosen);
  add_report(program, chosen);
  add_sweep(program, chosen);
  add_bench(program, chosen);
  expect_subcommand(program, count, words);
  try {
    program.parse(arguments(count, words));
  } catch (const CLI::Success& asked) {
    return flushed(program.exit(asked));
  } catch (const CLI::ParseError& wrong) {
    expect_options(program, count, words);
    throw usage_error(message_of(wrong) + " (--help lists what is expected)");
  }
  return flushed(chosen());
}

}  // namespace
}  // namespace sim::cli

int main(int count, char** words) {
  using namespace sim::cli;
  occupy_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit becomes a write error
  std::signal(SIGCHLD, SIG_DFL);  // a parent that ignored it would hide the ends of our children
  refuse_files_that_shrink();
  end_without_temporary_files();
  end_on_lost_memory();
  try {
    return parse_and_run(count, words);
  } catch (const sim::input_error& wrong) {
    return report_error_text(exit_status::bad_input, wrong.what());
  } catch (const golden::io::file_error& wrong) {
    return report_error_text(exit_status::bad_input, wrong.what());
  } catch (const std::bad_alloc&) {
    return report_error_text(exit_status::bad_input, std::string(not_enough_memory));
  } catch (const std::length_error&) {
    return report_error_text(exit_status::bad_input, std::string(not_enough_memory));
  } catch (const std::exception& wrong) {
    const std::string failed = sim::system_failure(wrong);
    if (!failed.empty()) return report_error_text(exit_status::bad_input, failed);
    return report_error_text(
        exit_status::bug,
        std::string("this is a bug of mxprism, please report it: ") + wrong.what());
  }
}
