import type { Harness } from '../harness/harness.ts';
import { parseJson } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { isExtensionId, metaKey } from '../../../../parley/src/protocol/meta.ts';
import { isMessageText } from '../harness/manner.ts';
import { newestOf } from '../../../../parley/src/protocol/revision.ts';
import type { RequestExchange } from '../harness/probe-client.ts';
import type { ProbeRule, WatchRule } from '../rule.ts';
import { breaks, holds, notApplicable, notJudged, unless } from '../harness/verdict.ts';
import { isForwardDomain } from './common/forward-names.ts';
import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { wholeText } from '../whole-text.ts';

/** Rules about how a conversation begins where there is a handshake. */

/** A date on which no revision was published. */
const noRevision = '1999-12-31';

const introduces: WatchRule = {
  id: 'lifecycle-003',
  fields: ['protocolVersion', 'capabilities', 'serverInfo', 'serverInfo.name', 'serverInfo.version'],
  message: 'The initialize result has the revision, the capabilities and the name of the server',
  fix: 'send protocolVersion, capabilities and serverInfo with name and version',
  watch({ message: { result }, request }) {
    if (request?.['method'] !== 'initialize' || !isObject(result)) return 'not-seen';
    const { protocolVersion, capabilities, serverInfo } = result;
    if (typeof protocolVersion !== 'string') return { breaks: 'protocolVersion is no string' };
    if (!isObject(capabilities)) return { breaks: 'capabilities is no object' };
    const isNamed =
      isObject(serverInfo) && typeof serverInfo['name'] === 'string' && typeof serverInfo['version'] === 'string';
    return isNamed ? 'holds' : { breaks: 'serverInfo has no name and version' };
  },
};

/** Answer to `initialize` with a revision that nobody speaks; asked for once for all rules about it. */
async function offered(harness: Harness): Promise<RequestExchange> {
  return await harness.kept('an offer', () => initialized(harness, noRevision));
}

const counterOffer: ProbeRule = {
  id: 'lifecycle-013',
  once: true,
  apart: true,
  message: 'If the server does not support the requested revision, it returns one that it supports',
  fix: 'answer initialize with a supported protocolVersion, and not with whatever was asked for',
  async probe(harness) {
    const answer = await offered(harness);
    const version = answer.result?.['protocolVersion'];
    if (version === noRevision) return breaks(answer, `it claims to speak ${noRevision}`);
    if (version === undefined) return breaks(answer, 'it made no offer');
    return unless(
      !harness.spoken.some(({ date }) => date === version) && !(await isGranted(harness, version)),
      answer,
      `it offers ${JSON.stringify(version)}, which it did not speak when asked`,
    );
  },
};

/** Asks for a revision that was offered: one that was not chosen to be judged, or is of another transport, may be spoken all the same. */
async function isGranted(harness: Harness, version: unknown): Promise<boolean> {
  return (await initialized(harness, version)).result?.['protocolVersion'] === version;
}

/** Sends `initialize` in a conversation of its own. */
async function initialized(harness: Harness, version: unknown): Promise<RequestExchange> {
  const probeClient = await harness.unopened();
  try {
    const clientInfo = { name: 'parley-check', version: '1' };
    const params = { protocolVersion: version, capabilities: {}, clientInfo };
    const answer = await probeClient.request('initialize', params, { waitTimeoutMs: harness.coldMs });
    // What it opened is ended, and takes no room of what follows.
    probeClient.session = answer.headers['mcp-session-id'];
    return answer;
  } finally {
    await harness.end(probeClient);
  }
}

const newestOffer: ProbeRule = {
  id: 'lifecycle-014',
  once: true,
  apart: true,
  message: 'For an unsupported revision, initialize returns the newest session-based revision',
  fix: 'offer the newest revision that the server speaks',
  async probe(harness) {
    const answer = await offered(harness);
    const version = answer.result?.['protocolVersion'];
    const newest = newestOf(harness.spoken, 'handshake')?.date;
    if (version === undefined || version === noRevision) return notJudged('it made no offer');
    const isKnown = harness.spoken.some(({ date }) => date === version);
    if (!isKnown && (await isGranted(harness, version))) return notJudged('not all revisions were asked for');
    return unless(version !== newest, answer, `it offers ${JSON.stringify(version)}, and speaks ${newest ?? 'none'}`);
  },
};

