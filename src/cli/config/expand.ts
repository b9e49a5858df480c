import type { Io } from '../io.ts';

/** Mistake in a text of a configuration. It never holds the value of a variable. */
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
  return replaced(text, (inner) => {
    const { name, value, otherwise } = variable(inner, env);
    if (name === undefined)
      throw new ConfigProblem(path, `\${${inner}} means nothing here; variables are written \${NAME} or \${env:NAME}`);
    if (value !== undefined || otherwise !== undefined) return value ?? otherwise ?? '';
    throw new ConfigProblem(path, `the variable ${name} is not set; set it, or write \${${name}:-default}`);
  });
}

/** A text for messages: what the file says is there, defaults too, and of a variable that is set only its name. */
export function told(text: string, env: Io['env']): string {
  return replaced(text, (inner) => {
    const { value, otherwise } = variable(inner, env);
    if (value === '' || (value === undefined && otherwise !== undefined)) return value ?? otherwise ?? '';
    return `\${${inner}}`;
  });
}

/** The values of the variables that a text names, by their names. */
export function variablesIn(text: string, env: Io['env']): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  replaced(text, (inner) => {
    const { name, value } = variable(inner, env);
    if (name !== undefined && value !== undefined) found.push([name, value]);
    return '';
  });
  return Object.fromEntries(found);
}

interface Variable {
  readonly name: string | undefined;
  readonly value: string | undefined;
  readonly otherwise: string | undefined;
}

function variable(inner: string, env: Io['env']): Variable {
  const [, name, otherwise] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? [];
  return { name, value: name === undefined ? undefined : env[name], otherwise };
}

/** Puts something in the place of each `${…}`, by what is between the braces. */
function replaced(text: string, by: (inner: string) => string): string {
  let done = 0;
  let result = '';
  for (;;) {
    const begin = text.indexOf('${', done);
    const end = begin < 0 ? -1 : text.indexOf('}', begin);
    if (end < 0) return result + text.slice(done);
    result += text.slice(done, begin) + by(text.slice(begin + 2, end));
    done = end + 1;
  }
}
