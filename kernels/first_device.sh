#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernels/first_device.sh: the first hour on a GPU, in order: what is worth most comes first.
set -uo pipefail

usage() {
  cat <<'TEXT'
usage: kernels/first_device.sh STAGE... [--programs FOLDER] [--out FOLDER] [--work FOLDER]
                               [--state FOLDER] [--minutes N] [--pack-seconds N]
Runs stages of kernels on the GPU of this machine, and puts one tar file a stage into --out, and a
second one with cases to reproduce what differs; also while a stage runs, with its results so far.
A stage that is cut off is continued where it was, in --work, or on another machine from the tar
files of the earlier run: give their folder as --state. What failed or did not end runs again. The
results of another program are set aside, and all runs.
  record    A  4 min  the device, and the words of all its matrix instructions
  small     B  7 min  every kernel on small cases, byte by byte
  large     C  7 min  deep, large and full-size cases
  times     D  7 min  every measure beside its yardstick
  profile   E  6 min  ncu: issue slots, stalls and memory of two measures
  sanitize  F  7 min  compute-sanitizer: races and memory of small products
  all                 A to D
A tool that is missing or refuses the device is reported, and is no error of the script.
  --programs FOLDER  of mx_record and mx_verify (default: build/kernels)
  --out FOLDER       for tar files alone (default: first_device)
  --work FOLDER      results as they come (default: build/first_device)
  --state FOLDER     tar files of an earlier run, for stages that --work lacks (default: --out)
  --minutes N        of all stages together (default: their sum, at most 9); what does not fit is
                     left for the next run
  --pack-seconds N   from one packing of a stage that runs to the next (default: 20)
A to D, each a command of its own, take at most 25 minutes.
Exit status: 0 all done and equal, 1 a byte differs, 2 bad arguments or programs that do not start
here, 3 something is unfinished, 128 + N ended by signal N.
example: kernels/first_device.sh record small
example: kernels/first_device.sh large --state brought_back
TEXT
}

fail_usage() { echo "first_device.sh: error: $1" >&2; usage >&2; exit 2; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
programs=build/kernels
out=first_device
work=build/first_device
state=
minutes=
pack_seconds=20
declare -A minutes_of=([record]=4 [small]=7 [large]=7 [times]=7 [profile]=6 [sanitize]=7)
stages=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h|--help) usage; exit 0 ;;
    --programs|--out|--work|--state|--minutes|--pack-seconds)
      [[ $# -ge 2 ]] || fail_usage "option $1 needs a value"
      case $1 in
        --programs) programs=$2 ;;
        --out) out=$2 ;;
        --work) work=$2 ;;
        --state) state=$2 ;;
        --minutes) minutes=$2 ;;
        --pack-seconds) pack_seconds=$2 ;;
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

