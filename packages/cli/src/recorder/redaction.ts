/** Secrets of a recording: some are replaced before anything is kept, others stand there and are hidden from who looks. */

import { hiding, sentSecrets, shortestHidden, type Hide } from '../../../parley/src/auth/common/secrets.ts';
import { isObject } from '../../../parley/src/jsonrpc/message.ts';
import type { RecordingEntry, Seen } from './entry.ts';
import { keysNamed, replaceValues } from './named-values.ts';
import { secretsAtEnd } from './secret-at-end.ts';
import { dots, secretName, sessionsOfUrl, urlShown, withoutPassword } from './secrets.ts';

/** Secrets of one recording. */
export interface Redaction {
  /** Adds texts that are replaced before anything is kept, wherever they stand: tokens, codes, passwords. */
  forget(texts: readonly string[]): void;
  /** Adds texts that are kept and hidden wherever they stand: values of variables, of configured headers, … */
  hide(texts: readonly string[]): void;
  /** Removes secrets that must not be stored, and remembers them for their repetitions. */
  toKeep(seen: Seen): Seen;
  /** Removes secrets that the user has not asked to see. */
  toShow<T extends RecordingEntry>(entry: T): T;
  /** A value of JSON that a server said, without either: its shape stays. */
  valueToShow<T>(value: T): T;
  /** Number of characters at the end of a text that may be the beginning of a secret, whose rest has not come yet. */
  secretAtEnd(text: string): number;
}

/** Limit of the texts that are looked for, of each kind; the oldest make way, and those of a server for no others. */
const most = { told: 256, learned: 64, length: 16_384, encoded: 64 };

/** Headers that are replaced whole, but for the scheme of credentials. */
const forgottenHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'dpop',
]);

/** Headers that are the protocol's or HTTP's, whose names say nothing of secrets though they have such words. */
const plainHeaders: ReadonlySet<string> = new Set(['www-authenticate', 'proxy-authenticate']);

/** Keys whose values are replaced in every text: no other meaning of them is known. */
const forgottenKeys =
  'access_token|refresh_token|id_token|client_secret|client_assertion|code_verifier|device_code|registration_access_token|subject_token|actor_token|id_token_hint|logout_token';

/** Keys whose values are replaced in what is about authorization: messages have fields that are named like these. */
const authorizationKeys = `${forgottenKeys}|code|token|assertion|user_code|password|request|response`;

/** Replaces values in a text, by what stands before them. */
type Replacer = (text: string, replace: (key: string, value: string) => string) => string;

const inJson = (keys: string): Replacer => {
  const search = keysNamed(`(?:${keys})`);
  return (text, replace) => replaceValues(text, search, replace);
};
const inQuery = (keys: string): Replacer => {
  const search = new RegExp(`((?:^|[?&#])(?:${keys})=)([^&#\\s"]*)`, 'g');
  return (text, replace) => text.replace(search, (_, key: string, value: string) => key + replace(key, value));
};

const patterns = {
  message: [inJson(forgottenKeys), inQuery(forgottenKeys)],
  auth: [inJson(authorizationKeys), inQuery(authorizationKeys)],
  url: [inQuery(authorizationKeys)],
};

/** Makes the masks of one recording. */
export function createRedaction(): Redaction {
  return new RememberedRedaction();
}

class RememberedRedaction implements Redaction {
  readonly #told = remembered(most.told, base64Of);
  readonly #learned = remembered(most.learned);
  readonly #hidden = remembered(most.told, base64Of);
  readonly #sessions = remembered(most.learned);
  // All of a kind at once: one may begin like another of another kind, or hold it, and nothing of the longer one is left.
  readonly #forgetting = together([this.#told, this.#learned], [this.#hidden, this.#sessions]);
  readonly #hiding = together([this.#hidden, this.#sessions]);

  forget(texts: readonly string[]): void {
    this.#told.add(texts);
  }

  hide(texts: readonly string[]): void {
    this.#hidden.add(texts);
  }

