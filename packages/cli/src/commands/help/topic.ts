/** The help on a command, as data. */

/** An option and what it does. */
export interface HelpOption {
  /** As it is typed, with the form of its value. */
  readonly flag: string;
  /** Sentences; a default stands at the end, in brackets. */
  readonly text: string;
  /** Mark of an option that only `--help-all` shows. */
  readonly isRare?: true;
}

/** Options that belong together. */
export interface HelpGroup {
  readonly title: string;
  readonly options: readonly HelpOption[];
}

/** An example: the command line and its purpose. */
export type HelpExample = readonly [line: string, purpose: string];

/** All that the help says of a command. */
export interface HelpTopic {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly examples: readonly HelpExample[];
  /** The forms of the command, without the name of the program. */
  readonly usage: readonly string[];
  /** Paragraphs that everybody reads. */
  readonly about?: readonly string[];
  readonly groups: readonly HelpGroup[];
  /** Paragraphs that only `--help-all` shows. */
  readonly details?: readonly string[];
  /** Meanings of exit codes, if they are narrower than those of all commands. */
  readonly exitCodes?: string;
}
