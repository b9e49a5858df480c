import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../parley/src/protocol/meta.ts';
import { newestOf, revisions as published } from '../../../../parley/src/protocol/revision.ts';
import { SchemaDocument, SchemaError } from '../../../../parley/src/schema/document.ts';
import { nobody, type Harness } from '../harness/harness.ts';
import { answeringUntil } from '../harness/calls.ts';
import { errorCodeIn, responseIn, type RawExchange } from '../harness/exchange.ts';
import { entryText } from '../harness/offer.ts';
import type { RequestExchange } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import { breaks, holds, NotApplicable, notApplicable, notJudged, unless } from '../harness/verdict.ts';
import { ownMeta } from './common/own-meta.ts';

/** Rules about unrelated requests, and about answers to unknown clients. */

/** A list that the server declares, with the field of its entries; `undefined` where it declares none. */
async function declaredList(
  harness: Harness,
): Promise<{ readonly method: string; readonly field: string } | undefined> {
  const { capabilities } = await harness.offer();
  const field = ['tools', 'prompts', 'resources'].find((name) => isObject(capabilities[name]));
  return field === undefined ? undefined : { method: `${field}/list`, field };
}

const cold: ProbeRule = {
  id: 'basic-034',
  apart: true,
  message: 'A request is served on any connection, whatever came before it',
  fix: 'take what is needed from the request itself, and want no other one before it',
  async probe(harness) {
    const list = await declaredList(harness);
    if (list === undefined) return notApplicable('it lists nothing');
    await harness.works(await harness.shared(), list.method);
    // An unknown client, on a connection without server/discover.
    const stranger = await harness.unopened();
    try {
      const meta = ownMeta(harness, { [metaKey.clientInfo]: { name: `${nobody}-cold`, version: '1' } });
      const answer = await stranger.request(list.method, undefined, { meta, waitTimeoutMs: harness.coldMs });
      return unless(answer.result === undefined, answer, `${list.method} as the first request was not served`);
    } finally {
      await harness.end(stranger);
    }
  },
};

const together: ProbeRule = {
  id: 'basic-033',
  message: 'A client may send a request before earlier requests are answered',
  fix: 'serve each request by itself',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const ids = ['parley-check-one', 'parley-check-two'];
    // Who answers one after the other takes the time of both.
    const waitTimeoutMs = 2 * harness.waitTimeoutMs;
    const missing = (answer: RawExchange, id: string): boolean => {
      const response = responseIn(answer, id);
      return response === undefined || response.error !== undefined;
    };
    if (harness.over === 'http') {
      const answers = await Promise.all(
        ids.map((id) => probeClient.request(harness.harmless, undefined, { id, waitTimeoutMs })),
      );
      const wrong = answers.find((answer, at) => missing(answer, ids[at] ?? ''));
      return wrong === undefined ? holds : breaks(wrong, 'of two at once one got no result');
    }
    const meta = { _meta: ownMeta(harness) };
    const lines = ids.map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: harness.harmless, params: meta }));
    const answer = await probeClient.text(lines.join('\n'), {
      waitTimeoutMs,
      until: (messages) => ids.every((id) => messages.flat().some((one) => isObject(one) && one['id'] === id)),
    });
    return unless(
      ids.some((id) => missing(answer, id)),
      answer,
      'of two at once one got no result',
    );
  },
};

const steadyCursor: ProbeRule = {
  id: 'page-005',
  message: 'A cursor leads to the same page each time',
  fix: 'make cursors of the place in the list, and let them be used again',
  async probe(harness) {
    const probeClient = await harness.shared();
    const list = await declaredList(harness);
    if (list === undefined) return notApplicable('it lists nothing');
    const { method, field } = list;
    const first = await harness.works(probeClient, method);
    const cursor = first.result?.['nextCursor'];
    if (typeof cursor !== 'string') return notApplicable(`${method} has one page`);
    const namesOf = ({ result }: RequestExchange): string =>
      JSON.stringify(
        Array.isArray(result?.[field])
          ? result[field].map((one: unknown) => (isObject(one) ? (one['uri'] ?? one['name']) : one))
          : undefined,
      );
    const page = await probeClient.request(method, { cursor });
    const again = await probeClient.request(method, { cursor });
    if (namesOf(await harness.works(probeClient, method)) !== namesOf(first))
      return notJudged('the list changed meanwhile');
    if (page.response === undefined) return notJudged(`${method} with it was not answered`);
    if (page.result === undefined) return breaks(page, 'the one that it gave was refused');
    if (again.result === undefined) return breaks(again, 'used again, it was refused');
    return unless(namesOf(again) !== namesOf(page), again, `it gave ${namesOf(page).slice(0, 200)}, and then others`);
  },
};

