#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernels/first_device.sh: the first hour on a GPU, in order: what is worth most comes first.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: kernels/first_device.sh STAGE... [--programs FOLDER] [--out FOLDER] [--state FOLDER]
                               [--minutes N]
Runs stages of kernels on the GPU of this machine, and puts one tar file a stage into --out. A
stage that is cut off is continued where it was: give the folder of the earlier results as --state.
  record    A  4 min  the device, and the words of all its matrix instructions
  small     B  7 min  every kernel on small cases, byte by byte
  large     C  7 min  deep, large and full-size cases
  times     D  7 min  every measure beside its yardstick
  profile   E  6 min  ncu: issue slots, stalls and memory of two measures
  sanitize  F  7 min  compute-sanitizer: races and memory of small products
  all                 A to D
A tool that is missing or refuses the device is reported, and is no error of the script.
  --programs FOLDER  of mx_record and mx_verify (default: build/kernels)
  --out FOLDER       (default: first_device)
  --state FOLDER     logs of an earlier run (default: the same as --out)
  --minutes N        of all stages together (default: their sum, at most 9); what does not fit is
                     left for the next run
A to D, each a command of its own, take at most 25 minutes.
Exit status: 0 all done and equal, 1 a byte differs, 2 bad arguments, 3 something is unfinished.
example: kernels/first_device.sh record small
example: kernels/first_device.sh large --state first_device
TEXT
}

fail_usage() { echo "first_device.sh: error: $1" >&2; usage >&2; exit 2; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
programs=build/kernels
out=first_device
state=
minutes=
declare -A minutes_of=([record]=4 [small]=7 [large]=7 [times]=7 [profile]=6 [sanitize]=7)
stages=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h|--help) usage; exit 0 ;;
    --programs|--out|--state|--minutes)
      [[ $# -ge 2 ]] || fail_usage "option $1 needs a value"
      case $1 in
        --programs) programs=$2 ;;
        --out) out=$2 ;;
        --state) state=$2 ;;
        --minutes) minutes=$2 ;;
      esac
      shift ;;
    record|small|large|times|profile|sanitize) stages+=("$1") ;;
    all) stages+=(record small large times) ;;
    *) fail_usage "there is no stage or option $1" ;;
  esac
  shift
done
[[ ${#stages[@]} -gt 0 ]] || fail_usage "no stage is named"
if [[ -z $minutes ]]; then
  for stage in "${stages[@]}"; do minutes=$((minutes + minutes_of[$stage])); done
  [[ $minutes -le 9 ]] || minutes=9
fi
[[ $minutes =~ ^[0-9]+$ && $minutes -gt 0 ]] || fail_usage "--minutes needs a whole number above 0, not '$minutes'"
for program in mx_record mx_verify; do
  [[ -x $programs/$program ]] || fail_usage "there is no program $programs/$program; build kernels, or name their folder by --programs"
done
mkdir -p "$out"
state=${state:-$out}
deadline=$((SECONDS + minutes * 60))
status=0

# worse STATUS: keeps the status that says most: a difference, then something unfinished.
worse() {
  case $1 in
    0) ;;
    1) status=1 ;;
    *) [[ $status -eq 1 ]] || status=3 ;;
  esac
}

# within LIMIT COMMAND...: runs it for at most LIMIT seconds and what is left of the time.
within() {
  local limit=$1 left=$((deadline - SECONDS)) answer
  shift
  if [[ $left -le 5 ]]; then
    echo "not run, since the time is used up: $*"
    return 124
  fi
  [[ $left -lt $limit ]] && limit=$left
  timeout --signal=TERM --kill-after=10 "$limit" "$@" </dev/null
  answer=$?
  [[ $answer -eq 124 || $answer -eq 137 ]] && echo "cut off after $limit s: $*"
  return $answer
}

# packed STAGE: the stage's folder as a tar file; the folder itself is the state of a later run.
packed() { tar -C "$out" -czf "$out/$1.tar.gz" "$1"; }

# folder_of STAGE: its folder, with the results of an earlier run.
folder_of() {
  local folder=$out/$1
  mkdir -p "$folder"
  if [[ $state != "$out" ]]; then
    if [[ -d $state/$1 ]]; then
      cp -r "$state/$1/." "$folder/"
    elif [[ -f $state/$1.tar.gz ]]; then
      tar -C "$out" -xzf "$state/$1.tar.gz"
    fi
  fi
  echo "$folder"
}

# facts FOLDER: the device and this machine.
facts() {
  {
    date -u +%Y-%m-%dT%H:%M:%SZ
    uname -srm
    within 30 nvidia-smi || echo "nvidia-smi: exit status $?"
    within 30 nvidia-smi -q -d CLOCK,POWER,ECC || true
  } >"$1/device.txt" 2>&1
}

record() {
  local folder
  folder=$(folder_of record)
  facts "$folder"
  within 240 "$programs/mx_record" "$root/golden/vectors/dot" "$folder" 2>&1 | tee "$folder/record.txt"
  worse "${PIPESTATUS[0]}"
  packed record
}

# verify STAGE ARGUMENTS...: mx_verify, continued.
verify() {
  local stage=$1 folder
  shift
  folder=$(folder_of "$stage")
  within 3600 "$programs/mx_verify" --golden "$root/golden/vectors" --continue --log "$folder/log" \
    --json "$folder/found.json" --junit "$folder/found.xml" --repro "$folder/repro" "$@" 2>&1 |
    tee -a "$folder/output.txt"
  worse "${PIPESTATUS[0]}"
  packed "$stage"
}

profile() {
  local folder answer
  folder=$(folder_of profile)
  for group in times:cuda.gemm.fp32.sequential times:cuda.quantize.mxfp4; do
    within 150 ncu --target-processes all --clock-control none --launch-skip 4 --launch-count 4 --set full \
      "$programs/mx_verify" --inside "$group" --log "$folder/log" >"$folder/${group##*:}.txt" 2>&1
    answer=$?
    [[ $answer -eq 0 ]] || echo "ncu of $group: exit status $answer: $(tail -n 1 "$folder/${group##*:}.txt")"
  done
  packed profile
}

sanitize() {
  local folder answer
  folder=$(folder_of sanitize)
  for tool in racecheck memcheck; do
    within 200 compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 \
      "$programs/mx_verify" --inside products:gemm.fp32.sequential.mxfp4 --only 130x140x256.near \
      --case-timeout 600 --log "$folder/$tool.log" >"$folder/$tool.txt" 2>&1
    answer=$?
    if [[ $answer -eq 9 ]]; then
      echo "compute-sanitizer $tool found errors: $folder/$tool.txt"
      worse 1
    elif [[ $answer -ne 0 ]]; then
      echo "compute-sanitizer $tool: exit status $answer: $(tail -n 1 "$folder/$tool.txt")"
    fi
  done
  packed sanitize
}

for stage in "${stages[@]}"; do
  echo "== $stage, $((deadline - SECONDS)) s left"
  case $stage in
    record) record ;;
    small) verify small --small --no-times --case-timeout 60 ;;
    large)
      verify large --no-times --case-timeout 60 --group deep-products: --group full-size: \
        --group large-products: --group large-matrices: --group large-corrected: --group large-values: ;;
    times) verify times --case-timeout 180 --group times: ;;
    profile) profile ;;
    sanitize) sanitize ;;
  esac
done
exit $status
