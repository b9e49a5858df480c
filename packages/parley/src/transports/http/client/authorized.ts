/**
 * HttpSending with authorization: each attempt has its own credentials. A rejected request is authorized again and
 * resent.
 */

import type { Fetch, FetchRequest, FetchResponse } from '../../../jsonrpc/fetch.ts';
import type {
  Authorization,
  AuthorizedAnswer,
  AuthorizedRequest,
  Authorizer,
  AuthorizationFields,
  RequestAbout,
} from '../../../auth/common/authorizer.ts';
import type { Message } from '../../../jsonrpc/message.ts';
import { ConnectionError } from '../../../jsonrpc/transport.ts';
import { chosenRevisions, revisionOf, type Revision } from '../../../protocol/revision.ts';
import { bodyStart } from './body.ts';
import { fetchWithin } from './fetch.ts';
import type { Carry, HttpRequestOptions, HttpTarget, HttpTransportOptions } from './request.ts';
import { tokenAuthorizer } from './token.ts';

/** Limit of sending one request again; each kind of refusal is seen to once. */
const maxAgain = 3;

/** Limit of the part of a refusal that is stored for error messages, in bytes. */
const keptBytes = 64 * 1024;

/**
 * Methods that some gateways reject without a challenge because they do not know them, in the order in which they are
 * sent. A server that rejects both wants authorization, and gets one more request.
 */
const firstQuestions = ['server/discover', 'initialize', ''];

/** Sends the requests of one conversation with what authorizes them. */
class AuthorizedSender {
  readonly #fetch: Fetch;
  readonly #authorizer: Authorizer;
  readonly #spoken: readonly Revision[];
  /** Number of these requests that were rejected without a challenge; both, if only one may be sent. */
  #bare: number;

  /** @param spoken Revisions that may be settled. */
  constructor(fetch: Fetch, authorizer: Authorizer, spoken: readonly Revision[]) {
    this.#fetch = fetch;
    this.#authorizer = authorizer;
    this.#spoken = spoken;
    this.#bare = spoken.some(({ clientDescribed }) => clientDescribed === 'once') ? 0 : 2;
  }

  /**
   * Sends a request until it is accepted, or the refusal cannot be fixed.
   *
   * @throws AuthorizationError if it cannot be authorized and its outcome is awaited.
   * @throws ConnectionError like every request; `unauthorized` if its outcome is not awaited and it cannot be
   * authorized.
   */
  async send(url: URL, request: FetchRequest, call: HttpRequestOptions): Promise<FetchResponse> {
    if (request.headers['authorization'] !== undefined) throw second();
    try {
      return await this.#send(url, request, call);
    } catch (error) {
      if (call.sent !== undefined || !(error instanceof Error) || error.name !== 'AuthorizationError') throw error;
      throw new ConnectionError('unauthorized', error.message, { cause: error });
    }
  }

  async rest(): Promise<void> {
    await this.#authorizer.rest?.();
  }

  /**
   * Tells whether no possible revision of the request uses guessed endpoints. The first request of a client does not
   * fix a revision.
   */
  #isPublished({ headers }: FetchRequest, { method }: RequestAbout): boolean {
    const settled = method === 'server/discover' ? undefined : revisionOf(headers['mcp-protocol-version']);
    return !(settled === undefined ? this.#spoken : [settled]).some(hasFixedEndpoints);
  }

  async #send(url: URL, request: FetchRequest, call: HttpRequestOptions): Promise<FetchResponse> {
    const { signal } = request;
    const about = aboutOf(call.sent?.message);
    const unchanging = {
      method: request.method,
      about,
      isPublished: this.#isPublished(request, about),
      signal,
      caller: call.sent?.options.caller,
      mayAsk: call.sent !== undefined,
      tried: new Set<string>(),
      waiting: (person: boolean) => call.sent?.options.clocks?.waiting(person),
    };
    for (let again = 0; ; again++) {
      let last: Attempt | undefined;
      let failed: { readonly cause: unknown } | undefined;
      const attempt: Fetch = async (href, plain) => {
        const asked: AuthorizedRequest = { ...unchanging, url: new URL(href) };
        let sent: AuthorizationFields;
        try {
          sent = await this.#authorizer.headers(asked);
        } catch (cause) {
          failed = { cause };
          throw cause;
        }
        const headers = { ...plain.headers, ...sent };
        // Without a token the server rejects the request. That error is not about the option.
        call.sending?.({ authorization: '', ...headers });
        const response = await this.#fetch(href, { ...plain, headers });
        const answer = answerOf(response);
        this.#authorizer.answered?.(asked, answer);
        last = { asked, answer, sent };
        return response;
      };
      const response = await fetchWithin(attempt, url, request).catch((error: unknown) => {
        // A failure to send it is not a failure of the connection.
        throw failed === undefined || signal.aborted ? error : failed.cause;
      });
      const isOver = call.isCheck === true || again === maxAgain || request.method === 'DELETE';
      if (last === undefined || isOver || !isRefusal(response)) return response;
      // Fixing it may take minutes, so this frees the connection.
      const text = await bodyStart(response, keptBytes).catch(() => '');
      if (response.headers.get('www-authenticate') === null) {
        const isFirst = firstQuestions[this.#bare] === about.method;
        if (isFirst) this.#bare++;
        if (isFirst || (await call.isGone?.(response)) === true) return kept(response, text);
      }
      const { asked, answer, sent } = last;
      const isMended = await this.#authorizer
        .refused(asked, answer, sent)
        .catch(async (error: unknown): Promise<never> => {
          const late = await import('./unmended.ts').catch(() => undefined);
          throw late === undefined ? error : late.unrecovered(error, { url, answer, sent, text });
        });
      if (!isMended) return kept(response, text);
    }
  }
}