/** @throws NotApplicable where the server speaks a revision with sessions too. */
function onlyStateless(harness: Harness): void {
  if (harness.spoken.some(({ clientDescribed }) => clientDescribed === 'once'))
    throw new NotApplicable('it speaks handshake revisions too');
}

const notResumed: ProbeRule = {
  id: 'http-113',
  message: 'A server without session-based revisions ignores Last-Event-ID',
  fix: 'do not look at the header',
  over: 'http',
  async probe(harness) {
    onlyStateless(harness);
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const answer = await probeClient.request(harness.harmless, undefined, { headers: { 'Last-Event-ID': '7' } });
    return unless(answer.result === undefined, answer, 'with it a request got no result');
  },
};

const namesVersions: ProbeRule = {
  id: 'versioning-010',
  apart: true,
  message: 'A server without session-based revisions names its revisions in its initialize error',
  fix: 'name the revisions in the message or the data of the error',
  async probe(harness) {
    onlyStateless(harness);
    const probeClient = await harness.unopened();
    try {
      const params = {
        protocolVersion: newestOf(published, 'handshake')?.date,
        capabilities: {},
        clientInfo: { name: 'parley-check', version: '1' },
      };
      const headers = { 'MCP-Protocol-Version': undefined, 'Mcp-Method': undefined };
      const message = { jsonrpc: '2.0', id: probeClient.newId(), method: 'initialize', params };
      const answer = await probeClient.message(message, {
        headers,
        waitTimeoutMs: harness.coldMs,
        until: (messages) => messages.length > 0,
      });
      if (errorCodeIn(answer) === undefined) return notJudged('initialize got no error');
      return unless(!answer.text.includes(harness.revision.date), answer, 'it names none');
    } finally {
      await harness.end(probeClient);
    }
  },
};

const changedRoots: ProbeRule = {
  id: 'roots-012',
  once: true,
  apart: true,
  message: 'The server keeps serving after notifications/roots/list_changed',
  fix: 'request the roots again, or ignore it',
  async probe(harness) {
    const probeClient = await harness.fresh({ roots: { listChanged: true } });
    try {
      await harness.ready(probeClient);
      // A conversation that may have to answer for its roots does so.
      const told = await probeClient.notify('notifications/roots/list_changed', undefined, {
        waitTimeoutMs: 2 * harness.quietMs,
        until: answeringUntil(probeClient, { id: nobody }),
      });
      if (told.status !== undefined && told.status >= 500) return breaks(told, `HTTP ${told.status}`);
      const id = probeClient.newId();
      const answer = await probeClient.request(harness.harmless, undefined, {
        id,
        until: answeringUntil(probeClient, { id }),
      });
      return unless(answer.result === undefined, answer, 'after that it did not serve');
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Fault of a schema by its dialect; `undefined` where nothing is, or its dialect is not known here. */
function faultOf(schema: unknown): string | undefined {
  try {
    void new SchemaDocument(schema);
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    // The rest is what is not done with schemas of others here, such as to fetch one.
    return /^(?:at \S+: )?\S+ must be /.test(error.message) ? error.message : undefined;
  }
}

const wellFormed: ProbeRule = {
  id: 'schema-006',
  message: 'The schemas of a tool are valid in their dialect',
  fix: 'correct the schema: by JSON Schema 2020-12 where it names no other',
  needs: 'tools',
  async probe(harness) {
    const { tools } = await harness.offer();
    const listed = await harness.works(await harness.shared(), 'tools/list');
    for (const tool of tools)
      for (const field of ['inputSchema', 'outputSchema']) {
        const fault = isObject(tool[field]) ? faultOf(tool[field]) : undefined;
        const name = entryText(tool, 'name') ?? '?';
        if (fault !== undefined) return breaks(listed, `${field} of ${name}: ${fault}`, `tools/${name}/${field}`);
      }
    return tools.length > 0 ? holds : notApplicable('it lists no tool');
  },
};

/** Rules about requests that stand apart. */
export const apartRules: readonly ProbeRule[] = [
  cold,
  together,
  steadyCursor,
  notResumed,
  namesVersions,
  changedRoots,
  wellFormed,
];
