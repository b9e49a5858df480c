import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../../harness/harness.ts';
import { isEventStream, mediaTypeOf } from '../../harness/manner.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule, WatchRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { rowOf } from '../../register.ts';
import { refusedWith } from '../common/refusals.ts';

/** Rules about what HTTP admits at all, and how it answers. */

/** The origin of a page that belongs to no application. */
const strangeOrigin = 'http://parley-check.invalid';

async function withHeaders(harness: Harness, headers: Readonly<Record<string, string>>): Promise<RequestExchange> {
  const probeClient = await harness.shared();
  await harness.ready(probeClient);
  return await probeClient.request(harness.harmless, undefined, { headers });
}

const origin: ProbeRule = {
  id: 'http-003',
  message: 'A request from a page of another origin is refused',
  fix: 'compare the header Origin, where there is one, with the origins that may connect, and refuse others with 403',
  over: 'http',
  async probe(harness) {
    const verdict = refusedWith(await withHeaders(harness, { Origin: strangeOrigin }), {});
    if (verdict.verdict !== 'holds') return verdict;
    for (const like of lookalikes(harness.http.url)) {
      const own = refusedWith(await withHeaders(harness, { Origin: `http://${like}` }), {});
      if (own.verdict === 'breaks') return { ...own, why: `from http://${like} ${own.why}` };
    }
    return holds;
  },
};

/** Names of anybody that begin as those of the server do: who compares less than all of an origin takes them for its own. */
function lookalikes({ hostname }: URL): readonly string[] {
  const own = isLoopback(hostname) ? ['localhost', '127.0.0.1'] : [hostname];
  return own.map((name) => `${name}.parley-check.invalid`);
}

const originStatus: ProbeRule = {
  id: 'http-004',
  message: 'A request from another origin is refused with the status 403',
  fix: 'answer with HTTP 403',
  over: 'http',
  probe: async (harness) =>
    refusedWith(await withHeaders(harness, { Origin: strangeOrigin }), { status: 403, follows: 'http-003' }),
};

const rebinding: ProbeRule = {
  id: 'http-007',
  message: 'A server on this machine refuses a Host header that is not its own',
  fix: 'compare the header Host with the names of the server: otherwise a page whose name points here can send requests to it',
  over: 'http',
  async probe(harness) {
    const { hostname, port } = harness.http.url;
    if (!isLoopback(hostname)) return notApplicable('it is not on this machine');
    for (const name of ['parley-check.invalid', ...lookalikes(harness.http.url)]) {
      const strange = `${name}${port === '' ? '' : `:${port}`}`;
      const verdict = refusedWith(await withHeaders(harness, { ServerCore: strange, Origin: `http://${strange}` }), {});
      if (verdict.verdict !== 'holds') return verdict;
    }
    return holds;
  },
};

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

const formPost: ProbeRule = {
  id: 'harden-form-post',
  once: true,
  message: 'A body with a content type other than JSON is refused: an HTML form can send text/plain',
  fix: 'refuse what is not application/json with 415',
  over: 'http',
  async probe(harness) {
    const answer = await withHeaders(harness, { 'content-type': 'text/plain' });
    return answer.result === undefined ? refusedWith(answer, {}) : breaks(answer, 'a body of text/plain was served');
  },
};

const largeHeader: ProbeRule = {
  id: 'harden-large-header',
  once: true,
  mayEnd: true,
  message: 'A header of 64 KiB is refused, and the server survives',
  fix: 'limit the size of headers',
  over: 'http',
  async probe(harness) {
    const answer = await withHeaders(harness, { 'X-Parley-Check': 'a'.repeat(65_536) });
    const probeClient = await harness.shared();
    return unless(!(await harness.serves(probeClient)), answer, 'it did not serve any more');
  },
};

const accepted: (id: string) => ProbeRule = (id) => ({
  id,
  message: 'A notification that is accepted gets the status 202 and no body',
  fix: 'answer with HTTP 202, without a body',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const exchange = await probeClient.notify('notifications/cancelled', { requestId: 'none-of-ours' });
    const { status } = exchange;
    if (status === undefined) return notJudged('no response came');
    if (status >= 400) return notJudged(`it was not accepted: HTTP ${status}`);
    // A value that is not an object, such as null, is a body but not a message.
    if (exchange.messages.flat().some(isObject)) return notJudged('it was answered with a message: see basic-018');
    if (status !== 202) return breaks(exchange, `HTTP ${status}`);
    return unless(exchange.text.trim() !== '', exchange, 'there is a body');
  },
});

