#include "releases.h"

#include <fmt/format.h>

#include "toml_fields.h"

namespace cudasem {

std::vector<Release> read_releases(const TomlTree& tree, const std::string& file,
                                   std::vector<Problem>& problems) {
  const TomlFields document(tree, file, problems);
  document.only({"release"}, "releases.toml");
  std::vector<Release> releases;
  std::optional<Version> last;
  for (const auto* table : document.tables("release")) {
    const TomlFields fields(*table, file, problems);
    fields.only({"torch", "cuda_toolkit"}, "a release");
    fields.need("torch", "the version of the wheel, \"2.14.1\"");
    fields.need("cuda_toolkit", "the version of PyPI's cuda-toolkit that it was built for, \"13.0.3\"");
    Release release{fields.string("torch").value_or(""), fields.string("cuda_toolkit").value_or("")};
    if (release.torch.empty()) continue;
    const auto version = Version::parse(release.torch);
    if (!version) {
      fields.problem("torch",
                     fmt::format("\"{}\" is no version: something like 2.14.1 was expected", release.torch));
      continue;
    }
    if (last && *version <= *last)
      fields.problem("torch", fmt::format("{} stands after {}: oldest first was expected, each once",
                                          release.torch, last->text()));
    last = version;
    releases.push_back(std::move(release));
  }
  if (releases.empty())
    document.problem("release", "no release is listed: at least one [[release]] was expected");
  return releases;
}

}  // namespace cudasem
