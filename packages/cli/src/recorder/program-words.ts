/**
 * Words that start this program again, in a command line that a person copies: `npx parley-cli` if npx started it.
 *
 * @param env Environment of this process, in which npm says how it started a program.
 */
export function programWords(
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly [string, ...string[]] {
  return env['npm_command'] === 'exec' ? ['npx', 'parley-cli'] : ['parley'];
}

/** The name of this program before a command or an option, in running text. */
const inText =
  /(?<![\w/.@-])parley (?=(?:bridge|call|check|complet(?:e|ion)|example|explain|help|inspect|login|logout|prompt|read|send|start|tasks|watch|whoami)\b|--)/g;

/** Advice with commands that work as they stand: they begin with `npx parley-cli` if npx started this program. */
export function asStarted(advice: string, env?: Readonly<Record<string, string | undefined>>): string {
  return advice.replaceAll(inText, `${programWords(env).join(' ')} `);
}
