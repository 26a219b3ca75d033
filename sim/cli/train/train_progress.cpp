// SPDX-License-Identifier: Apache-2.0
// sim/cli/train/train_progress.cpp: see train_progress.h.
#include "sim/cli/train/train_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "golden/io/counted.h"
#include "sim/cli/terminal/standard_streams.h"
#include "sim/study/statistics.h"

namespace sim::cli {
namespace {

constexpr int bar_width = 20;

std::string bar(int done, int total) {
  const int filled = total > 0 ? bar_width * done / total : 0;
  return fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", bar_width - filled);
}

std::string figure_or_dash(std::optional<double> value) {
  return value ? fmt::format("{:5.3f}", *value) : "    -";
}

std::optional<double> recent_mean(const std::vector<double>& values) {
  if (values.empty()) return {};
  return mean_of(std::span(values).last(std::min(matched_steps, values.size())));
}

}  // namespace

train_progress::train_progress(const study& s, int last_step)
    : last_step_(last_step), terminal_(isatty(fileno(stderr)) != 0) {
  for (const arm& a : s.arms) {
    if (a.training == arm_training::grpo) names_.push_back(a.name);
  }
}

train_progress::~train_progress() {
  if (terminal_ && lines_ > 0) draw();
}

double train_progress::seconds() const {
  return std::chrono::duration<double>(clock::now() - begin_).count();
}

void train_progress::show(const progress& p) {
  take(p);
  if (!terminal_) return print_plain(p);
  if (p.what == progress::kind::note) {
    erase();
    lines_ = 0;
    say(p.name + "\n");
  }
  const bool last = p.done == p.total;
  if (!last && clock::now() - drawn_ < std::chrono::milliseconds(150)) return;
  drawn_ = clock::now();
  draw();
}

void train_progress::take(const progress& p) {
  if (p.what == progress::kind::note) return;
  stage_ = p;
  if (p.what != progress::kind::arm_step) return;
  arm_line& line = arms_[p.name];
  line.step = p.done;
  if (p.reward) line.rewards.push_back(*p.reward);
  if (p.entropy) line.entropy = p.entropy;
  if (p.accuracy) line.accuracy = p.accuracy;
}

std::string train_progress::stage_line() const {
  switch (stage_.what) {
    case progress::kind::warm_up:
      return fmt::format("warm-up {} {}/{}  loss {}  {:.0f} s", bar(stage_.done, stage_.total),
                         stage_.done, stage_.total, figure_or_dash(stage_.reward), seconds());
    case progress::kind::gate:
      return fmt::format("warmed up in {}: sampled accuracy {} under FP32  {:.0f} s",
                         golden::io::counted(stage_.done, "step"), figure_or_dash(stage_.accuracy),
                         seconds());
    case progress::kind::cell:
      return fmt::format("frozen weights {} {}/{}  {}  {:.0f} s", bar(stage_.done, stage_.total),
                         stage_.done, stage_.total, stage_.name, seconds());
    case progress::kind::arm_step:
    case progress::kind::note:
      break;
  }
  int done = 0;
  for (const auto& [name, line] : arms_) done += line.step;
  const int total = last_step_ * static_cast<int>(names_.size());
  return fmt::format("training {} {}/{} steps  {:.0f} s", bar(done, total), done, total, seconds());
}

std::string train_progress::table() const {
  std::string text = stage_line() + "\n";
  if (arms_.empty()) return text;
  text += fmt::format("{:<16} {:<{}} {:>7} {:>8} {:>8} {:>9}\n", "arm", "", bar_width + 2, "step",
                      "reward", "entropy", "accuracy");
  for (const std::string& name : names_) {
    const auto found = arms_.find(name);
    if (found == arms_.end()) continue;
    const arm_line& line = found->second;
    text +=
        fmt::format("{:<16} {} {:>3}/{:<3} {:>8} {:>8} {:>9}\n", name, bar(line.step, last_step_),
                    line.step, last_step_, figure_or_dash(recent_mean(line.rewards)),
                    figure_or_dash(line.entropy), figure_or_dash(line.accuracy));
  }
  return text;
}

void train_progress::erase() const {
  for (int i = 0; i < lines_; ++i) say("\x1b[1A\x1b[2K");
}

void train_progress::draw() {
  const std::string text = table();
  erase();
  say(text);
  lines_ = static_cast<int>(std::ranges::count(text, '\n'));
}

void train_progress::print_plain(const progress& p) const {
  switch (p.what) {
    case progress::kind::note:
      say(p.name + "\n");
      return;
    case progress::kind::warm_up:
      if (p.done % 100 != 0 && p.done != p.total) return;
      break;
    case progress::kind::gate:
    case progress::kind::cell:
      break;
    case progress::kind::arm_step: {
      if (!p.accuracy) return;
      const arm_line& line = arms_.at(p.name);
      say(fmt::format("{:<16} step {:>3}/{}  reward {}  entropy {}  accuracy {}  {:.0f} s\n",
                      p.name, line.step, last_step_, figure_or_dash(recent_mean(line.rewards)),
                      figure_or_dash(line.entropy), figure_or_dash(line.accuracy), seconds()));
      return;
    }
  }
  say(stage_line() + "\n");
}

}  // namespace sim::cli
