import type { Io } from './io.ts';

/** What makes a text of a configuration wrong. It never holds the value of a variable. */
export class ConfigProblem extends Error {
  /** The keys that lead to what is wrong. */
  readonly path: readonly string[];

  constructor(path: readonly string[], message: string) {
    super(message);
    this.name = 'ConfigProblem';
    this.path = path;
  }
}

/**
 * Puts variables of the environment into a text: `${NAME}`, `${env:NAME}`, or `${NAME:-default}`.
 *
 * @throws ConfigProblem for a variable that is not set, and for any other `${…}`.
 */
export function expand(text: string, path: readonly string[], env: Io['env']): string {
  let expanded = '';
  for (let done = 0; ;) {
    const begin = text.indexOf('${', done);
    const end = begin < 0 ? -1 : text.indexOf('}', begin);
    if (end < 0) return expanded + text.slice(done);
    expanded += text.slice(done, begin) + valueOf(text.slice(begin + 2, end), path, env);
    done = end + 1;
  }
}

function valueOf(inner: string, path: readonly string[], env: Io['env']): string {
  const [, name, otherwise] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? [];
  if (name === undefined)
    throw new ConfigProblem(path, `\${${inner}} means nothing here; variables are written \${NAME} or \${env:NAME}`);
  const value = env[name] ?? otherwise;
  if (value === undefined)
    throw new ConfigProblem(path, `the variable ${name} is not set; set it, or write \${${name}:-default}`);
  return value;
}
