import { secretArguments, secretHeaders, secretName, secretsOfUrl } from '../../recorder/secrets.ts';
import { environmentValue, type Io } from '../io.ts';
import type { ParsedOptions } from '../options.ts';

/**
 * The secrets of a command line: the values of headers, the password of a URL, and variables, parameters of a query and
 * arguments of the command whose names say so.
 */
export function secretsIn(parsed: ParsedOptions, env: Io['env'], args: readonly string[] = []): readonly string[] {
  return [
    ...secretArguments(args),
    ...secretHeaders(parsed.texts('header').map((line) => line.slice(line.indexOf(':') + 1))),
    ...parsed.texts('env').map((text) => variable(text, env)),
    ...parsed.words.flatMap(secretsOfUrl),
  ];
}

function variable(text: string, env: Io['env']): string {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  if (!secretName.test(name)) return '';
  return at < 0 ? (environmentValue(env, text) ?? '') : text.slice(at + 1);
}
