import { hiding } from '../../auth/secrets.ts';
import type { Explanation } from './report.ts';
import type { Io } from '../io.ts';
import type { Parsed } from '../options.ts';

const secretName = /key|token|secret|pass|auth|cred|sig/i;

/** Takes secrets out of every text of a value: a server may repeat what it was sent. */
export function withoutTexts(value: Explanation, secrets: readonly string[]): Explanation {
  const hide = hiding(secrets);
  // Texts are replaced by texts, so that the shape stays.
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? hide(part) : part,
  ) as Explanation;
}

/**
 * The secrets of a command line: the values of headers, the password of a URL, and variables, parameters of a query and
 * arguments of the command whose names say so.
 */
export function secretsIn(parsed: Parsed, env: Io['env'], args: readonly string[] = []): readonly string[] {
  return [
    ...secretArguments(args),
    ...secretHeaders(parsed.texts('header').map((line) => line.slice(line.indexOf(':') + 1))),
    ...parsed.texts('env').map((text) => variable(text, env)),
    ...parsed.words.flatMap(secretsOfUrl),
  ];
}

/** The values of headers, with and without the scheme that they may begin with. */
export function secretHeaders(values: readonly string[]): readonly string[] {
  return values.map((value) => value.trim()).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]);
}

/** The values of variables whose names say that they are secret. */
export function secretVariables(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
}

function variable(text: string, env: Io['env']): string {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  if (!secretName.test(name)) return '';
  return at < 0 ? (env[text] ?? '') : text.slice(at + 1);
}

/** A part of a path that is rather a key than a name. */
const keyInPath = /^(?=.*\d)[\w~-]{20,}$/;

/** The credentials of a URL, the keys in its path, and the parameters of its query whose names say that they are secret. */
export function secretsOfUrl(word: string): readonly string[] {
  if (!URL.canParse(word)) return [];
  const { username, password, pathname, searchParams } = new URL(word);
  // A name without a password is a token.
  const credential = password === '' ? username : password;
  return [
    credential,
    decoded(credential),
    Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64'),
    ...pathname.split('/').filter((part) => keyInPath.test(part)),
    ...[...searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : [])),
  ];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Texts that follow a flag whose name says that it is secret, or its `=`. */
export function secretArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const [, flag = '', value] = /^-{1,2}([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (!secretName.test(flag)) return [];
    const next = args[at + 1] ?? '';
    return [value ?? (next.startsWith('-') ? '' : next)];
  });
}
