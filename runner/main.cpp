// The command line of cudasem.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "completion.h"
#include "front_door.h"
#include "layout.h"
#include "lint.h"
#include "machine.h"
#include "merge.h"
#include "profiles.h"
#include "rejudge.h"
#include "resume.h"
#include "run.h"
#include "show.h"
#include "surfaces.h"

namespace cudasem {
namespace {

namespace fs = std::filesystem;

constexpr int kInvalid = 2, kUsage = 64;

/// Everything that can be said on the command line; each command reads its part.
struct Options {
  fs::path cases = layout::default_cases();
  fs::path expected = layout::home() / "expected";
  fs::path recorded = layout::home() / "reports" / "recorded";
  fs::path torch;
  RunOptions run;
  std::string shard;
  fs::path again;
  bool json = false, ids = false, verbose = false, coverage = false;
  std::string id;
  Surfaces surfaces;
  bool without_cases = false;
  std::string shell;
  JudgeOptions judge;
  MergeOptions merge;
};

/// "90s", "45m", "2h" or "90"; nothing for anything else.
std::optional<std::chrono::seconds> parse_duration(const std::string& text) {
  int number = 0;
  char unit = 's', rest = 0;
  const int fields = sscanf(text.c_str(), "%7d%c%c", &number, &unit, &rest);
  const int seconds = unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
  if (fields < 1 || fields > 2 || number <= 0 || seconds == 0) return {};
  return std::chrono::seconds(int64_t{number} * seconds);
}

void add_places(CLI::App& command, Options& options) {
  command.add_option("--cases", options.cases, "Folder of case binaries [$CUDASEM_CASES]")
      ->capture_default_str();
  command.add_option("--torch", options.torch,
                     "Another libtorch of the same release: its folder, or its lib folder");
}

void add_expected(CLI::App& command, Options& options) {
  command.add_option("--expected", options.expected, "Folder of expectations; several with : between them")
      ->capture_default_str();
}

void add_waivers(CLI::App& command, fs::path& file) {
  command.add_option(
      "--waivers", file,
      "TOML file of results that are known and, until a date, lived with: run and shown, and not "
      "counted (INTERPRETING.md section 7)");
}

void add_selection(CLI::App& command, Selection& selection) {
  command.add_option("ID", selection.globs,
                     "Ids or names of cases, with * and ? as in a shell; without any, all");
  command.add_option("--area", selection.areas, "Only this area (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--kind", selection.kinds, "Only this kind: rule, misuse, observe or measure")
      ->check(CLI::IsMember({"rule", "misuse", "observe", "measure"}))
      ->allow_extra_args(false);
  command.add_option("--claim", selection.claims, "Only cases that cite this claim")->allow_extra_args(false);
  command.add_option("--way", selection.way, "Only this way of misuses")
      ->check(CLI::IsMember({"wrong", "right"}));
}

void add_going_on(CLI::App& run, Options& options) {
  run.add_option("--resume", options.run.resume,
                 "Go on with a run that was killed, interrupted or late, in this log of it")
      ->check(CLI::ExistingFile)
      ->excludes("--out")
      ->excludes("--stress");
  run.add_option("--again", options.again, "Only what was not as expected in this log")
      ->check(CLI::ExistingFile)
      ->excludes("ID")
      ->excludes("--resume");
  run.add_option_function<std::string>(
         "--deadline", [&options](const std::string& text) { options.run.deadline = parse_duration(text); },
         "Start no case after this time, e.g. 90s, 45m or 2h; the rest is missing (deadline)")
      ->check([](const std::string& text) {
        return parse_duration(text) ? std::string()
                                    : fmt::format("a time like 90s, 45m or 2h was expected, found {}", text);
      });
}

void add_run(CLI::App& app, Options& options) {
  auto* run = app.add_subcommand("run", "Run cases, judge what they show, and write an event log");
  add_places(*run, options);
  add_expected(*run, options);
  add_waivers(*run, options.run.waivers);
  add_selection(*run, options.run.selection);
  run->add_option("--out", options.run.out,
                  "The log, never overwritten; with a / at its end, the folder for one "
                  "[out/<time>-torch-<version>.ndjson]");
  run->add_option("--jobs,-j", options.run.jobs,
                  "Cases at once [one on each GPU, host-only ones on up to 8 cores]")
      ->check(CLI::PositiveNumber);
  run->add_option("--floor-from", options.recorded, "Recorded logs: the floor and the evidence")
      ->capture_default_str();
  run->add_option("--require", options.run.require,
                  "Not a valid run unless this holds, e.g. 'gpus>=1' (repeatable)")
      ->allow_extra_args(false);
  run->add_option("--shard", options.shard, "Only the I-th of N parts of the plan: I/N");
  run->add_option("--profile", options.run.profile,
                  "Environment of the cases, and which expectations apply: native, expandable_segments, "
                  "cuda_malloc_async, launch_blocking, no_caching; another word is the label of one that you "
                  "have set up")
      ->capture_default_str();
  run->add_option("--junit", options.surfaces.junit, "Also write the results as JUnit XML to this file");
  run->add_option("--json", options.surfaces.json,
                  "Also write one JSON document about the run to this file; - is stdout");
  run->add_flag("--github", options.surfaces.github,
                "Annotations and a step summary for GitHub Actions [where GITHUB_ACTIONS is true]");
  run->add_option_function<std::string>(
         "--isolate", [&options](const std::string& which) { options.run.isolate_all = which == "all"; },
         "`all`: a process for each case; else cases marked `shared` go together [marked]")
      ->check(CLI::IsMember({"all", "marked"}));
  run->add_option("--shuffle", options.run.shuffle, "Order and batches by chance, from this SEED");
  auto* repeat =
      run->add_option("--repeat", options.run.repeat, "Run each case N times; one that differs is flaky")
          ->check(CLI::Range(1, 10'000));
  auto* retry = run->add_option("--retry", options.run.retry,
                                "What is not as expected N times more: alone, in its order, under load")
                    ->check(CLI::Range(0, 10'000));
  run->add_flag(
         "--stress", options.run.stress,
         "The entry exam: each case in 15 fresh processes, a third of them under load, then in 5 shuffled "
         "batches; says which are stable and which have earned `shared`")
      ->excludes(repeat)
      ->excludes(retry);
  add_going_on(*run, options);
  run->add_flag("--ctest", options.run.ctest, "Exit with 77 if everything selected is unsupported here");
  run->footer("Exit status: 0 all as expected, 1 not as expected, 2 not a valid run, 64 usage.");
}

void add_others(CLI::App& app, Options& options) {
  auto* list = app.add_subcommand("list", "List cases");
  add_places(*list, options);
  add_selection(*list, options.run.selection);
  auto* json = list->add_flag("--json", options.json, "As JSON");
  list->add_flag("--ids", options.ids, "Ids only, one a line")->excludes(json);

  auto* show = app.add_subcommand("show", "Show a case: its source, claims and expectations");
  add_places(*show, options);
  add_expected(*show, options);
  show->add_option("ID", options.id, "area.name or area.name/way")->required();

  auto* judge = app.add_subcommand("judge", "Judge a log again with today's expectations, into a new log");
  add_expected(*judge, options);
  add_waivers(*judge, options.judge.waivers);
  judge->add_option("LOG", options.judge.log, "An event log")->required();
  judge->add_option("--out", options.judge.out,
                    "The new log; must not exist [LOG's name with -judged, and a number if that is taken]");

  auto* merge = app.add_subcommand("merge", "Make one log of the shards of a run");
  merge->add_option("LOG", options.merge.logs, "The logs of all shards, in any order")->required();
  merge->add_option("--out", options.merge.out, "The new log; must not exist")->required();

  auto* lint = app.add_subcommand("lint", "Check cases and expectations without running anything");
  add_places(*lint, options);
  lint->add_flag("--without-cases", options.without_cases,
                 "Check files alone: no case binary has to be there")
      ->excludes("--cases");
  lint->add_flag(
      "--coverage", options.coverage,
      "Count what cases cite and show, by section and by row of the documentation, and cells of tables");
  lint->add_flag("--verbose,-v", options.verbose, "List the evidence of every expectation");

  auto* doctor = app.add_subcommand("doctor", "Say what is found here and what to do about what is not");
  add_places(*doctor, options);
  add_expected(*doctor, options);

  auto* completion = app.add_subcommand("completion", "Print a script that completes command lines");
  completion->add_option("SHELL", options.shell, "bash: `source <(cudasem completion bash)`; or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));

  for (const auto& command : front_door_commands())
    app.add_subcommand(std::string(command.name), std::string(command.help) + " (Python)");
}

BuiltFor built_for(const Options& options) {
  BuiltFor built = read_subject(options.cases);
  if (!options.torch.empty()) use_torch(built, options.torch);
  check_torch(built);
  return built;
}

void parse_shard(Options& options) {
  if (options.shard.empty()) return;
  Selection& selection = options.run.selection;
  char rest = 0;
  const int fields = sscanf(options.shard.c_str(), "%d/%d%c", &selection.shard, &selection.shards, &rest);
  if (fields != 2 || selection.shard < 1 || selection.shard > selection.shards)
    throw CLI::ValidationError("--shard",
                               fmt::format("I/N with 1 <= I <= N was expected, found {}", options.shard));
}

int run(Options& options, const std::vector<std::string>& argv) {
  RunOptions run = options.run;
  run.cases = options.cases;
  run.expected = options.expected;
  run.recorded = options.recorded;
  run.torch = options.torch;
  run.argv = argv;
  if (!options.again.empty()) run.selection.globs = not_as_expected_in(options.again);
  run.environment = enter_profile(run.profile);
  return watched_run(run, options.surfaces);
}

int list(const Options& options) {
  SubprocessSet set;
  const ListForm form = options.json ? ListForm::json : options.ids ? ListForm::ids : ListForm::table;
  return list_command(load_catalog(set, built_for(options)), options.run.selection, form, std::cout);
}

int show(const Options& options) {
  SubprocessSet set;
  const BuiltFor built = built_for(options);
  const Machine machine = probe(set, built);
  Subject subject;
  subject.torch = torch_in_use(built);
  subject.cuda = machine.cuda_runtime;
  subject.driver = machine.driver;
  subject.gpus = static_cast<int>(machine.gpus.size());
  if (!machine.gpus.empty()) subject.cc = machine.gpus.front().cc;
  return show_command(load_catalog(set, built), Expectations::load(options.expected), subject, options.id,
                      std::cout, std::cerr);
}

int judge(Options& options) {
  JudgeOptions judge = options.judge;
  judge.expected = options.expected;
  judge.recorded = options.recorded;
  if (judge.out.empty()) judge.out = judged_name(judge.log);
  return judge_command(judge, std::cout, std::cerr);
}

int lint(const Options& options) {
  LintOptions lint;
  lint.source_dir = layout::home();
  lint.coverage = options.coverage;
  lint.without_cases = options.without_cases;
  lint.verbose = options.verbose;
  if (lint.without_cases) return lint_command(lint, std::cout);
  try {
    SubprocessSet set;
    std::vector<CaseInfo> infos;
    for (auto& found : load_catalog(set, built_for(options)).cases) infos.push_back(std::move(found.info));
    lint.catalog = std::move(infos);
  } catch (const std::exception& error) {
    lint.no_catalog_because = error.what();
  }
  return lint_command(lint, std::cout);
}

int doctor(const Options& options) {
  SubprocessSet set;
  return doctor_command(set, {options.cases, options.expected, options.recorded, options.torch}, std::cout);
}

int completion(const CLI::App& app, const Options& options) {
  std::cout << completion_script(app, options.shell);
  return 0;
}

int dispatch(const CLI::App& app, Options& options, const std::vector<std::string>& argv) {
  if (app.got_subcommand("run")) return run(options, argv);
  if (app.got_subcommand("list")) return list(options);
  if (app.got_subcommand("show")) return show(options);
  if (app.got_subcommand("judge")) return judge(options);
  if (app.got_subcommand("merge")) return merge_command(options.merge, std::cout, std::cerr);
  if (app.got_subcommand("lint")) return lint(options);
  if (app.got_subcommand("completion")) return completion(app, options);
  return doctor(options);
}

int main(const std::vector<std::string>& argv) {
  if (argv.size() > 1 && is_front_door(argv[1])) return front_door({argv.begin() + 1, argv.end()});
  Options options;
  CLI::App app("cudasem: what PyTorch's CUDA semantics promise, what really happens, and what changed.",
               "cudasem");
  app.set_version_flag("--version", std::string("cudasem ") + layout::version());
  app.require_subcommand(1);
  add_run(app, options);
  add_others(app, options);
  try {
    app.parse(std::vector<std::string>(argv.rbegin(), argv.rend() - 1));
    parse_shard(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return dispatch(app, options, argv);
}

}  // namespace
}  // namespace cudasem

int main(int argc, char** argv) {
  try {
    return cudasem::main({argv, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "cudasem: " << error.what() << "\n";
    return cudasem::kInvalid;
  }
}