const quietBefore: ProbeRule = {
  id: 'lifecycle-006',
  apart: true,
  message: 'Before notifications/initialized the server sends nothing but ping and log messages',
  fix: 'send no other message before notifications/initialized',
  async probe(harness) {
    const capabilities = { roots: {}, sampling: {} };
    const probeClient = await harness.unopened(capabilities);
    try {
      const clientInfo = { name: 'parley-check', version: '1' };
      const params = { protocolVersion: harness.revision.date, capabilities, clientInfo };
      const asked = await probeClient.request('initialize', params, { waitTimeoutMs: harness.coldMs });
      if (asked.result === undefined) return notJudged('initialize gave no result');
      probeClient.session = asked.headers['mcp-session-id'];
      // What comes next says which revision was agreed on, as it should.
      probeClient.opening = asked;
      // Another answer to wait for, within which it may say something.
      const after = await probeClient.request('ping', undefined, {
        until: () => false,
        waitTimeoutMs: harness.quietMs,
      });
      const early = [...asked.messages, ...after.messages].find(
        (one) =>
          isObject(one) &&
          typeof one['method'] === 'string' &&
          !['ping', 'notifications/message'].includes(one['method']),
      );
      return unless(early !== undefined, after, `it sent ${JSON.stringify(early)?.slice(0, 200)}`);
    } finally {
      await harness.end(probeClient);
    }
  },
};

/** Kind of a line before initialize: pings and log messages are free to come before a conversation is open. */
function earlyKind(line: string): 'free' | 'other' | 'none' {
  if (!isMessageText(line)) return 'none';
  try {
    const messages = [parseJson(line)].flat();
    const isFree = messages.every(
      (one) => isObject(one) && ['ping', 'notifications/message'].includes(wholeText(one['method'])),
    );
    return isFree ? 'free' : 'other';
  } catch {
    // It is no message, or so long that it was kept in part.
    return 'none';
  }
}

const speaksSecond: ProbeRule = {
  id: 'lifecycle-001',
  once: true,
  apart: true,
  message: 'A server sends nothing before initialize',
  fix: 'wait for initialize before anything is sent',
  async probe(harness) {
    if (harness.over === 'http') return notApplicable('over HTTP nothing comes before something is sent');
    const began = performance.now();
    await harness.end(await harness.fresh());
    // Another one needs as long until it can say something.
    const probeClient = await harness.unopened();
    try {
      await probeClient.rest(Math.min(performance.now() - began, 10_000) + harness.quietMs);
      const kinds = (probeClient.lines?.unasked ?? []).map((line) => [line, earlyKind(line)] as const);
      const [early] = kinds.find(([, kind]) => kind === 'other') ?? [];
      const isOpen = await probeClient.open();
      if (!isOpen || probeClient.opening === undefined) return notJudged('it opened no conversation');
      if (early !== undefined) return breaks(probeClient.opening, `it said ${early.slice(0, 200)} of its own accord`);
      return kinds.some(([, kind]) => kind === 'free') ? notJudged('it sent pings or log messages alone') : holds;
    } finally {
      await harness.end(probeClient);
    }
  },
};

const discovers: ProbeRule = {
  id: 'versioning-003',
  message: 'server/discover returns the revisions and the capabilities of the server',
  fix: 'answer server/discover with supportedVersions and capabilities',
  async probe(harness) {
    const { opening } = await harness.shared();
    if (opening === undefined) return notJudged('nothing was asked');
    const { result } = opening;
    if (result === undefined) return breaks(opening, 'requests are served, and server/discover is not');
    if (!Array.isArray(result['supportedVersions'])) return breaks(opening, 'supportedVersions is no list');
    return unless(!isObject(result['capabilities']), opening, 'capabilities is no object');
  },
};

const ping: ProbeRule = {
  id: 'ping-001',
  message: 'ping is answered with an empty result',
  fix: 'answer {"result": {}}',
  async probe(harness) {
    const answer = await (await harness.shared()).request('ping');
    if (answer.result === undefined) return breaks(answer, 'it got no result');
    const extra = Object.keys(answer.result).filter((key) => key !== '_meta');
    return unless(extra.length > 0, answer, `the result has ${extra.join(', ')}`);
  },
};