# counted OPTION WORD: the number that a word is, also with zeros in front.
counted() {
  [[ $2 =~ ^[0-9]{1,6}$ && $((10#$2)) -gt 0 ]] ||
    fail_usage "$1 needs a whole number above 0, not '$2'"
  echo $((10#$2))
}

minutes=$(counted --minutes "$minutes") || exit
pack_seconds=$(counted --pack-seconds "$pack_seconds") || exit

# expect_program FILE: that it starts. The loader's errors have the exit status of a byte that
# differs.
expect_program() {
  local said
  [[ -x $1 ]] ||
    fail_usage "there is no program $1; build kernels, or name their folder by --programs"
  said=$("$1" --help 2>&1 >/dev/null) && return
  fail_usage "$1 does not start here (${said##*$'\n'}); build it on this machine: \
cmake -S $root/kernels -B build/kernels -DMX_CUDA_ARCHITECTURES=90a-real && \
cmake --build build/kernels --parallel"
}

[[ -z $state || -d $state ]] || fail_usage "there is no folder $state for --state"
for program in mx_record mx_verify; do expect_program "$programs/$program"; done
mkdir -p "$out" "$work"
state=${state:-$out}
deadline=$((SECONDS + minutes * 60))
status=0

# Files become whole here, and are moved at once into --out, which moving within a file system is.
staging=$work/packing
[[ $(stat -c %d "$work") == $(stat -c %d "$out") ]] || staging=$(dirname "$out")/${out##*/}.packing
# Results of an earlier run become whole here, and are moved at once into --work.
unpacking=$work/unpacking
rm -rf "$unpacking"
mkdir -p "$staging" "$unpacking" || exit 3
trap 'rm -rf "$staging" "$unpacking"' EXIT

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
  timeout --signal=TERM --kill-after=10 "$limit" "$@" </dev/null &
  echo $! >"$staging/command"
  wait $!
  answer=$?
  rm -f "$staging/command"
  case $answer in
    124) echo "cut off after $limit s: $*" ;;
    137) echo "killed, after $limit s or for its memory: $*" ;;
  esac
  return $answer
}

# Bytes of a tar file that a caller can bring back.
most_bytes=$((15 << 20))

# packed_as NAME PATH...: paths within --work as --out/NAME; fails if it could not be written. Files that
# grow meanwhile are tar's exit status 1.
packed_as() {
  local name=$1
  shift
  tar -C "$work" --warning=no-file-changed -czf "$staging/$name" "$@"
  [[ $? -le 1 ]] && mv "$staging/$name" "$out/$name" && return
  echo "not packed: $out/$name"
  rm -f "$staging/$name"
  return 1
}

# packed STAGE: the stage's results as a tar file, and as many cases to reproduce as fit another one,
# those of the current program first.
packed() {
  local folder=$work/$1 case bytes size=0 cases=() answer=0
  [[ -d $folder ]] || return 0
  packed_as "$1.tar.gz" --exclude="$1/repro" --exclude="$1/earlier.*/repro" "$1" || answer=1
  for case in "$folder"/repro/* "$folder"/earlier.*/repro/*; do
    [[ -e $case ]] || continue
    bytes=$(du -sb "$case" | cut -f1)
    if [[ $((size + bytes)) -lt $most_bytes ]]; then
      size=$((size + bytes))
      cases+=("${case#"$work/"}")
    else
      echo "too large to pack, left in ${case%/*}: ${case##*/}"
    fi
  done
  [[ ${#cases[@]} -eq 0 ]] || packed_as "$1.repro.tar.gz" "${cases[@]}" || answer=1
  return $answer
}

# unpacked NAME: the tar file of an earlier run, if there is one, into the folder for it.
unpacked() {
  [[ ! -f $state/$1 ]] || tar -C "$unpacking" -xzf "$state/$1"
}

# folder_of STAGE: its folder, with the results of an earlier run and its cases to reproduce, which do not
# run again.
folder_of() {
  local folder=$work/$1
  # Never a part of them, which might be packed over the whole.
  if [[ ! -d $folder && -f $state/$1.tar.gz ]]; then
    unpacked "$1.tar.gz" && { unpacked "$1.repro.tar.gz"; mv "$unpacking/$1" "$folder"; }
  fi
  mkdir -p "$folder"
  echo "$folder"
}

# unused NAME ENDING: a name between these that no earlier attempt has taken.
unused() {
  local n=1
  while [[ -e $1.$n$2 ]]; do n=$((n + 1)); done
  echo "$1.$n$2"
}

# set_aside FOLDER: its results, if they are another program's, which this one does not continue.
set_aside() {
  local folder=$1 sum earlier found
  sum=$(sha256sum <"$programs/mx_verify" | cut -d' ' -f1)
  if [[ -e $folder/log && $(cat "$folder/program.sha256" 2>/dev/null) != "$sum" ]]; then
    earlier=$(unused "$folder/earlier" "")
    mkdir "$earlier"
    for found in log program.sha256 output.txt found.json found.xml repro; do
      [[ ! -e $folder/$found ]] || mv "$folder/$found" "$earlier/"
    done
    echo "results of another mx_verify are set aside: $earlier"
  fi
  # Not written again: a full disk would leave it empty, and the results another program's.
  [[ $(cat "$folder/program.sha256" 2>/dev/null) == "$sum" ]] || echo "$sum" >"$folder/program.sha256"
}

# facts FOLDER: the device and this machine.
facts() {
  {
    date -u +%Y-%m-%dT%H:%M:%SZ
    uname -srm
    within 30 nvidia-smi || echo "nvidia-smi: exit status $?"
    within 30 nvidia-smi -q -d CLOCK,POWER,ECC || true
  } >>"$1/device.txt" 2>&1
}

record() {
  local folder
  folder=$(folder_of record)
  facts "$folder"
  within 240 "$programs/mx_record" "$root/golden/vectors/dot" "$folder" 2>&1 | tee -a "$folder/record.txt"
  worse "${PIPESTATUS[0]}"
}

# verify STAGE ARGUMENTS...: mx_verify, continued.
verify() {
  local folder
  folder=$(folder_of "$1")
  shift
  set_aside "$folder"
  within 3600 "$programs/mx_verify" --golden "$root/golden/vectors" --continue --log "$folder/log" \
    --json "$folder/found.json" --junit "$folder/found.xml" --repro "$folder/repro" --most-repros 8 "$@" 2>&1 |
    tee -a "$folder/output.txt"
  worse "${PIPESTATUS[0]}"
}

# cublas_folders: where CUDA or a Python package may keep the yardstick's library, joined by colons.
cublas_folders() {
  local packages library folder=
  packages=$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])' 2>/dev/null)
  for library in /usr/local/cuda*/{lib64,lib,targets/*/lib}/libcublas.so.1[32] \
    ${packages:+"$packages"/nvidia/*/lib/libcublas.so.1[32]}; do
    [[ ! -e $library ]] || folder+=:${library%/*}
  done
  echo "${folder#:}"
}

measured() {
  local folders
  folders=$(cublas_folders)
  [[ -z $folders ]] || export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folders
  verify times --case-timeout 180 --group times:
}

# tool_ended TOOL STATUS TEXT: reports a tool that failed; one that was cut off is unfinished.
tool_ended() {
  [[ $2 -ne 0 ]] || return 0
  echo "$1: exit status $2: $(tail -n 1 "$3")"
  [[ $2 -ne 124 && $2 -ne 137 ]] || worse 3
}

# profile_one MEASURE LAUNCHES...: ncu of one measure, from its start.
profile_one() {
  local measure=$1 folder=$2 text
  shift 2
  rm -f "$folder/log"
  text=$(unused "$folder/$measure" .txt)
  within 150 ncu --target-processes all --clock-control none "$@" --set full \
    "$programs/mx_verify" --inside "times:$measure" --log "$folder/log" >"$text" 2>&1
  tool_ended "ncu of $measure" $? "$text"
}

# Launches by the order of kernels/bench: floor, rceil, 128x4 and tiles; a product behind its preparation.
profile() {
  local folder
  folder=$(folder_of profile)
  profile_one cuda.gemm.fp32.sequential "$folder" --launch-skip 4 --launch-count 4
  profile_one cuda.quantize.mxfp4 "$folder" --launch-count 4
}

sanitize() {
  local folder text answer
  folder=$(folder_of sanitize)
  for tool in racecheck memcheck; do
    rm -f "$folder/$tool.log"
    text=$(unused "$folder/$tool" .txt)
    within 200 compute-sanitizer --tool "$tool" --target-processes all --error-exitcode 9 \
      "$programs/mx_verify" --inside products:gemm.fp32.sequential.mxfp4 --only 130x140x256.near \
      --case-timeout 600 --log "$folder/$tool.log" >"$text" 2>&1
    answer=$?
    if [[ $answer -eq 9 ]]; then
      echo "compute-sanitizer $tool found errors: $text"
      worse 1
    else
      tool_ended "compute-sanitizer $tool" "$answer" "$text"
    fi
    # Inside a group mx_verify has no exit status for a difference.
    if grep -qs $'^end\t.*\tdifferent\t' "$folder/$tool.log"; then
      echo "a byte differs under compute-sanitizer $tool: $text"
      worse 1
    fi
  done
}

# run STAGE
run() {
  case $1 in
    record) record ;;
    small) verify small --small --no-times --case-timeout 20 ;;
    large)
      verify large --no-times --case-timeout 60 --group deep-products: --group full-size: \
        --group large-products: --group large-matrices: --group large-corrected: --group large-values: ;;
    times) measured ;;
    profile) profile ;;
    sanitize) sanitize ;;
  esac
  exit "$status"
}

# ended_by NUMBER: ends the stage that runs, whose results so far are packed.
# shellcheck disable=SC2317  # traps call it
ended_by() {
  kill "$running" 2>/dev/null
  [[ ! -s $staging/command ]] || kill "$(<"$staging/command")" 2>/dev/null
  packed "$stage" >/dev/null
  exit $((128 + $1))
}

# While a stage runs beside it, this process packs: a machine may be taken away at any time.
stage=${stages[0]}
running=
trap 'ended_by 1' HUP
trap 'ended_by 2' INT
trap 'ended_by 15' TERM
for stage in "${stages[@]}"; do
  echo "== $stage, $((deadline - SECONDS)) s left"
  run "$stage" &
  running=$!
  packed_at=$SECONDS
  while kill -0 "$running" 2>/dev/null; do
    sleep 0.5 &
    wait $!
    [[ $((SECONDS - packed_at)) -ge $pack_seconds ]] || continue
    packed "$stage" >/dev/null
    packed_at=$SECONDS
  done
  wait "$running"
  worse $?
  packed "$stage" || worse 3
done
exit $status
