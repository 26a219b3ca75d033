// SPDX-License-Identifier: Apache-2.0
// sim/cli/sweep/sweep_command.cpp: measures every point of a sweep, and writes its tables and page.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <memory>
#include <optional>

#include "golden/io/counted.h"
#include "golden/io/replaced_file.h"
#include "sim/cli/sweep/file_input.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cli/terminal/shard.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/ranks/launched_ranks.h"
#include "sim/sweep/sweep_page.h"
#include "sim/sweep/sweep_reader.h"
#include "sim/sweep/sweep_run.h"
#include "sim/sweep/sweep_table.h"

namespace sim::cli {
namespace {

struct sweep_options {
  std::string study, folder, shard;
  std::vector<std::string> merged;
  int threads = 0;
  output form = output::text;
};

loaded_sweep load(const sweep_options& o, file_inputs& files) {
  loaded_sweep s{read_sweep(o.study), {}, {}};
  const auto with_name = [&](const auto& choose) {
    try {
      choose();
    } catch (const input_error& wrong) {
      throw usage_error("{}: {}", o.study, wrong.what());
    }
  };
  with_name([&] { s.list = points_of(s.study); });
  for (const sweep_input& in : s.study.inputs) {
    s.inputs.push_back(in.policy ? policy_input(s.study, in, o.folder + "/policies")
                       : in.law == input_law::file ? files.load(in)
                                                   : drawn_input(in));
  }
  with_name([&] { leave_out_refused(s); });
  for (const measured_work& w : work_of(s, {0})) expect_operands(s.study, *w.input, *w.b);
  return s;
}

std::vector<measured_work> missing_of(const std::vector<measured_work>& work,
                                      const sweep_rows& rows) {
  std::vector<measured_work> missing;
  for (const measured_work& w : work) {
    if (!rows.contains(w.key)) missing.push_back(w);
  }
  return missing;
}

/// The work of this shard; of what is missing of it, that of this rank.
std::vector<measured_work> own_work(const loaded_sweep& s, const shard& part,
                                    const rank_group& ranks, const sweep_rows& rows) {
  std::vector<measured_work> all = work_of(s), own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (part.contains(i)) own.push_back(all[i]);
  }
  own = missing_of(own, rows);
  if (ranks.size() == 1) return own;
  // A rank that looked later would see what another has measured since.
  std::string keys;
  for (const measured_work& w : own) keys += w.key + " ";
  const std::string listed = from_rank_0(ranks, [&] { return keys; });
  std::vector<measured_work> of_rank;
  int number = 0;
  for (const measured_work& w : all) {
    if (listed.find(w.key) == std::string::npos) continue;
    if (number++ % ranks.size() == ranks.rank()) of_rank.push_back(w);
  }
  return of_rank;
}

std::string journal_name(const shard& part, const rank_group& ranks) {
  return fmt::format("{}-of-{}",
                     part.index * static_cast<std::size_t>(ranks.size()) +
                         static_cast<std::size_t>(ranks.rank()) + 1,
                     part.of * static_cast<std::size_t>(ranks.size()));
}

/// Measures this process' part.
void measure_part(const sweep_options& o, const loaded_sweep& s, sweep_rows& rows) {
  const shard part = shard_in(o.shard);
  const rank_group& ranks = launched_ranks();
  const std::vector<measured_work> work = own_work(s, part, ranks, rows);
  row_journal journal(o.folder, journal_name(part, ranks));
  progress_bar bar(s.study.name, work.size());
  measure(s, work, rows, [&](const sweep_row& row) {
    journal.add(row);
    bar.advance(1);
  });
}

/// Points that reached the end of a search by halving.
std::vector<std::size_t> measure_halving(const sweep_options& o, const loaded_sweep& s,
                                         sweep_rows& rows) {
  if (!o.shard.empty() || launched_ranks().size() > 1) {
    throw usage_error(
        "{}: a round of search = \"halving\" needs all points of the one before; leave --shard and "
        "mpirun out",
        o.study);
  }
  row_journal journal(o.folder, "1-of-1");
  return halve(s, rows, [&](const sweep_row& row) { journal.add(row); });
}

void print_summary(const sweep_options& o, const loaded_sweep& s, std::size_t missing) {
  std::size_t refused = 0;
  for (const auto& [reason, left] : s.list.refused) refused += left.count;
  if (o.form == output::json) {
    ordered_json all{{"name", s.study.name},
                     {"study_sha256", s.study.hash},
                     {"folder", o.folder},
                     {"combinations", s.list.combinations},
                     {"points", s.list.points.size()},
                     {"repeated", s.list.repeated},
                     {"left_out", ordered_json::array()},
                     {"missing_rows", missing}};
    for (const auto& [reason, left] : s.list.refused) {
      all["left_out"].push_back(
          {{"reason", reason}, {"points", left.count}, {"example", left.example}});
    }
    return print_json(all);
  }
  fmt::print("{} of {}; {} repeated, {} left out\n",
             golden::io::counted(s.list.points.size(), "point"),
             golden::io::counted(s.list.combinations, "combination"), s.list.repeated, refused);
  for (const auto& [reason, left] : s.list.refused) {
    fmt::print("  {} left out: {}; as {}\n", left.count, reason, left.example);
  }
  if (missing > 0) {
    fmt::print("{} missing; tables and page are written once all are there\n",
               golden::io::counted(missing, "row"));
    return;
  }
  fmt::print("{0}/results.csv\n{0}/results.jsonl\n{0}/report.html\n", o.folder);
}

int finish(const sweep_options& o, const loaded_sweep& s, const std::vector<std::size_t>& points,
           const sweep_rows& rows) {
  const std::vector<measured_work> work = work_of(s, points);
  const std::size_t missing = missing_of(work, rows).size();
  if (missing == 0) {
    const sweep_results results{s, work, rows};
    golden::io::write_text(o.folder + "/results.csv", csv_of(results));
    golden::io::write_text(o.folder + "/results.jsonl", jsonl_of(results));
    golden::io::write_text(o.folder + "/report.html", page_of(results, o.study));
  }
  print_summary(o, s, missing);
  return exit_status::done;
}

int sweep(const sweep_options& o) {
  std::optional<tbb::global_control> limit;
  if (o.threads > 0) {
    limit.emplace(tbb::global_control::max_allowed_parallelism,
                  static_cast<std::size_t>(o.threads));
  }
  file_inputs files;
  const loaded_sweep s = load(o, files);
  std::vector<std::size_t> points(s.list.points.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = i;
  const rank_group& ranks = launched_ranks();
  expect_equal(ranks, "study (SHA-256)", s.study.hash, "give every rank the same study");
  if (!o.merged.empty()) {
    if (s.study.search == sweep_search::halving) {
      throw usage_error(
          "{}: a search = \"halving\" has no rows of all points; run it in one folder, and leave "
          "--merge out",
          o.study);
    }
    std::vector<std::string> wanted;
    for (const measured_work& w : work_of(s)) wanted.push_back(w.key);
    merge_rows(o.folder, o.merged, wanted);
    return finish(o, s, points, rows_in(o.folder));
  }
  sweep_rows rows = rows_in(o.folder);
  if (s.study.search == sweep_search::halving) {
    points = measure_halving(o, s, rows);
  } else {
    measure_part(o, s, rows);
  }
  static_cast<void>(any_rank(ranks, false));  // all journals are complete
  return ranks.rank() == 0 ? finish(o, s, points, rows_in(o.folder)) : exit_status::done;
}

}  // namespace

void add_sweep(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "sweep", "Measure thousands of formats, rules and accumulations; one table and one page");
  const auto o = std::make_shared<sweep_options>();
  command->add_option("STUDY", o->study, "A sweep, such as sim/studies/sweeps/which-4-bit.toml")
      ->required();
  add_value(*command, "-o,--output", o->folder, "DIR",
            "Folder of the rows, tables and page; the same command continues there")
      ->required();
  CLI::Option* shard = add_value(*command, "--shard", o->shard, "I/N",
                                 "Measure every N-th row from the I-th: one part of N");
  add_value(*command, "--merge", o->merged, "DIR",
            "Measure nothing: take the rows of these folders into the output")
      ->excludes(shard);
  add_threads_option(*command, o->threads);
  add_json_flag(*command, o->form);
  command->footer(example(
      "  mxprism sweep sim/studies/sweeps/first.toml -o out/first\n"
      "  mxprism sweep sim/studies/sweeps/first.toml -o out/part1 --shard 1/2\n"
      "  mxprism sweep sim/studies/sweeps/first.toml -o out/part2 --shard 2/2\n"
      "  mxprism sweep sim/studies/sweeps/first.toml -o out/all --merge out/part1 out/part2\n"));
  command->callback([o, &chosen] { chosen = [o] { return sweep(*o); }; });
}

}  // namespace sim::cli
