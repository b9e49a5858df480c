import type { Explanation } from './explain-report.ts';
import type { Io } from './io.ts';
import type { Parsed } from './options.ts';

/** What a shorter text hides would be hidden by accident. */
const shortest = 8;

const secretName = /key|token|secret|pass|auth|cred|sig/i;

/** Takes secrets out of every text of a value: a server may repeat what it was sent. */
export function withoutTexts(value: Explanation, secrets: readonly string[]): Explanation {
  const hidden = asWritten(secrets);
  if (hidden.length === 0) return value;
  // Texts are replaced by texts, so that the shape stays.
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? hidden.reduce((text, secret) => text.replaceAll(secret, '•••'), part) : part,
  ) as Explanation;
}

/** As they are and as they are written in JSON, the longest first. */
function asWritten(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets)]
    .filter((value) => value.length >= shortest)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .toSorted((one, another) => another.length - one.length);
}

/**
 * The secrets of a command line: the values of headers, the password of a URL, and variables and parameters of a query
 * whose names say so.
 */
export function secretsIn(parsed: Parsed, env: Io['env']): readonly string[] {
  return [
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

/** The password of a URL, and the parameters of its query whose names say that they are secret. */
export function secretsOfUrl(word: string): readonly string[] {
  if (!URL.canParse(word)) return [];
  const { password, searchParams } = new URL(word);
  return [password, ...[...searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : []))];
}