/** SEP-2133: `extensions` has the same place and meaning in the answer to `initialize` of an earlier revision. */
const everywhere = (): boolean => true;

/** The extensions that the server declares in a message; `undefined` if it declares none there. */
function declaredExtensionsIn(result: unknown, request: JsonObject | undefined): JsonObject | undefined {
  const isOpening = request?.['method'] === 'server/discover' || request?.['method'] === 'initialize';
  const capabilities = isOpening && isObject(result) ? result['capabilities'] : undefined;
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined;
  return isObject(extensions) ? extensions : undefined;
}

const extensionNames: WatchRule = {
  id: 'versioning-012',
  lives: everywhere,
  message: 'Extensions are named like keys of _meta, with a prefix',
  fix: 'name an extension like com.example/name',
  watch({ message: { result }, request }) {
    const extensions = declaredExtensionsIn(result, request);
    if (extensions === undefined) return 'not-seen';
    const wrong = Object.keys(extensions).find((name) => !isExtensionId(name));
    return wrong === undefined ? 'holds' : { breaks: `${JSON.stringify(wrong)} has no prefix, or odd characters` };
  },
};

const reversedNames: WatchRule = {
  id: 'versioning-020',
  lives: everywhere,
  message: 'The prefix of an extension is a domain in reverse order: com.example, and not example.com',
  fix: 'turn the domain around',
  watch({ message: { result }, request }) {
    const extensions = declaredExtensionsIn(result, request) ?? {};
    const prefixes = Object.keys(extensions).map((name) => name.split('/', 1).join());
    if (prefixes.length === 0) return 'not-seen';
    const wrong = prefixes.find((prefix) => isForwardDomain(prefix.split('.')));
    return wrong === undefined ? 'holds' : { breaks: `${wrong} is not` };
  },
};

const named: WatchRule = {
  id: 'versioning-005',
  message: 'The result of server/discover names the server in _meta',
  fix: 'add "io.modelcontextprotocol/serverInfo" to _meta',
  watch({ message: { result }, request }) {
    if (request?.['method'] !== 'server/discover' || !isObject(result)) return 'not-seen';
    return isObject(result['_meta']) && isObject(result['_meta'][metaKey.serverInfo])
      ? 'holds'
      : { breaks: 'it does not' };
  },
};

const lists = { tools: 'tools/list', prompts: 'prompts/list', resources: 'resources/list' } as const;

const declared: ProbeRule = {
  id: 'versioning-004',
  message: 'The server has the methods of its declared capabilities, and no others',
  fix: 'declare the capabilities of the methods that are served, and no others',
  async probe(harness) {
    const probeClient = await harness.shared();
    for (const [capability, method] of Object.entries(lists)) {
      const answer = await probeClient.request(method);
      const isDeclared = (probeClient.capabilities[capability] ?? undefined) !== undefined;
      if (isDeclared && answer.result === undefined)
        return notJudged(`${capability} is declared, and ${method} gives no result: see ${capability}-002`);
      const items = answer.result?.[capability];
      if (!isDeclared && Array.isArray(items) && items.length > 0)
        return breaks(answer, `${capability} is not declared, and ${method} lists ${items.length}`);
    }
    return holds;
  },
};

const declaredLists: readonly ProbeRule[] = Object.entries(lists).map(([capability, method]) => ({
  id: `${capability}-001`,
  message: `A server that has ${capability} declares ${capability}`,
  fix: `declare the capability ${capability}`,
  async probe(harness) {
    const probeClient = await harness.shared();
    // That it is no object the schema says.
    if ((probeClient.capabilities[capability] ?? undefined) !== undefined) return holds;
    const answer = await probeClient.request(method);
    const items = answer.result?.[capability];
    if (!Array.isArray(items)) return notApplicable(`it has no ${capability}`);
    return unless(items.length > 0, answer, `${method} lists ${items.length}, and ${capability} is not declared`);
  },
}));

/** Rules about beginnings. */
export const lifecycleRules: readonly (ProbeRule | WatchRule)[] = [
  introduces,
  counterOffer,
  newestOffer,
  quietBefore,
  speaksSecond,
  discovers,
  ping,
  extensionNames,
  reversedNames,
  named,
  declared,
  ...declaredLists,
];
