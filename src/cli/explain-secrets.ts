import type { Explanation } from './explain-report.ts';
import type { Io } from './io.ts';
import type { Parsed } from './options.ts';

/** What a shorter text hides would be hidden by accident. */
const shortest = 8;

const secretName = /key|token|secret|pass|auth|cred|sig/i;

/**
 * Takes the secrets of a command line out of every text of a value: a server may repeat what it was sent. Secret are the
 * values of headers, the password of a URL, and variables and parameters of a query whose names say so.
 */
export function withoutSecrets(value: Explanation, parsed: Parsed, env: Io['env']): Explanation {
  const hidden = secretsIn(parsed, env);
  if (hidden.length === 0) return value;
  // Texts are replaced by texts, so that the shape stays.
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? hidden.reduce((text, secret) => text.replaceAll(secret, '•••'), part) : part,
  ) as Explanation;
}

/** As they are and as they are written in JSON, the longest first. */
function secretsIn(parsed: Parsed, env: Io['env']): readonly string[] {
  const values = [
    ...parsed.texts('header').flatMap((line) => {
      const value = line.slice(line.indexOf(':') + 1).trim();
      return [value, value.replace(/^\S+\s+/, '')];
    }),
    ...parsed.texts('env').map((text) => variable(text, env)),
    ...parsed.words.flatMap(credentials),
  ];
  return [...new Set(values)]
    .filter((value) => value.length >= shortest)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .toSorted((one, another) => another.length - one.length);
}

function variable(text: string, env: Io['env']): string {
  const at = text.indexOf('=');
  const name = at < 0 ? text : text.slice(0, at);
  if (!secretName.test(name)) return '';
  return at < 0 ? (env[text] ?? '') : text.slice(at + 1);
}

function credentials(word: string): readonly string[] {
  if (!URL.canParse(word)) return [];
  const { password, searchParams } = new URL(word);
  return [password, ...[...searchParams].flatMap(([name, value]) => (secretName.test(name) ? [value] : []))];
}
