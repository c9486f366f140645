#include "rejudge.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <ostream>

#include "events.h"
#include "judge.h"

namespace cudasem {

using nlohmann::json;

namespace {

/// As many of the last attempts as the old verdict was about: earlier ones were tried again for a reason.
Judgement judge_entry(const LogEntry& entry, const Expectation* expected, const Waivers& waivers) {
  const int repeats = entry.verdict.is_object() ? std::max(1, entry.verdict.value("n", 1)) : 1;
  const auto count = std::min(entry.attempts.size(), static_cast<size_t>(repeats));
  std::vector<Judgement> judgements;
  for (size_t i = entry.attempts.size() - count; i < entry.attempts.size(); ++i) {
    const Observed& seen = entry.attempts[i];
    judgements.push_back(judge(expected, entry.kind(), entry.way(), seen, entry.subject));
    waive(judgements.back(), waivers, entry.id(), seen.outcome);
  }
  Judgement judgement = combine(judgements);
  if (judgements.empty()) waive(judgement, waivers, entry.id(), Outcome::missing);
  return judgement;
}

/// What was not valid then is not valid now: killed, not valid by its own word, or nothing ran. Otherwise the
/// verdicts decide.
int exit_status(const json& old_finish, const std::map<std::string, int>& counts) {
  if (!old_finish.is_object() || old_finish.value("exit", 0) == 2) return 2;
  const bool judged = std::any_of(counts.begin(), counts.end(), [](const auto& count) {
    return count.first != name(Verdict::skipped) && count.second > 0;
  });
  if (!judged) return 2;
  return are_fine(counts) ? 0 : 1;
}

json expectation_for(const LogEntry& entry, const Expectation* expected, const Recordings& recordings) {
  if (entry.id().ends_with(".*")) return nullptr;  // an area that did not compile
  if (!expected) return default_expectation(entry.kind(), entry.way());
  return to_json(*expected, recordings.evidence(*expected, entry.hash(), entry.subject.torch));
}

}  // namespace

std::vector<json> rejudge(const Log& log, const Expectations& expectations, const Recordings& recordings,
                          const Waivers& waivers) {
  std::vector<json> events;
  for (const auto& event : log.events) {
    const std::string word = event.at("event");
    if (word == "verdict" || word == "finish") continue;
    json copy = event;
    if (word == "run") {
      copy["judged_from"] = event.value("id", "");
      copy["id"] = fmt::format("{}-judged-{}", event.value("id", ""), expectations.hash().substr(0, 8));
      copy["expected_hash"] = expectations.hash();
    }
    if (word == "plan") {
      const LogEntry& entry = *log.find(event.at("key").get<std::string>());
      copy["expectation"] = expectation_for(entry, expectations.find(entry.id(), entry.subject), recordings);
    }
    events.push_back(std::move(copy));
  }
  std::map<std::string, int> counts;
  for (const auto& entry : log.entries) {
    const auto judgement = judge_entry(entry, expectations.find(entry.id(), entry.subject), waivers);
    events.push_back(events::verdict(entry.key, judgement));
    ++counts[counted_as(judgement)];
  }
  const double t_ms = log.events.empty() ? 0 : log.events.back().value("t_ms", 0.0);
  events.push_back(
      {{"event", "finish"}, {"counts", counts}, {"exit", exit_status(log.finish, counts)}, {"t_ms", t_ms}});
  return events;
}

namespace {

std::string gzip(const std::string& text) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw LogError("zlib does not start");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void write_new_file(const std::filesystem::path& file, std::string_view bytes) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0)
    throw LogError(
        errno == EEXIST
            ? fmt::format("{}: the file exists, and a log is never overwritten: choose another name",
                          file.string())
            : fmt::format("{}: the log cannot be written: {}", file.string(), std::strerror(errno)));
  bool good = true;
  while (good && !bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
    good = written > 0 || errno == EINTR;
  }
  const int cause = errno;
  if (::close(fd) != 0 || !good)
    throw LogError(fmt::format("{}: the log is not complete: {}", file.string(), std::strerror(cause)));
}

/// One line for each key that is not as expected, then the counts.
void print_verdicts(const std::vector<json>& events, std::ostream& out) {
  for (const auto& event : events)
    if (event["event"] == "verdict" && event["verdict"] != "as_expected" && event["verdict"] != "skipped")
      out << fmt::format("{}{}: {}: {}\n", event["verdict"].get<std::string>(),
                         event.contains("waived") ? ", waived" : "", event["key"].get<std::string>(),
                         event["reason"].get<std::string>());
  std::string counts;
  for (const auto& [verdict, count] : events.back()["counts"].items())
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count.get<int>(), verdict);
  out << (counts.empty() ? "nothing was planned" : counts) << "\n";
}

}  // namespace

void write_log(const std::filesystem::path& file, const std::vector<json>& events) {
  std::string text;
  for (const auto& event : events) text += event.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  write_new_file(file, file.extension() == ".gz" ? gzip(text) : text);
}

std::filesystem::path judged_name(const std::filesystem::path& log) {
  std::string stem = log.filename().string();
  for (const char* end : {".gz", ".ndjson"})
    if (stem.ends_with(end)) stem.resize(stem.size() - std::string_view(end).size());
  for (int number = 1;; ++number) {
    const auto name = fmt::format("{}-judged{}.ndjson", stem, number == 1 ? "" : fmt::format("-{}", number));
    if (!std::filesystem::exists(log.parent_path() / name)) return log.parent_path() / name;
  }
}

int judge_command(const JudgeOptions& options, std::ostream& out, std::ostream& err) {
  try {
    const auto expectations = Expectations::load(options.expected);
    for (const auto& problem : expectations.problems()) err << text(problem) << "\n";
    if (has_errors(expectations.problems())) return 2;
    std::vector<Problem> problems;
    const auto recordings = Recordings::load(options.recorded, problems);
    for (const auto& problem : problems) err << text(problem) << "\n";
    std::vector<Problem> in_waivers;
    const auto waivers = Waivers::load(options.waivers, in_waivers);
    for (const auto& problem : in_waivers) err << text(problem) << "\n";
    if (has_errors(in_waivers)) return 2;
    for (const auto& waiver : waivers.expired()) err << expired_text(waiver) << "\n";
    const auto log = read_log(options.log);
    if (log.run.is_null())
      throw LogError(fmt::format("{}: the log ends before its first event: there is nothing to judge",
                                 options.log.string()));
    const auto events = rejudge(log, expectations, recordings, waivers);
    write_log(options.out, events);
    print_verdicts(events, out);
    out << "log: " << options.out.string() << "\n";
    return events.back()["exit"];
  } catch (const LogError& error) {
    err << error.what() << "\n";
    return 2;
  }
}

}  // namespace cudasem