  toKeep(seen: Seen): Seen {
    const { http, text, problem, lane, event } = seen;
    if (http !== undefined) this.#learn(seen, http.headers);
    for (const url of [http?.url, lane === 'event' ? text : undefined])
      if (url !== undefined) this.#sessions.add(sessionsOfUrl(url));
    // A form belongs to a token endpoint, on any lane.
    const kinds = lane === 'auth' || isForm(seen) ? patterns.auth : patterns.message;
    const learn = lane === 'auth';
    const kept = {
      ...seen,
      ...(text === undefined ? {} : { text: this.#replaced(text, kinds, learn) }),
      ...(problem === undefined ? {} : { problem: this.#replaced(problem, patterns.auth, false) }),
      ...(event === undefined
        ? {}
        : { event: textsOf(event, (part) => this.#replaced(part, patterns.message, false)) }),
    };
    if (http === undefined) return kept;
    const url = http.url === undefined ? {} : { url: this.#replaced(withoutPassword(http.url), patterns.url, learn) };
    return { ...kept, http: { ...http, headers: this.#headersKept(http.headers), ...url } };
  }

  toShow<T extends RecordingEntry>(entry: T): T {
    const hide: Hide = (text) => this.#shown(text);
    const { http, text, problem, event, lane } = entry;
    const shown = {
      ...entry,
      // The event that says where messages go is an address.
      ...(text === undefined ? {} : { text: hide(lane === 'event' ? urlShown(text) : text) }),
      ...(problem === undefined ? {} : { problem: hide(problem) }),
      ...(event === undefined ? {} : { event: textsOf(event, hide) }),
    };
    if (http === undefined) return shown;
    const url = http.url === undefined ? {} : { url: hide(urlShown(http.url)) };
    return { ...shown, http: { ...http, headers: shownHeaders(http.headers, hide), ...url } };
  }

  valueToShow<T>(value: T): T {
    const hide: Hide = (text) => this.#shown(this.#replaced(text, patterns.message, false));
    // Texts are replaced by texts, so that the shape stays.
    return valueHidden(value, hide) as T;
  }

  secretAtEnd(text: string): number {
    const kinds = [this.#told, this.#learned, this.#hidden, this.#sessions];
    return secretsAtEnd(kinds.flatMap((kind) => kind.spelled()))(text);
  }

  #shown(text: string): string {
    return this.#hiding(namedHidden(text));
  }

  #learn({ from, text }: Seen, headers: Readonly<Record<string, string>>): void {
    if (from === 'client') this.#told.add(sentSecrets({ headers, ...(text === undefined ? {} : { body: text }) }));
    (from === 'client' ? this.#told : this.#learned).add(wholeSecrets(headers));
    const session = headers['mcp-session-id'];
    if (session !== undefined) this.#sessions.add([session]);
  }

  #replaced(text: string, kinds: readonly Replacer[], learn: boolean): string {
    const found: string[] = [];
    const masked = kinds.reduce(
      (rest, replaced) =>
        replaced(rest, (_, value) => {
          if (value !== '' && value !== dots) found.push(value);
          return value === '' ? '' : dots;
        }),
      text,
    );
    if (learn) this.#learned.add(found);
    return this.#forgetting(masked);
  }

  #headersKept(headers: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        forgottenHeaders.has(name) ? withScheme(value) : this.#replaced(value, patterns.message, false),
      ]),
    );
  }
}

interface Remembered {
  add(texts: readonly string[]): void;
  /** Rises when a text is added. */
  readonly version: number;
  readonly texts: ReadonlySet<string>;
  /** The texts in all ways in which they are looked for. */
  spelled(): readonly string[];
}

/** @param also Further ways in which a text may be written. */
function remembered(limit: number, also: (text: string) => readonly string[] = () => []): Remembered {
  const texts = new Set<string>();
  let version = 0;
  return {
    add(added) {
      const fresh = added.filter((text) => text !== '' && text.length <= most.length && !texts.has(text));
      if (fresh.length === 0) return;
      version += 1;
      for (const text of fresh) texts.add(text);
      for (const oldest of texts) {
        if (texts.size <= limit) break;
        texts.delete(oldest);
      }
    },
    get version() {
      return version;
    },
    texts,
    // With very many secrets, their other spellings are skipped.
    spelled: () => (texts.size > most.encoded ? [...texts] : [...texts].flatMap((text) => [text, ...also(text)])),
  };
}

/**
 * Hides all texts of several kinds at once, including longer ones that contain one of them: a partly hidden text could
 * not be recognized.
 */
function together(kinds: readonly Remembered[], others: readonly Remembered[] = []): Hide {
  let known = -1;
  let hide: Hide = (text) => text;
  return (text) => {
    const version = [...kinds, ...others].reduce((sum, kind) => sum + kind.version, 0);
    if (version !== known) {
      known = version;
      const own = kinds.flatMap(({ texts }) => [...texts]);
      const holding = others
        .flatMap(({ texts }) => [...texts])
        .filter((one) => own.some((inner) => inner.length >= shortestHidden && one.includes(inner)));
      hide = hiding([...kinds.flatMap((kind) => kind.spelled()), ...holding]);
    }
    return hide(text);
  };
}

/** Shortest secret that is looked for in base64, in bytes. */
const shortestEncoded = 12;

/** The characters of base64 that a text alone decides, wherever it begins in what is encoded, in both alphabets. */
function base64Of(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length < shortestEncoded) return [];
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const inner = whole.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The values of cookies and proofs: what repeats them gives them away too. */
function wholeSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  // What follows the first `;` of a cookie that is set are its attributes.
  const set = (headers['set-cookie'] ?? '').split(/,(?=\s*[^;,=\s]+=)/).map((cookie) => cookie.split(';')[0] ?? '');
  const cookies = [...(headers['cookie'] ?? '').split(';'), ...set];
  const values = cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1).trim());
  // Shorter ones would be found by accident.
  return [...values.filter((value) => value.length >= 12), headers['dpop'] ?? ''];
}

function isForm({ http }: Seen): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(http?.headers['content-type'] ?? '');
}

function withScheme(value: string): string {
  const [, scheme] = /^([A-Za-z][\w-]*) +\S/.exec(value) ?? [];
  return scheme === undefined ? dots : `${scheme} ${dots}`;
}

/** Keys of bounded length: without that, a long text without a quote would be searched from each word again. */
const namedInJson = keysNamed(`[^"\\\\]{0,80}(?:${secretName.source})[^"\\\\]{0,80}`, 'gi');

/** Keys whose names have such a word and which hold no secret. */
const harmless = /^(?:progressToken|signature|author|authors|authorization_\w+|token_\w+|code_challenge\w*)$/;

/** A text in which the values of keys that are named like secrets are hidden. */
function namedHidden(text: string): string {
  return replaceValues(text, namedInJson, (key, value) =>
    value === '' || harmless.test(/"([^"\\]*)/.exec(key)?.[1] ?? '') ? undefined : dots,
  );
}

/** A value without the texts of keys that are named like secrets, and with all others hidden. */
function valueHidden(value: unknown, hide: Hide): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((part) => valueHidden(part, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const isNamed = typeof part === 'string' && part !== '' && secretName.test(key) && !harmless.test(key);
      return [hide(key), isNamed ? dots : valueHidden(part, hide)];
    }),
  );
}

function shownHeaders(headers: Readonly<Record<string, string>>, hide: Hide): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isSecret = name === 'mcp-session-id' || (secretName.test(name) && !plainHeaders.has(name));
      return [name, isSecret && !forgottenHeaders.has(name) ? dots : hide(value)];
    }),
  );
}

function textsOf<T extends object>(value: T, hide: Hide): T {
  // Texts are replaced by texts, so that the shape stays.
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, typeof part === 'string' ? hide(part) : part]),
  ) as T;
}
