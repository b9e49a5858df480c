/** Sent secrets: the receiver may repeat them in an error. */

import { plainWords } from './errors.ts';

/** Length below which a secret is not hidden, since it would be found by accident. */
export const shortestHidden = 8;

/** So many characters of a secret are enough to hide it: what repeats it may be cut off. */
const enough = 12;

/** Removes secrets from a text. */
export type Hide = (text: string) => string;

/** Hides secrets wherever they stand in a text, as they are and as they are written in JSON, in forms and in URLs. */
export function hiding(secrets: readonly string[]): Hide {
  const hidden = secrets.filter((value) => value.length >= shortestHidden).flatMap(spellingsOf);
  const longestFirst = [...new Set(hidden)].toSorted((one, another) => another.length - one.length);
  const ends = new Map<string, string[]>();
  for (const secret of longestFirst) {
    const begin = secret.slice(0, enough);
    const known = ends.get(begin);
    if (known === undefined) ends.set(begin, [secret.slice(enough)]);
    else known.push(secret.slice(enough));
  }
  return (text) => {
    // All of them whole first: one may begin like another, and its beginning may stand in it twice.
    const rest = longestFirst.reduce((left, secret) => left.replaceAll(secret, '•••'), text);
    return [...ends].reduce(withoutBeginning, rest);
  };
}

/** Ways in which a text is written; those who write JSON escape more than they must, each in a way of their own. */
export function spellingsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const form = inForm(value);
  const url = form.replaceAll('+', '%20');
  const inJson = [
    json,
    // As PHP, .NET, and Java and Go do.
    json.replaceAll('/', '\\/'),
    json.replaceAll(/[&'+<>`]/g, (sign) => unit(sign).toUpperCase().replace('U', 'u')),
    json.replaceAll(/[&'<=>]/g, unit),
  ];
  return [
    value,
    ...inJson,
    // A text of a message may be JSON itself.
    ...inJson.map((text) => JSON.stringify(text).slice(1, -1)),
    ...[form, url].flatMap((text) => [text, text.replaceAll(/%../g, (sign) => sign.toLowerCase())]),
  ];
}

function unit(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function inForm(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}

/** The rest of a word: a longer word that starts with a secret is a different secret. */
const restOfWord = /^(?:[.~+/=%-]*\w)*/;

/** A text without a long beginning of secrets, and what follows it in one of them. */
function withoutBeginning(text: string, [begin, ends]: readonly [string, readonly string[]]): string {
  const [first = '', ...others] = text.split(begin);
  return first + others.map((rest) => `•••${withoutEnd(rest, ends)}`).join('');
}

function withoutEnd(text: string, ends: readonly string[]): string {
  return text.slice(Math.max(...ends.map((end) => alike(text, end)))).replace(restOfWord, '');
}

/** Number of characters that two texts have in common at their beginning. */
function alike(one: string, another: string): number {
  let length = 0;
  while (length < another.length && one[length] === another[length]) length++;
  return length;
}

/** The members of a form that are secret. (RFC 6749, 7523, 7636, 8628 and 8693.) */
const secretFields = [
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'refresh_token',
  'device_code',
  'assertion',
  'subject_token',
  'token',
];

/** Request, as far as its secrets stand in it. */
export interface SecretRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** The secrets of a request: the credentials of `Authorization`, also as they are before they are encoded, and the secret fields of a form. */
export function sentSecrets({ headers, body = '' }: SecretRequest): readonly string[] {
  const credentials = Object.entries(headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' ? credentialsIn(value) : [],
  );
  // Messages are JSON, and have fields that are named like these.
  if (body === '' || /^\s*[{[]/.test(body)) return credentials;
  const fields = new URLSearchParams(body);
  // The resource is the URL of a server, whose query may hold a key.
  const resources = fields.getAll('resource').filter((url) => URL.canParse(url));
  const inResources = resources.flatMap((url) => [...new URL(url).searchParams.values()]);
  return [...credentials, ...inResources, ...secretFields.flatMap((name) => fields.getAll(name))];
}

function credentialsIn(header: string): readonly string[] {
  const [, scheme = '', given = header] = /^(\S+)\s+(.*)$/s.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [given];
  let pair: string;
  try {
    pair = atob(given);
  } catch {
    return [given];
  }
  const secret = pair.slice(pair.indexOf(':') + 1);
  // RFC 6749, section 2.3.1: a client writes it as in a form.
  return [given, pair, secret, new URLSearchParams(`=${secret}`).get('') ?? ''];
}

/** Words in a header name that mark its value as secret. */
const secretHeader = /key|token|secret|pass|auth|cred|sig|cookie/i;

/** The secrets in headers: the values of those that are named so, and of `Authorization` what follows the scheme. */
export function secretsInHeaders(headers: SecretRequest['headers']): readonly string[] {
  const named = Object.entries(headers).filter(([name]) => secretHeader.test(name));
  return [
    ...sentSecrets({ headers }),
    ...named.flatMap(([name, value]) =>
      name.toLowerCase() === 'authorization' ? [] : [value, ...credentialsIn(value)],
    ),
  ];
}

/** The secrets of a request to an MCP server: those in its headers, and the values of the query of its URL. */
export function secretsOfRequest(headers: SecretRequest['headers'], { searchParams }: URL): readonly string[] {
  return [...secretsInHeaders(headers), ...searchParams.values()];
}

/** The longest text of a peer that is searched for secrets. */
const maxRead = 20_000;

/** Text of an answer in a safe form, without the secrets of its request. */
export function harmlessAnswer(text: unknown, sent: SecretRequest | undefined): string | undefined {
  if (typeof text !== 'string' || sent === undefined) return plainWords(text);
  return plainWords(hiding(sentSecrets(sent))(text.slice(0, maxRead)));
}
