import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../../parley/src/protocol/meta.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import { errorCodeIn } from '../../harness/exchange.ts';
import type { RequestExchange, Conventions } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { noMethod } from './basic.ts';
import { ownMeta } from './own-meta.ts';
import { errorDataIn, refusedWith } from './refusals.ts';

/** Rules about requests that stand by themselves: what each must say of its client, in its body and in its headers. */

const noRevision = '1999-12-31';

/** Sends one request in a manner, after the same in the right one. */
export async function askedInManner(
  harness: Harness,
  conventions: Conventions,
  method?: string,
): Promise<RequestExchange> {
  const probeClient = await harness.shared();
  const harmless = await listing(harness);
  await harness.ready(probeClient, harmless);
  return await probeClient.request(method ?? harmless, undefined, conventions);
}

/** A list that the server declares, where there is one: `server/discover` is how revisions are found out, and some answer it in any. */
async function listing(harness: Harness): Promise<string> {
  const { capabilities } = await harness.shared();
  const declared = ['tools', 'prompts', 'resources'].find((name) => isObject(capabilities[name]));
  return declared === undefined ? harness.harmless : `${declared}/list`;
}

const incomplete: readonly (readonly [what: string, conventions: (harness: Harness) => Conventions])[] = [
  ['no _meta', () => ({ meta: undefined })],
  ['no protocolVersion', (harness) => ({ meta: ownMeta(harness, { [metaKey.protocolVersion]: undefined }) })],
  ['no clientCapabilities', (harness) => ({ meta: ownMeta(harness, { [metaKey.clientCapabilities]: undefined }) })],
];

/** Judges each incomplete request, and gives the first verdict that is none of being kept. */
async function eachIncomplete(
  harness: Harness,
  judge: (answer: RequestExchange, what: string) => RuleVerdict,
): Promise<RuleVerdict> {
  let verdict: RuleVerdict = { verdict: 'holds' };
  for (const [what, conventions] of incomplete) {
    // Over stdio it may be taken for a request of another era, which has no `_meta`, where the server speaks such too.
    const isOther =
      harness.over === 'stdio' && harness.spoken.some(({ clientDescribed }) => clientDescribed === 'once');
    if (isOther && what !== 'no clientCapabilities') continue;
    verdict = judge(await askedInManner(harness, conventions(harness)), what);
    if (verdict.verdict === 'breaks') return { ...verdict, why: `${what}: ${verdict.why}` };
  }
  return verdict;
}

const requiredMeta: ProbeRule = {
  id: 'meta-010',
  message: 'A request without a required _meta key is refused with -32602',
  fix: 'first check that _meta has protocolVersion and clientCapabilities, and answer -32602',
  probe: (harness) =>
    eachIncomplete(harness, (answer, what) =>
      // A header names a revision that the body then does not.
      what !== 'no clientCapabilities' && errorCodeIn(answer) === -32020
        ? holds
        : refusedWith(answer, { code: -32602 }),
    ),
};

const requiredMetaStatus: ProbeRule = {
  id: 'meta-011',
  message: 'Over HTTP, a request without a required _meta key gets the status 400',
  fix: 'answer with HTTP 400',
  over: 'http',
  probe: (harness) => eachIncomplete(harness, (answer) => refusedWith(answer, { status: 400, follows: 'meta-010' })),
};

const forgets: ProbeRule = {
  id: 'basic-032',
  message: 'The server does not apply the declarations of one request to the next',
  fix: 'read revision and capabilities from the _meta of each request, and keep nothing of it for the connection',
  async probe(harness) {
    const silent = { [metaKey.clientCapabilities]: undefined };
    const answer = await askedInManner(harness, { meta: ownMeta(harness, silent) });
    if (answer.result === undefined) return holds;
    const stranger = await harness.unopened();
    const meta = ownMeta(harness, { ...silent, [metaKey.clientInfo]: { name: nobody, version: '1' } });
    const cold = await stranger.request(await listing(harness), undefined, { meta });
    await harness.end(stranger);
    return cold.result === undefined
      ? breaks(answer, 'a request without clientCapabilities was served after others that had them')
      : notJudged('it serves such requests of clients that never said it, too: see meta-010');
  },
};

const anonymous: ProbeRule = {
  id: 'meta-012',
  message: 'A request without clientInfo is served',
  fix: 'do not require clientInfo',
  async probe(harness) {
    const answer = await askedInManner(harness, { meta: ownMeta(harness, { [metaKey.clientInfo]: undefined }) });
    return unless(answer.result === undefined, answer, 'it got no result');
  },
};

const otherRevision: ProbeRule = {
  id: 'versioning-001',
  message: 'An unsupported revision gets -32022, with the requested and the supported revisions',
  fix: 'answer -32022 with data {"supported": […], "requested": "…"}',
  async probe(harness) {
    const answer = await askedInManner(harness, {
      meta: ownMeta(harness, { [metaKey.protocolVersion]: noRevision }),
      headers: { 'MCP-Protocol-Version': noRevision },
    });
    const refused = refusedWith(answer, { code: -32022 });
    if (refused.verdict === 'breaks') return refused;
    const data = errorDataIn(answer);
    if (!Array.isArray(data?.['supported'])) return breaks(answer, 'data.supported is no list');
    return unless(
      data['requested'] !== noRevision,
      answer,
      `data.requested is ${JSON.stringify(data['requested']) ?? 'missing'}`,
    );
  },
};

