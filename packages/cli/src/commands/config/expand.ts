import { readFileSync, statSync } from 'node:fs';
import { basename, resolve, sep } from 'node:path';
import { environmentValue, type Io } from '../io.ts';

/** Mistake in a text of a configuration. It never holds the value of a variable. */
export class ConfigProblem extends Error {
  /** The path of keys to the invalid value. */
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
    [ownFolder]: folder,
  };
}

/** The key of the folder from which `{file:path}` counts. No file can name it. */
const ownFolder = '.';

/** Size limit of a file that a text names. */
const maxFileBytes = 64 * 1024;

/**
 * Puts variables into a text: `${NAME}`, `${env:NAME}`, or `${NAME:-default}`; and the content of a file: `${file:path}`.
 *
 * @param isLeft Tells which names are left as they are, for a program that puts them in by itself.
 *
 * @throws ConfigProblem for a variable that is not set, a file that cannot be read, and any other `${…}`.
 */
export function expand(
  text: string,
  path: readonly string[],
  env: Variables,
  isLeft: (name: string) => boolean = () => false,
): string {
  return replaced(text, (inner) => {
    if (isLeft(inner)) return `\${${inner}}`;
    if (isFile(inner)) return contentOf(inner, env, path);
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

/** True for what opencode and Windsurf replace by the content of a file. */
export function isFile(inner: string): boolean {
  return inner.startsWith('file:');
}

/** The content of a file, without the spaces and line ends around it. */
function contentOf(inner: string, env: Variables, path: readonly string[]): string {
  const named = inner.slice('file:'.length).trim();
  const file = resolve(
    env[ownFolder] ?? '',
    named.replace(/^~(?=[/\\])/, () => env['userHome'] ?? '~'),
  );
  const wrong = (why: string): never => {
    throw new ConfigProblem(path, `the file ${named} cannot be read: ${why}`);
  };
  try {
    // A pipe would block.
    const facts = statSync(file);
    if (facts.isFile() && facts.size <= maxFileBytes) return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown failure';
    return wrong(why === 'ENOENT' ? 'the file does not exist' : why);
  }
  return wrong(`it is no file of at most ${maxFileBytes} bytes`);
}

function variable(inner: string, env: Variables): Variable {
  if (isFile(inner)) return { name: inner, value: fileOrNothing(inner, env), otherwise: undefined };
  const [, name, otherwise] = /^(?:env:)?(\w+|\/)(?::-(.*))?$/s.exec(inner) ?? [];
  return { name, value: name === undefined ? undefined : environmentValue(env, name), otherwise };
}

function fileOrNothing(inner: string, env: Variables): string | undefined {
  try {
    return contentOf(inner, env, []);
  } catch {
    return undefined;
  }
}

/** Replaces each `${…}` by the value for its contents; opencode writes `{env:NAME}` and `{file:path}`. */
function replaced(written: string, by: (inner: string) => string): string {
  const text = written.replaceAll(/(?<!\$)\{(env:\w+|file:[^{}]+)\}/g, (_, inner: string) => `\${${inner}}`);
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
