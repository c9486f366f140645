#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "profiles.h"

namespace cudasem {

namespace {

// bashcompinit lets zsh run what is written for bash.
constexpr const char* kZshHead =
    "#compdef cudasem\n"
    "autoload -U +X compinit && compinit\n"
    "autoload -U +X bashcompinit && bashcompinit\n";

// clang-format off
constexpr const char* kBody = R"SH(_cudasem() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
  local cases="" i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{commands}" -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    if [ "${{COMP_WORDS[i-1]}}" = --cases ]; then cases=${{COMP_WORDS[i]}}; fi
  done
  case $previous in
    --kind) COMPREPLY=($(compgen -W "rule misuse observe measure" -- "$word")); return ;;
    --way) COMPREPLY=($(compgen -W "wrong right" -- "$word")); return ;;
    --profile) COMPREPLY=($(compgen -W "{profiles}" -- "$word")); return ;;
    --area)
      COMPREPLY=($(compgen -W "$("${{COMP_WORDS[0]}}" list --ids ${{cases:+--cases "$cases"}} 2>/dev/null |
        cut -d. -f1 | sort -u)" -- "$word"))
      return ;;
  esac
  if [ "${{word#-}}" != "$word" ]; then
    case $command in
{options}    esac
    return
  fi
  case $command in
    run|list|show|export)
      COMPREPLY=($(compgen -W "$("${{COMP_WORDS[0]}}" list --ids ${{cases:+--cases "$cases"}} 2>/dev/null)" \
        -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W "bash zsh" -- "$word")) ;;
  esac
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
}}
complete -F _cudasem cudasem
)SH";
// clang-format on

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> result;
  for (const CLI::Option* option : command.get_options())
    for (const auto& name : option->get_lnames()) result.push_back("--" + name);
  return result;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  std::vector<std::string> commands, names;
  std::string options;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
    options += fmt::format("      {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")) ;;\n",
                           command->get_name(), fmt::join(options_of(*command), " "));
  }
  for (const auto& profile : profiles()) names.push_back(profile.name);
  const std::string body =
      fmt::format(fmt::runtime(kBody), fmt::arg("commands", fmt::join(commands, " ")),
                  fmt::arg("profiles", fmt::join(names, " ")), fmt::arg("options", options));
  return (shell == "zsh" ? kZshHead : "") + body;
}

}  // namespace cudasem
