#include "log_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "json_reading.h"

namespace cudasem {

using nlohmann::json;

namespace {

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with('\x1f');
}

/// Everything that can be had from a gzip stream, which may end anywhere and have several members.
std::string inflate_all(std::string_view bytes, const std::string& name) {
  z_stream stream = {};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw LogError(name + ": zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int result = Z_OK;
  while (result == Z_OK || (result == Z_STREAM_END && stream.avail_in > 0)) {
    if (result == Z_STREAM_END) inflateReset(&stream);
    char block[1 << 16];
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof block;
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(block, sizeof block - stream.avail_out);
  }
  const auto read = bytes.size() - stream.avail_in;
  inflateEnd(&stream);
  if (result != Z_STREAM_END &&
      result != Z_BUF_ERROR)  // Z_BUF_ERROR: it ends in the middle, as a killed run leaves it
    throw LogError(fmt::format("{}: gzip data are damaged after {} bytes: take the log from its source again",
                               name, read));
  return text;
}

/// Attempts in shuffled batches are compared with others, and never judged.
bool is_judged(const json& end) {
  return end.value("how", "") != "shuffle";
}

/// Builds a Log from one event after the other.
class LogBuilder {
 public:
  explicit LogBuilder(std::filesystem::path file) { log_.file = std::move(file); }

  void add(json event) {
    const std::string word = event.at("event");
    if (log_.events.empty() && word != "run")
      throw LogError(fmt::format("this is no event log: it must start with `run`, found `{}`", word));
    if (word == "run") run(event);
    if (word == "machine") log_.machine = event;
    if (word == "subject") log_.subject = event;
    if (word == "plan") plan(event);
    if (word == "begin") begin(event);
    if (word == "end" && is_judged(event)) entry(event).attempts.push_back(observed_from_json(event));
    if (word == "verdict") entry(event).verdict = event;
    if (word == "finish") log_.finish = event;
    log_.events.push_back(std::move(event));  // other words: a later version's, which may add some
  }

  Log result() && { return std::move(log_); }

 private:
  void run(const json& event) {
    const json& schema = event.at("schema");
    if (!schema.is_number_integer() || schema.get<double>() < 1)
      throw LogError(fmt::format("`schema` is {}: a whole number from 1 on was expected", schema.dump()));
    if (schema.get<double>() > log_schema)
      throw LogError(fmt::format("the log has schema {}, this program reads up to {}: use a newer cudasem",
                                 schema.dump(), log_schema));
    if (log_.run.is_null()) log_.run = event;
    if (const json first = log_.run.value("id", json()), id = event.value("id", json()); id != first)
      throw LogError(
          fmt::format("a second run, {}, in the log of {}: one run a log was expected. Cut the file "
                      "before this line to read the first one",
                      id.dump(), first.dump()));
    log_.finish = nullptr;  // a run that is resumed has not finished yet
  }

  void plan(const json& event) {
    const std::string key = event.at("key");
    const auto [known, added] = index_.emplace(key, log_.entries.size());
    if (added) log_.entries.emplace_back();
    LogEntry& entry = log_.entries[known->second];
    entry.key = key;
    entry.plan = event;
    entry.subject = subject(event);
  }

  void begin(const json& event) {
    LogEntry& started = entry(event);
    const json gpu = event.value("gpu", json());
    if (!gpu.is_null()) started.subject.cc = cc_of(gpu);
  }

  LogEntry& entry(const json& event) {
    const std::string key = event.at("key");
    const auto found = index_.find(key);
    if (found == index_.end())
      throw LogError(fmt::format("`{}` of {}, which was not planned", event["event"], key));
    return log_.entries[found->second];
  }

  json gpus() const {
    return log_.machine.is_object() ? log_.machine.value("gpus", json::array()) : json::array();
  }

  std::string cc_of(const json& index) const {
    for (const auto& gpu : gpus())
      if (gpu.at("index") == index) return gpu.value("cc", "");
    return "";
  }

  Subject subject(const json& plan) const {
    Subject subject;
    subject.torch = log_.torch();
    if (log_.subject.is_object()) subject.cuda = log_.subject.value("cuda_runtime", "");
    if (log_.machine.is_object()) subject.driver = log_.machine.value("driver", "");
    const json all = gpus();
    if (!all.empty()) subject.cc = all.front().value("cc", "");
    subject.gpus = static_cast<int>(all.size());
    subject.profile = plan.value("profile", "native");
    return subject;
  }

  Log log_ = {};
  std::map<std::string, size_t> index_ = {};
};

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw LogError(
        fmt::format("{}: the log cannot be read: check the name and its permissions", file.string()));
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string LogEntry::counted_as() const {
  if (!verdict.is_object()) return "missing";
  return verdict.contains("waived") ? "waived" : verdict.value("verdict", "missing");
}

Kind LogEntry::kind() const {
  return parse_kind(plan.value("kind", "")).value_or(Kind::rule);
}

const LogEntry* Log::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const LogEntry& it) { return it.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Log read_log_text(std::string_view bytes, const std::filesystem::path& name) {
  const std::string unpacked = is_gzip(bytes) ? inflate_all(bytes, name.string()) : std::string(bytes);
  LogBuilder builder(name);
  std::string_view rest = unpacked;
  for (int line = 1; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;  // torn: whatever it says may be half of it
    const auto fail = [&](std::string_view what) {
      throw LogError(fmt::format("{}:{}: {}", name.string(), line, what));
    };
    try {
      builder.add(parse_json(rest.substr(0, end), kDeepestEvent));
    } catch (const json::parse_error& error) {
      fail(fmt::format("an event (one JSON object a line) was expected, but: {}", error.what()));
    } catch (const json::exception& error) {
      fail(fmt::format("the event has a member that is missing or wrong: {}", error.what()));
    } catch (const std::runtime_error& error) {  // also LogError
      fail(error.what());
    }
    rest.remove_prefix(end + 1);
  }
  return std::move(builder).result();
}

Log read_log(const std::filesystem::path& file) {
  return read_log_text(read_bytes(file), file);
}

std::vector<std::filesystem::path> find_logs(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> logs;
  std::error_code failed;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder, failed)) {
    const std::string name = item.path().filename().string();
    if (name.ends_with(".ndjson") || name.ends_with(".ndjson.gz")) logs.push_back(item.path());
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

}  // namespace cudasem
