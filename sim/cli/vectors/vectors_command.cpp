// SPDX-License-Identifier: Apache-2.0
// sim/cli/vectors/vectors_command.cpp: adversarial packs, listed and written.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "golden/io/counted.h"
#include "golden/vectors/packs/pack_folder.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/progress_bar.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

namespace packs = golden::packs;

constexpr const char* all = "all";

struct options {
  std::string pack, folder;
  output form = output::text;
};

int list(output form) {
  if (form == output::json) {
    const auto entry = [](const packs::pack& p) -> ordered_json {
      return {{"name", p.name}, {"version", p.version}, {"sentence", p.sentence}};
    };
    print_json({{"packs", json_array(packs::all_packs(), entry)}});
    return exit_status::done;
  }
  constexpr std::size_t version = 14, sentence = 25;
  for (const packs::pack& p : packs::all_packs()) {
    fmt::print("{}{}{}\n", cell(p.name, 0, version),
               cell(fmt::format("version {}", p.version), version, sentence),
               wrapped(p.sentence, sentence, sentence));
  }
  return exit_status::done;
}

std::vector<packs::pack> packs_named(const std::string& name) {
  if (name == all) return {packs::all_packs().begin(), packs::all_packs().end()};
  if (const packs::pack* found = packs::find_pack(name)) return {*found};
  std::string names;
  for (const packs::pack& p : packs::all_packs()) names += fmt::format(" {}", p.name);
  throw usage_error("there is no pack {}; expected one of:{}; or {}, each in its own folder",
                    golden::io::printable(name), names, all);
}

void expect_folder_above(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
  const std::filesystem::path above =
      (path.has_filename() ? path : path.parent_path()).parent_path();
  std::error_code ignored;
  if (above.empty() || std::filesystem::is_directory(above, ignored)) return;
  throw usage_error("{}: cannot be written: folder {} does not exist; create it first", folder,
                    above.string());
}

ordered_json json_of(const packs::pack& p, const std::string& folder,
                     const packs::written_pack& written) {
  const bool unchanged = written.state == packs::written_pack::state::unchanged;
  const auto file = [](const packs::written_file& f) -> ordered_json {
    return {{"name", f.name}, {"bytes", f.bytes}, {"sha256", f.sha256}};
  };
  return {{"pack", p.name},
          {"version", p.version},
          {"output", folder},
          {"state", unchanged ? "unchanged" : "written"},
          {"manifest_sha256", written.manifest_sha256},
          {"files", json_array(written.files, file)}};
}

std::string line_of(const packs::pack& p, const std::string& folder,
                    const packs::written_pack& written) {
  const bool unchanged = written.state == packs::written_pack::state::unchanged;
  return fmt::format("{}: {} version {}, {} and manifest.json{}\n  SHA-256 of the manifest {}\n",
                     folder, p.name, p.version, golden::io::counted(written.files.size(), "file"),
                     unchanged ? ", unchanged" : "", written.manifest_sha256);
}

/// report is a function of a pack, its folder and the files written.
template <class Report>
void write_packs(const std::vector<packs::pack>& chosen, const options& o, const Report& report) {
  progress_bar bar("packs", chosen.size());
  for (const packs::pack& p : chosen) {
    const std::string folder =
        o.pack == all ? (std::filesystem::path(o.folder) / p.name).string() : o.folder;
    report(p, folder, packs::write_pack(p, folder));
    bar.advance(1);
  }
}

int run(const options& o) {
  if (o.pack.empty()) {
    if (!o.folder.empty())
      throw usage_error("-o: name a pack to write; `mxprism vectors` lists them");
    return list(o.form);
  }
  const std::vector<packs::pack> chosen = packs_named(o.pack);
  if (o.folder.empty()) throw usage_error("-o: missing; expected a folder for the pack");
  expect_folder_above(o.folder);
  if (o.pack == all) std::filesystem::create_directory(o.folder);
  std::string lines;
  ordered_json entries = ordered_json::array();
  write_packs(
      chosen, o,
      [&](const packs::pack& p, const std::string& folder, const packs::written_pack& written) {
        lines += line_of(p, folder, written);
        entries.push_back(json_of(p, folder, written));
      });
  if (o.form == output::text) fmt::print("{}", lines);
  if (o.form == output::json)
    print_json(o.pack == all ? ordered_json{{"packs", entries}} : entries[0]);
  return exit_status::done;
}

}  // namespace

void add_vectors(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "vectors", "Write adversarial inputs with the bits that they must give");
  const auto o = std::make_shared<options>();
  command->add_option("PACK", o->pack, "A pack, or `all` (default: list the packs)");
  add_value(*command, "-o,--output", o->folder, "DIR", "Folder to write: new or empty");
  add_json_flag(*command, o->form);
  command->footer(
      "DIR holds .safetensors files as `quantize`, `dequantize` and `dot` read and write them, "
      "the\n"
      "same as .mem files for $readmemh (comments at the head give widths and order), and\n"
      "manifest.json: version, SHA-256 of every file, and the purpose of every row.\n"
      "NAME.input is a quantizer's input, NAME.RULE.expected its output. The bytes are the same\n"
      "everywhere; a change of them changes the version. A folder that holds anything else is not\n"
      "written.\n\n" +
      example("  mxprism vectors\n"
              "  mxprism vectors ties -o ties\n"
              "  mxprism quantize ties/mxfp4.f32.input.safetensors -o out.safetensors\n"
              "  cmp out.safetensors ties/mxfp4.f32.floor.expected.safetensors\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