const otherRevisionStatus: ProbeRule = {
  id: 'http-067',
  message: 'Over HTTP, an unsupported revision gets the status 400',
  fix: 'answer with HTTP 400',
  over: 'http',
  async probe(harness) {
    const meta = ownMeta(harness, { [metaKey.protocolVersion]: noRevision });
    return refusedWith(await askedInManner(harness, { meta, headers: { 'MCP-Protocol-Version': noRevision } }), {
      status: 400,
      follows: 'versioning-001',
    });
  },
};

const noPing: ProbeRule = {
  id: 'ping-005',
  message: 'ping no longer exists: -32601',
  fix: 'answer -32601, method not found',
  probe: async (harness) => refusedWith(await askedInManner(harness, {}, 'ping'), { code: -32601 }),
};

const noSetLevel: ProbeRule = {
  id: 'logging-007',
  message: 'logging/setLevel no longer exists: -32601',
  fix: 'answer -32601, method not found',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    return refusedWith(await probeClient.request('logging/setLevel', { level: 'info' }), { code: -32601 });
  },
};

const unknownMethodStatus: ProbeRule = {
  id: 'http-068',
  message: 'A method that the server does not have gets the status 404 and -32601',
  fix: 'answer with HTTP 404 and the error -32601',
  over: 'http',
  probe: async (harness) => refusedWith(await askedInManner(harness, {}, noMethod), { status: 404, code: -32601 }),
};

const removed: ProbeRule = {
  id: 'http-069',
  message: 'Methods of the handshake revisions get the status 404 and -32601',
  fix: 'answer initialize, ping, logging/setLevel and resources/subscribe with HTTP 404 and -32601',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    for (const [method, params] of Object.entries(former)) {
      const follows = { ping: 'ping-005', 'logging/setLevel': 'logging-007' }[method];
      // Mcp-Name is for other methods, but what asks for it first says nothing of this one.
      const headers = typeof params['uri'] === 'string' ? { 'Mcp-Name': params['uri'] } : {};
      const verdict = refusedWith(await probeClient.request(method, params, { headers }), {
        status: 404,
        code: -32601,
        ...(follows === undefined ? {} : { follows }),
      });
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return { verdict: 'holds' };
  },
};

const former: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  ping: {},
  'logging/setLevel': { level: 'info' },
  'resources/subscribe': { uri: 'parley-check://none' },
  'resources/unsubscribe': { uri: 'parley-check://none' },
};

const mismatch: ProbeRule = {
  id: 'http-066',
  message: 'A revision in the header that differs from _meta gets the status 400 and -32020',
  fix: 'compare MCP-Protocol-Version with _meta, and answer HTTP 400 and -32020 where they differ',
  over: 'http',
  async probe(harness) {
    const other = harness.spoken.findLast(({ date }) => date !== harness.revision.date);
    const answer = await askedInManner(harness, { headers: { 'MCP-Protocol-Version': other?.date ?? noRevision } });
    // What is refused before anything is compared has a code of its own: that it is not spoken, or what an older revision asks for.
    const isOpen = other?.clientDescribed === 'once' || (other === undefined && errorCodeIn(answer) === -32022);
    return refusedWith(answer, { status: 400, ...(isOpen ? {} : { code: -32020 }) });
  },
};

const versionHeader: ProbeRule = {
  id: 'http-070',
  message: 'A server without clients of handshake revisions refuses a request without the header MCP-Protocol-Version',
  fix: 'require the header',
  over: 'http',
  async probe(harness) {
    if (harness.spoken.some((revision) => revision.clientDescribed === 'once'))
      return notApplicable('it speaks handshake revisions too');
    return refusedWith(await askedInManner(harness, { headers: { 'MCP-Protocol-Version': undefined } }), {
      status: 400,
    });
  },
};

const headerNames: ProbeRule = {
  id: 'http-077',
  message: 'Header names are not case-sensitive',
  fix: 'compare names of headers without regard to case',
  over: 'http',
  async probe(harness) {
    const answer = await askedInManner(harness, {
      headers: {
        'MCP-Protocol-Version': undefined,
        'mcp-PROTOCOL-version': harness.revision.date,
        'Mcp-Method': undefined,
        'MCP-METHOD': await listing(harness),
      },
    });
    return unless(answer.result === undefined, answer, 'it got no result');
  },
};

const headerValues: ProbeRule = {
  id: 'http-078',
  message: 'Header values are case-sensitive, and surrounding white space is ignored',
  fix: 'trim values of headers, and compare them as they are',
  over: 'http',
  async probe(harness) {
    const spaced = await askedInManner(harness, { headers: { 'Mcp-Method': `  ${await listing(harness)}  ` } });
    if (spaced.result === undefined) return breaks(spaced, 'with spaces around the value it got no result');
    const shouted = await askedInManner(harness, { headers: { 'Mcp-Method': (await listing(harness)).toUpperCase() } });
    if (shouted.result === undefined) return refusedWith(shouted, {});
    const other = await askedInManner(harness, { headers: { 'Mcp-Method': 'parley/other' } });
    return refusedWith(shouted, other.result === undefined ? {} : { follows: 'http-075' });
  },
};

/** Rules about requests without a session. */
export const statelessRules: readonly ProbeRule[] = [
  requiredMeta,
  requiredMetaStatus,
  forgets,
  anonymous,
  otherRevision,
  otherRevisionStatus,
  noPing,
  noSetLevel,
  unknownMethodStatus,
  removed,
  mismatch,
  versionHeader,
  headerNames,
  headerValues,
];
