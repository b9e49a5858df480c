/** Material of the tests of the rules of authorization: a healthy server, changed so that it breaks one. */

import { healthy, paths, type Answer, type Guarded, type Published } from './guarded.ts';

/** Differences from the healthy server. */
export interface Change {
  readonly refusal?: Answer;
  /** By path; `undefined` takes a document away. */
  readonly published?: Readonly<Record<string, Published | undefined>>;
}

/** A server that breaks one rule, and what is said of it. */
export interface Row {
  /** The rule that is broken. */
  readonly rule: string;
  /** Behaviour of the server, in words. */
  readonly how: string;
  readonly change: (origin: string, given: Documents) => Change;
  /** Words that are told of what breaks it. */
  readonly what: RegExp;
  /** The rules that are broken with it of necessity. */
  readonly beside?: readonly string[];
  /** Header that is sent with every request. */
  readonly header?: string;
  /** Set where the client meets it only after discovery, or not at all in this flow. */
  readonly later?: true;
}

interface Documents {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly server: Readonly<Record<string, unknown>>;
}

/** Challenges in another way. */
export const challenged = (challenge: string, status = 401): Change => ({
  refusal: { status, headers: { 'www-authenticate': challenge } },
});

/** Changes the resource metadata. */
export const resource =
  (fields: (origin: string) => Readonly<Record<string, unknown>>): Row['change'] =>
  (origin, given) => ({ published: { [paths.resource]: { document: { ...given.resource, ...fields(origin) } } } });

/** Changes the metadata of the authorization server. */
export const server =
  (fields: (origin: string) => Readonly<Record<string, unknown>>): Row['change'] =>
  (origin, given) => ({ published: { [paths.server]: { document: { ...given.server, ...fields(origin) } } } });

/** The healthy server, changed. */
export function changed(origin: string, { change }: Pick<Row, 'change'>): Guarded {
  const { refusal, published } = healthy(origin);
  const documentAt = (path: string): Readonly<Record<string, unknown>> => {
    const found = published[path];
    return found !== undefined && 'document' in found ? found.document : {};
  };
  const given = { resource: documentAt(paths.resource), server: documentAt(paths.server) };
  const made = change(origin, given);
  const all = Object.entries({ ...published, ...made.published });
  return {
    refusal: made.refusal ?? refusal,
    published: Object.fromEntries(all.flatMap(([path, one]) => (one === undefined ? [] : [[path, one] as const]))),
  };
}