/**
 * Makes the sender for the requests of a conversation, with their authorization.
 *
 * @param options Those of `connect` if it makes the transport: the revisions decide whether a server may be its own
 * authorization server.
 * @throws TypeError for an invalid `auth`, one for another server, or one next to other credentials.
 */
export function carrier(
  { fetch }: { readonly fetch: Fetch },
  { url, credentials }: HttpTarget,
  { auth, headers, revisions }: HttpTransportOptions & { readonly revisions?: readonly string[] },
): Carry {
  const own = [credentials, typeof headers === 'object' ? headers : {}].flatMap((fields) => Object.keys(fields));
  if (own.some((name) => name.toLowerCase() === 'authorization')) throw second();
  const spoken = chosenRevisions(revisions);
  if (typeof auth === 'function' || (typeof auth === 'string' && auth !== ''))
    return carryBy(new AuthorizedSender(fetch, tokenAuthorizer(auth), spoken));
  if (typeof auth !== 'object' || typeof (auth as Partial<Authorization> | null)?.bind !== 'function')
    throw new TypeError('auth must be a token, a function that gives one, or what oauth() and its kin make');
  const root = spoken.find((revision) => revision.authorizationAtRoot);
  const atRoot = root && { revision: root.date };
  // It calls the transport's `fetch` with arguments that every `fetch` accepts.
  const bound = { url: new URL(url), fetch: fetch as Fetch, atRoot };
  return carryBy(new AuthorizedSender(fetch, auth.bind(bound), spoken));
}

function carryBy(sender: AuthorizedSender): Carry {
  const carry: Carry = (url, request, call) => sender.send(url, request, call);
  return Object.assign(carry, { rest: () => sender.rest() });
}

function second(): TypeError {
  return new TypeError(
    'auth makes the header authorization, which the URL or the option headers has too: give one of them',
  );
}

interface Attempt {
  readonly asked: AuthorizedRequest;
  readonly answer: AuthorizedAnswer;
  readonly sent: AuthorizationFields;
}

function isRefusal({ status, headers }: FetchResponse): boolean {
  return status === 401 || status === 403 || (status === 400 && headers.get('www-authenticate') !== null);
}

function answerOf({ status, headers }: FetchResponse): AuthorizedAnswer {
  return { status, header: (name) => headers.get(name) ?? undefined };
}

function aboutOf(message: Message | readonly Message[] | undefined): RequestAbout {
  if (message === undefined || Array.isArray(message) || !('method' in message)) return {};
  const { method, params } = message as {
    readonly method: string;
    readonly params?: Readonly<Record<string, unknown>>;
  };
  const name = params?.['name'] ?? params?.['uri'];
  return { method, name: typeof name === 'string' ? name : undefined };
}

/** Tells whether a revision has endpoints of fixed names for servers without metadata: the one before they have metadata of a resource. */
function hasFixedEndpoints({ authorizationAtRoot, resourceMetadata }: Revision): boolean {
  return authorizationAtRoot && !resourceMetadata;
}

/** The response with the beginning of its body read already, so that nothing is left of it on its connection. */
function kept(response: FetchResponse, text: string): FetchResponse {
  const bytes = new TextEncoder().encode(text);
  return {
    status: response.status,
    headers: response.headers,
    body: {
      whole: () => bytes,
      getReader() {
        let read = false;
        return {
          async read() {
            if (read) return { done: true };
            read = true;
            return { done: false, value: bytes };
          },
          cancel: async () => undefined,
        };
      },
    },
  };
}
