import type { HelpTopic } from './topic.ts';

export const completionTopic: HelpTopic = {
  name: 'completion',
  summary: 'print a script that completes commands and options in your shell',
  examples: [
    ['parley completion bash > ~/.local/share/bash-completion/completions/parley', ''],
    ['parley completion zsh > ~/.zfunc/_parley', ''],
    ['parley completion fish > ~/.config/fish/completions/parley.fish', ''],
    ['parley completion powershell | Out-String | Invoke-Expression', ''],
  ],
  usage: ['bash|zsh|fish|powershell'],
  about: ['The script knows the names of commands and options. It starts nothing and connects to nothing.'],
  groups: [],
};
