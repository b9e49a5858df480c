import { fetchDocument, type FetchContext } from '../../../../../parley/src/auth/common/document.ts';
import { AuthorizationError } from '../../../../../parley/src/auth/common/errors.ts';
import { hasFields } from '../../../../../parley/src/auth/common/fields.ts';
import { shallow, type JsonDocument } from './document.ts';
import type { ExplainedLook } from './report.ts';
import type { RequestTrace } from './trace.ts';

/** One requested URL, with the result. */
export interface UrlLookup extends ExplainedLook {
  /** The document that was there. */
  readonly document?: JsonDocument;
}

/** A kind of document that is looked for. */
export interface Sought {
  /** Name of the kind, for the words of what went wrong. */
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for a document of this kind. */
  fits(document: JsonDocument): boolean;
}

/**
 * Requests URLs as clients do, and continues where clients stop. Each URL is requested once, for all callers.
 *
 * @throws The reason of the signal, unless the time of the whole search is over.
 */
export class Looker {
  readonly #context: FetchContext;
  readonly #trace: RequestTrace;
  readonly #looks = new Map<string, Promise<UrlLookup>>();

  constructor(context: Omit<FetchContext, 'fetch'>, trace: RequestTrace) {
    this.#context = { ...context, fetch: trace.fetch };
    this.#trace = trace;
  }

  /** Looks at one URL. */
  look(url: string, sought: Sought): Promise<UrlLookup> {
    const key = `${sought.what} ${url}`;
    const known = this.#looks.get(key);
    if (known !== undefined) return known;
    const made = this.#look(url, sought);
    this.#looks.set(key, made);
    return made;
  }

  /** Looks at URLs in their order, up to the first where a document is. */
  async search(urls: readonly string[], sought: Sought): Promise<readonly UrlLookup[]> {
    const looks: UrlLookup[] = [];
    for (const url of urls) {
      const look = await this.look(url, sought);
      looks.push(look);
      // If one URL of an issuer must not be fetched, the others must not be either.
      if (look.outcome === 'found' || look.outcome === 'refused') break;
    }
    return looks;
  }

  async #look(text: string, sought: Sought): Promise<UrlLookup> {
    const { traced } = this.#trace;
    const from = traced.length;
    const url = withoutQuery(text);
    try {
      const { value, status } = await fetchDocument(text, sought.what, this.#context, sought.headers);
      const seen = { url, status, ...this.#seen(from) };
      if (!hasFields(value)) return { ...seen, outcome: 'absent', ...problemOf(value, status) };
      if (sought.fits(value)) return { ...seen, outcome: 'found', document: shallow(value) };
      return { ...seen, outcome: 'absent', problem: 'JSON, but another document' };
    } catch (error) {
      if (!(error instanceof AuthorizationError)) throw error;
      const isRefused = error.reason === 'insecure-url' || error.reason === 'address-refused';
      const status = traced.slice(from).at(-1)?.status;
      return {
        url,
        outcome: isRefused ? 'refused' : 'failed',
        ...(status === undefined ? {} : { status }),
        ...this.#seen(from),
        problem: `${error.message}${causeOf(error)}`,
        reason: error.reason,
      };
    }
  }

  /** Facts that the requests of a look showed; one look is made at a time. */
  #seen(from: number): Pick<UrlLookup, 'contentType' | 'redirects'> {
    const these = this.#trace.traced.slice(from);
    const contentType = these.at(-1)?.contentType;
    const redirects = these.flatMap(({ location, status = 0 }) =>
      location === undefined || status < 300 || status > 399 ? [] : [location],
    );
    return { ...(contentType === undefined ? {} : { contentType }), ...(redirects.length === 0 ? {} : { redirects }) };
  }
}

function problemOf(value: unknown, status: number): Pick<UrlLookup, 'problem'> {
  if (status !== 200) return {};
  return { problem: value === undefined ? 'no JSON' : 'JSON, but no object' };
}

/** The reason for which a server was not reached, in the words of the system. */
function causeOf({ cause }: AuthorizationError): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const words = inner instanceof Error ? inner.message : '';
  return words === '' ? '' : ` (${words.slice(0, 200)})`;
}

/** A URL as it is shown: a query may hold a secret. */
export function withoutQuery(url: string): string {
  return url.replace(/\?[^]*$/, '?…').slice(0, 500);
}
