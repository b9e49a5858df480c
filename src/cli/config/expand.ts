import { basename, sep } from 'node:path';
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

/** The variables that a file may name: those of the environment, and what editors have beside it. */
export type Variables = Io['env'];

/** Adds the variables that VS Code and Cursor have for a file of servers. A folder such as `.vscode` lies in that of the workspace. */
export function variablesFor(folder: string, env: Io['env']): Variables {
  const parts = folder.split(sep);
  const hidden = parts.findIndex((part) => /^\.[^.]/.test(part));
  const workspaceFolder = hidden < 1 ? folder : parts.slice(0, hidden).join(sep) || sep;
  return {
    userHome: env['HOME'] ?? env['USERPROFILE'],
    workspaceFolder,
    workspaceFolderBasename: basename(workspaceFolder),
    pathSeparator: sep,
    '/': sep,
    ...env,
  };
}

/**
 * Puts variables into a text: `${NAME}`, `${env:NAME}`, or `${NAME:-default}`.
 *
 * @param isLeft Tells which names are left as they are, for a program that puts them in by itself.
 *
 * @throws ConfigProblem for a variable that is not set, and for any other `${…}`.
 */
export function expand(
  text: string,
  path: readonly string[],
  env: Variables,
  isLeft: (name: string) => boolean = () => false,
): string {
  return replaced(text, (inner) => {
    if (isLeft(inner)) return `\${${inner}}`;
    const { name, value, otherwise } = variable(inner, env);
    if (name === undefined)
      throw new ConfigProblem(path, `\${${inner}} means nothing here; variables are written \${NAME} or \${env:NAME}`);
    if (value !== undefined || otherwise !== undefined) return value ?? otherwise ?? '';
    throw new ConfigProblem(path, `the variable ${name} is not set; set it, or write \${${name}:-default}`);
  });
}

/** A text for messages: what the file says is there, defaults too, and of a variable that is set only its name. */
export function told(text: string, env: Variables): string {
  return replaced(text, (inner) => {
    const { value, otherwise } = variable(inner, env);
    if (value === '' || (value === undefined && otherwise !== undefined)) return value ?? otherwise ?? '';
    return `\${${inner}}`;
  });
}

/** The values of the variables that a text names, by their names. */
export function variablesIn(text: string, env: Variables): Readonly<Record<string, string>> {
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

function variable(inner: string, env: Variables): Variable {
  const [, name, otherwise] = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*|\/)(?::-(.*))?$/s.exec(inner) ?? [];
  return { name, value: name === undefined ? undefined : env[name], otherwise };
}

/** Puts something in the place of each `${…}`, by what is between the braces; opencode writes `{env:NAME}`. */
function replaced(written: string, by: (inner: string) => string): string {
  const text = written.replaceAll(/(?<!\$)\{env:(\w+)\}/g, (_, name: string) => `\${env:${name}}`);
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
