import { topics } from './help.ts';
import { UsageError, type Io } from '../io.ts';

/** Names of a command and its options, for a shell. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly string[];
}

type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

const scripts: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = { bash, zsh, fish, powershell };

/** Prints a script with which a shell completes commands and options. */
export function completion([shell, ...extra]: readonly string[], io: Io): Promise<number> {
  const script = shell !== undefined && Object.hasOwn(scripts, shell) ? scripts[shell as Shell] : undefined;
  if (script === undefined || extra.length > 0)
    throw new UsageError(`name one shell: ${Object.keys(scripts).join(', ')}`);
  const commands = topics.map(({ name, summary, groups }) => ({
    name,
    summary,
    options: [
      ...new Set(groups.flatMap((group) => group.options.flatMap(({ flag }) => flag.match(/--[\w-]+/)?.[0] ?? []))),
      '--help',
    ],
  }));
  io.stdout.write(script(commands));
  return Promise.resolve(0);
}

function names(commands: readonly Completed[]): string {
  return commands.map(({ name }) => name).join(' ');
}

function bash(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) offered='${options.join(' ')}' ;;`);
  return `# parley completion bash > ~/.local/share/bash-completion/completions/parley
_parley() {
  local offered=''
  if [ "$COMP_CWORD" = 1 ]; then offered='${names(commands)}'; else case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$offered" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _parley parley parley-cli
`;
}

function zsh(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) compadd -- ${options.join(' ')} ;;`);
  return `#compdef parley parley-cli
# parley completion zsh > a file _parley in a folder of $fpath
_parley() {
  if (( CURRENT == 2 )); then compadd -- ${names(commands)}; return; fi
  if [[ $words[CURRENT] != -* ]]; then _files; return; fi
  case $words[2] in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = "_parley" ]; then _parley "$@"; else compdef _parley parley parley-cli; fi
`;
}

function fish(commands: readonly Completed[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`\'`)}'`;
  const lines = ['parley', 'parley-cli'].flatMap((program) =>
    commands.flatMap(({ name, summary, options }) => [
      `complete -c ${program} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...options.map(
        (option) => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ]),
  );
  return `# parley completion fish > ~/.config/fish/completions/parley.fish\n${lines.join('\n')}\n`;
}

function powershell(commands: readonly Completed[]): string {
  const list = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ');
  const rows = commands.map(({ name, options }) => `  '${name}' = @(${list(options)})`);
  return `# parley completion powershell | Out-String | Invoke-Expression
$parleyOptions = @{
${rows.join('\n')}
}
Register-ArgumentCompleter -Native -CommandName parley, parley-cli -ScriptBlock {
  param($word, $line, $position)
  $typed = $line.CommandElements
  $isCommand = $typed.Count -lt 2 -or ($typed.Count -eq 2 -and $word -ne '')
  $offered = if ($isCommand) { $parleyOptions.Keys } else { $parleyOptions["$($typed[1])"] }
  $offered | Where-Object { $_ -like "$word*" } | Sort-Object | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`;
}
