/** Flags that hold no secret and are not followed by one. */
const harmlessFlags: ReadonlySet<string> = new Set(['-jar', '-m', '-q', '-u', '-y', '--yes', '--quiet', '--silent']);

/**
 * A readable name of a command: the program, its first flags without values, and the script or package that it runs.
 * Possible secrets are left out: values of flags and variables, all later arguments, credentials in a URL.
 */
export function describeCommand(command: string, args: readonly string[]): string {
  const words = [withoutCredentials(command)];
  for (const [index, arg] of args.entries()) {
    const before = index === 0 ? undefined : args[index - 1];
    // A variable, as `env` takes them, is not the program.
    const variable = /^[A-Za-z_]\w*=/.exec(arg)?.[0];
    const isFlag = arg.startsWith('-');
    if (variable !== undefined) words.push(`${variable}…`);
    else if (isFlag) words.push(flagOf(arg));
    else {
      const isKnown = before === undefined || harmlessFlags.has(before) || /^[A-Za-z_]\w*=/.test(before);
      words.push(isKnown ? withoutCredentials(arg) : '…');
      if (index < args.length - 1 && isKnown) words.push('…');
      break;
    }
  }
  return words.join(' ');
}

/** A flag by its name: what follows `=`, or the one letter of a short flag, is its value. */
function flagOf(arg: string): string {
  if (harmlessFlags.has(arg) || arg === '--') return arg;
  if (arg.startsWith('--')) return arg.replace(/=.*/s, '=…');
  return arg.length > 2 ? `${arg.slice(0, 2)}…` : arg;
}

function withoutCredentials(arg: string): string {
  // A password may hold an @ itself: the last one before the path ends it.
  return arg.replace(/\/\/[^/]*@/, '//').replace(/[?#].*/s, '');
}