const mediaType: WatchRule = {
  id: 'http-017',
  message: 'A request is answered with application/json or text/event-stream',
  fix: 'send the header Content-Type with one of the two',
  watch({ request, exchange: { status, headers }, revision }) {
    // What refuses a request of older revisions by its status need be no message.
    const isAnswer = request !== undefined && (status === 200 || rowOf('http-115').lives(revision));
    if (!isAnswer || status === undefined) return 'not-seen';
    const isOurs = ['application/json', 'text/event-stream'].includes(mediaTypeOf({ headers }));
    return isOurs ? 'holds' : { breaks: `it is ${headers['content-type'] ?? 'of no type'}` };
  },
};

const get: ProbeRule = {
  id: 'http-032',
  message: 'GET is answered with text/event-stream, or with 405',
  fix: 'answer GET with an event stream if there is one, otherwise with HTTP 405',
  over: 'http',
  probe: (harness) => onGet(harness),
};

async function onGet(harness: Harness): Promise<RuleVerdict> {
  const probeClient = await harness.shared();
  const exchange = await probeClient.fetch('GET');
  if (exchange === undefined || exchange.status === undefined) return notJudged('no response came');
  const { status, headers } = exchange;
  // A client may have only one such stream, and another client may have it.
  if (status === 409 || status === 405) return holds;
  if (status === 200)
    return unless(!isEventStream(exchange), exchange, `it is ${headers['content-type'] ?? 'of no type'}`);
  return breaks(exchange, `HTTP ${status}`);
}

const noOtherMethods: ProbeRule = {
  id: 'http-111',
  message: 'A server without session-based revisions answers GET and DELETE with 405',
  fix: 'answer with HTTP 405',
  over: 'http',
  async probe(harness) {
    if (harness.spoken.some(({ sessions }) => sessions)) return notApplicable('it speaks revisions with sessions too');
    const probeClient = await harness.shared();
    for (const method of ['GET', 'DELETE'] as const) {
      const exchange = await probeClient.fetch(method);
      if (exchange?.status === undefined) return notJudged(`no response came to ${method}`);
      if (exchange.status !== 405) return breaks(exchange, `${method} gets HTTP ${exchange.status}`);
    }
    return holds;
  },
};

const noSession: ProbeRule = {
  id: 'http-112',
  message: 'A server without session-based revisions creates no session id, and ignores one',
  fix: 'leave Mcp-Session-Id out, and do not read it',
  over: 'http',
  async probe(harness) {
    if (harness.spoken.some(({ sessions }) => sessions)) return notApplicable('it speaks revisions with sessions too');
    const answer = await withHeaders(harness, { 'Mcp-Session-Id': 'none-of-yours' });
    if (answer.headers['mcp-session-id'] !== undefined) return breaks(answer, 'the response has a session id');
    return unless(answer.result === undefined, answer, 'a request with a session id was not served');
  },
};

const errorId: WatchRule = {
  id: 'http-115',
  message: 'An error over HTTP has the id of its request',
  fix: 'copy the id of the request into the error, whatever the status',
  watch({ message, exchange, request, sent }) {
    const asked = sent?.['method'] === undefined ? undefined : sent['id'];
    // A request that is rejected before its body is read has no id to repeat. (Spec 2026-07-28, Streamable HTTP,
    // Security: the body of a 403.)
    const isUnread = [401, 403, 406, 413, 415, 429, 431, 503].includes(exchange.status ?? 403);
    if (isUnread || !isObject(message['error']) || asked === undefined) return 'not-seen';
    if (request !== undefined) return 'holds';
    const came = message['id'] === undefined ? 'it has no id' : `its id is ${JSON.stringify(message['id'])}`;
    return { breaks: `${came}, and that of the request is ${JSON.stringify(asked)}` };
  },
};

/** Rules about HTTP below the messages. */
export const httpGuardRules: readonly (ProbeRule | WatchRule)[] = [
  origin,
  originStatus,
  rebinding,
  formPost,
  largeHeader,
  accepted('http-014'),
  accepted('http-015'),
  mediaType,
  get,
  noOtherMethods,
  noSession,
  errorId,
];
