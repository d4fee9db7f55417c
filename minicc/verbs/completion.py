"""`minicc completion SHELL`: a completion script made from the option table."""

from __future__ import annotations

from minicc.diagnostics import fail
from minicc.options import OPTIONS
from minicc.verbs import VERBS

HELP = """Usage: minicc completion bash|zsh|fish

Prints a script that completes minicc's verbs and options.

  bash      source <(minicc completion bash)
  zsh       minicc completion zsh > "${fpath[1]}/_minicc"
  fish      minicc completion fish > ~/.config/fish/completions/minicc.fish
"""


def main(words: list[str]) -> int:
    """Print the script for bash, zsh or fish."""
    shell = words[0] if words else ""
    if shell in ("-h", "--help"):
        print(HELP, end="")
        return 0
    options = [("--" if len(name) > 1 else "-") + name for option in OPTIONS for name in option.names]
    if shell == "bash":
        print(
            "_minicc() {\n"
            '    local word="${COMP_WORDS[COMP_CWORD]}"\n'
            f'    if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "{" ".join(options)}" -- "$word"))\n'
            f'    else COMPREPLY=($(compgen -f -W "{" ".join(VERBS)}" -- "$word")); fi\n'
            "}\n"
            "complete -o filenames -F _minicc minicc"
        )
    elif shell == "zsh":
        lines = [f"    '{('--' if len(o.names[0]) > 1 else '-') + o.names[0]}[{_quiet(o.help)}]'" for o in OPTIONS]
        verbs = " ".join(VERBS)
        print(
            "#compdef minicc\n_arguments \\\n"
            + " \\\n".join(lines)
            + f" \\\n    '1:verb or file:({verbs})' '*:file:_files'"
        )
    elif shell == "fish":
        for option in OPTIONS:
            spelled = " ".join(f"-l {name}" if len(name) > 1 else f"-s {name}" for name in option.names)
            print(f"complete -c minicc {spelled} -d '{_quiet(option.help)}'")
        for verb, text in VERBS.items():
            print(f"complete -c minicc -n __fish_use_subcommand -a {verb} -d '{_quiet(text)}'")
    else:
        fail("cli.bad-value", f"minicc completion takes bash, zsh or fish, not '{shell}'")
    return 0


def _quiet(text: str) -> str:
    """Without the characters that would end a quoted word or a zsh description."""
    return text.replace("'", "").replace("[", "(").replace("]", ")").replace(":", ";")
