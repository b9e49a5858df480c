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
