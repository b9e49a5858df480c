/** Flags that are known not to be followed by a secret. */
const harmlessFlags: ReadonlySet<string> = new Set(['-m', '-q', '-u', '-y', '--yes', '--quiet', '--silent']);

/**
 * What a person would call a command: the program, its first flags by name and what it runs (a script, a package).
 * Anything that may be a secret is left out: values of flags, all later arguments, credentials in a URL.
 */
export function describeCommand(command: string, args: readonly string[]): string {
  const words = [command];
  for (const [index, arg] of args.entries()) {
    const flag = arg.startsWith('-');
    const shown = flag
      ? arg.replace(/=.*/s, '=…')
      : args[index - 1] === undefined || harmlessFlags.has(args[index - 1] ?? '')
        ? withoutCredentials(arg)
        : '…';
    words.push(shown);
    if (!flag) {
      if (index < args.length - 1 && shown !== '…') words.push('…');
      break;
    }
  }
  return words.join(' ');
}

function withoutCredentials(arg: string): string {
  return arg.replace(/\/\/[^/@]*@/, '//').replace(/[?#].*/s, '');
}
