/** `completion SHELL`: a script for the shell's own completion, which asks the hidden `__complete`. */
import { PoppetError } from "../error.ts";
import { hint } from "../nearest.ts";
import type { Program } from "./program.ts";

const scripts: { readonly [shell: string]: string } = {
  bash: `# poppet completion for bash. In ~/.bashrc: eval "$(poppet completion bash)"
_poppet() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("\${COMP_WORDS[0]}" __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _poppet poppet
`,
  zsh: `#compdef poppet
# poppet completion for zsh. In ~/.zshrc, after compinit: eval "$(poppet completion zsh)"
_poppet() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done < <("\${words[1]}" __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe poppet found || _files
}
compdef _poppet poppet
`,
  fish: `# poppet completion for fish. Once: poppet completion fish > ~/.config/fish/completions/poppet.fish
function __poppet_complete
    set -l words (commandline -opc)
    command $words[1] __complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c poppet -f -a '(__poppet_complete)'
`,
};

export async function completion(this: Program, _flags: object, shell: string): Promise<void> {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  const shells = Object.keys(scripts);
  if (script === undefined) {
    throw new PoppetError(
      "usage",
      `unknown shell "${shell}"${hint(shell, shells) || `; known are ${shells.join(", ")}`}`,
    );
  }
  this.stdout.write(script);
}
