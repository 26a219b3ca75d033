# SPDX-License-Identifier: Apache-2.0
# sim/stages.sh: progress of the commands that sim/run and tests/run run.
# The caller has set `program`, its name, and `log`, the file for their output.
# shellcheck shell=bash disable=SC2154

# The output of the first command that failed under ninja; without one, the last lines.
failed_output() {
  local text
  text=$(awk '/^FAILED: / && !seen { seen = 1; print; next }
              seen && (/^\[[0-9]+\/[0-9]+\] / || /^FAILED: / || /^ninja: /) { exit }
              seen' "$1" | head -n 100)
  if [[ -n $text ]]; then echo "$text"; else tail -n 40 "$1"; fi
}

stage_failed() {
  failed_output "$log" >&2
  echo "$program: error: the command failed (full output: $log)" >&2
  exit 3
}

# stage TEXT COMMAND...: one line on the terminal; the command's output goes to the log.
stage() {
  echo "$program: $1"
  shift
  "$@" >>"$log" 2>&1 || stage_failed
}

# Ninja's lines in, progress out: one line that changes on a terminal, else a line each tenth.
show_progress() {
  local line finished total=0 tenth=0 columns
  columns=$(tput cols 2>/dev/null || echo 80)
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]] || continue
    finished=${BASH_REMATCH[1]}
    if ((BASH_REMATCH[2] != total)); then  # ninja counts anew after it has run CMake again
      total=${BASH_REMATCH[2]} tenth=0
    fi
    if [[ -t 1 ]]; then
      printf '\r\033[K%s' "${line:0:columns - 1}"
    elif ((finished * 10 / total > tenth)); then
      tenth=$((finished * 10 / total))
      echo "$program:   $finished of $total steps"
    fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# build_stage TEXT COMMAND...: as stage, for a command that runs ninja; shows how far it is.
build_stage() {
  echo "$program: $1"
  shift
  NINJA_STATUS="[%f/%t] " "$@" 2>&1 | tee -a "$log" | show_progress || stage_failed
}
