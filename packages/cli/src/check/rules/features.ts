import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { metaKey } from '../../../../parley/src/protocol/meta.ts';
import { nobody, type Harness } from '../harness/harness.ts';
import { errorCodeIn } from '../harness/exchange.ts';
import { entryText, isDemanding } from '../harness/offer.ts';
import type { RequestExchange } from '../harness/probe-client.ts';
import type { ProbeRule } from '../rule.ts';
import { isBase64 } from './results.ts';
import {
  breaks,
  holds,
  NotApplicable,
  notApplicable,
  NotJudged,
  notJudged,
  unless,
  type RuleVerdict,
} from '../harness/verdict.ts';
import { refusedWith } from './common/refusals.ts';

/** Rules about tools, resources, prompts, completion and logging. No listed tool is called. */

const nothing = `parley-check://${nobody}`;

/** The lists that a server declares, with the field of their entries. */
const lists = [
  ['tools', 'tools/list', 'tools'],
  ['prompts', 'prompts/list', 'prompts'],
  ['resources', 'resources/list', 'resources'],
] as const;

async function declaredLists(harness: Harness): Promise<readonly (typeof lists)[number][]> {
  const { capabilities } = await harness.offer();
  return lists.filter(([capability]) => isObject(capabilities[capability]));
}

async function ask(
  harness: Harness,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Promise<RequestExchange> {
  const probeClient = await harness.shared();
  await harness.ready(probeClient);
  return await probeClient.request(method, params);
}

const answeredLists: readonly ProbeRule[] = lists.map(([capability, method]) => ({
  id: `${capability}-002`,
  message: `A server that declares ${capability} answers ${method}`,
  fix: 'answer with an empty list where there is nothing',
  needs: capability,
  async probe(harness) {
    const answer = await ask(harness, method, {});
    return unless(answer.result === undefined, answer, 'it got no result');
  },
}));

const badCursor: ProbeRule = {
  id: 'page-009',
  message: 'An unknown cursor is refused with -32602',
  fix: 'check cursors, and answer -32602 for invalid ones',
  async probe(harness) {
    const declared = await declaredLists(harness);
    if (declared.length === 0) return notApplicable('it lists nothing');
    for (const [, method] of declared) {
      const answer = await ask(harness, method, { cursor: nobody });
      const verdict = refusedWith(answer, { code: -32602 });
      // That nothing is listed without one either has a row of its own.
      if (verdict.verdict === 'breaks' && (await ask(harness, method, {})).result === undefined) continue;
      if (verdict.verdict === 'breaks') return { ...verdict, why: `${method}: ${verdict.why}` };
    }
    return holds;
  },
};

function namesIn({ result }: RequestExchange, field: string): readonly unknown[] | undefined {
  const entries = result?.[field];
  return Array.isArray(entries)
    ? entries.map((entry: unknown) => (isObject(entry) ? (entry['uri'] ?? entry['name']) : entry))
    : undefined;
}

const sameOrder: ProbeRule = {
  id: 'tools-004',
  message: 'Tools are listed in the same order each time',
  fix: 'sort the list, or keep the order in which tools were added',
  needs: 'tools',
  async probe(harness) {
    const [first, again] = [await ask(harness, 'tools/list', {}), await ask(harness, 'tools/list', {})];
    const [names, others] = [namesIn(first, 'tools'), namesIn(again, 'tools')];
    if (names === undefined || others === undefined) return notJudged('tools/list gave no list');
    const isSame = new Set([...names, ...others]).size === new Set(names).size && names.length === others.length;
    if (!isSame) return notJudged('the list changed meanwhile');
    return unless(
      JSON.stringify(names) !== JSON.stringify(others),
      again,
      `it was ${shortly(names)}, and then ${shortly(others)}`,
    );
  },
};

/** Tells whether two lists have the same entries, in whatever order. */
function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  const all = new Set(some);
  return some.length === others.length && others.every((one) => all.has(one));
}

function shortly(names: readonly unknown[]): string {
  return JSON.stringify(names.slice(0, 5));
}

const sameForAll: readonly ProbeRule[] = lists.map(([capability, method, field]) => ({
  id: `${capability}-003`,
  apart: true,
  message: `The list of ${capability} does not depend on the connection`,
  fix: 'list the same for the same authorization',
  needs: capability,
  async probe(harness) {
    // Each connection has a process of its own, and a tool may have changed what one of them has.
    if (harness.over === 'stdio' && (await harness.allowed()).length > 0)
      return notJudged('tools were called in one process');
    const first = namesIn(await ask(harness, method, {}), field);
    const probeClient = await harness.fresh();
    try {
      const other = await probeClient.request(method, {});
      const names = namesIn(other, field);
      if (first === undefined || names === undefined) return notJudged(`${method} gave no list`);
      if (isSame(first, names)) return holds;
      const again = namesIn(await ask(harness, method, {}), field);
      if (again === undefined || !isSame(first, again)) return notJudged('the list changed meanwhile');
      return breaks(other, `it was ${shortly(first)}, and on another connection ${shortly(names)}`);
    } finally {
      await harness.end(probeClient);
    }
  },
}));

const oneScope: ProbeRule = {
  id: 'caching-017',
  message: 'All pages of a list have one cacheScope',
  fix: 'decide by the list, and not by the page',
  async probe(harness) {
    let pages = 0;
    for (const [, method] of await declaredLists(harness)) {
      const first = await ask(harness, method, {});
      const cursor = first.result?.['nextCursor'];
      if (typeof cursor !== 'string') continue;
      pages++;
      const next = await ask(harness, method, { cursor });
      if (next.result?.['cacheScope'] !== first.result?.['cacheScope'])
        return breaks(
          next,
          `${method}: ${JSON.stringify(first.result?.['cacheScope'])} on the first page, ${JSON.stringify(next.result?.['cacheScope'])} on the second`,
        );
    }
    return pages === 0 ? notApplicable('no list has a second page') : holds;
  },
};

const unknownTool: ProbeRule = {
  id: 'tools-024',
  message: 'A call of an unknown tool gets the protocol error -32602',
  fix: 'answer with the error -32602',
  needs: 'tools',
  async probe(harness) {
    const answer = await ask(harness, 'tools/call', { name: nobody, arguments: {} });
    return refusedWith(answer, { code: -32602 });
  },
};

async function readNothing(harness: Harness): Promise<RequestExchange> {
  return await ask(harness, 'resources/read', { uri: nothing });
}

/** Checks a read of a missing resource. A server may have a template that accepts any URI. */
async function onNothing(harness: Harness, judge: (answer: RequestExchange) => RuleVerdict): Promise<RuleVerdict> {
  const answer = await readNothing(harness);
  const contents = answer.result?.['contents'];
  return Array.isArray(contents) && contents.length > 0 ? notApplicable('it reads any URI') : judge(answer);
}

const unknownResource: readonly ProbeRule[] = [
  {
    id: 'resources-013',
    message: 'A read of a resource that does not exist is answered with -32002',
    fix: 'answer with the error -32002',
    needs: 'resources',
    probe: (harness) => onNothing(harness, (answer) => refusedWith(answer, { code: -32002 })),
  },
  {
    id: 'resources-014',
    message: 'A read of a resource that does not exist is answered with -32602',
    fix: 'answer with the error -32602, with data {"uri": "…"}',
    needs: 'resources',
    probe: (harness) => onNothing(harness, (answer) => refusedWith(answer, { code: -32602, follows: 'resources-017' })),
  },
  {
    id: 'resources-017',
    message: 'A resource that does not exist is not read as empty contents',
    fix: 'answer with the error -32602',
    needs: 'resources',
    probe: (harness) =>
      onNothing(harness, (answer) => unless(answer.result !== undefined, answer, 'it was read as nothing')),
  },
];

/** Limit of listed resources that are read, and of prompts that are got. */
const most = { reads: 5, prompts: 3 };

/** Reads of listed resources that gave contents; made once for all rules. */
async function reads(harness: Harness): Promise<readonly ReadUri[]> {
  const { resources } = await harness.offer();
  const uris = resources.map((resource) => entryText(resource, 'uri')).filter((uri) => uri !== undefined);
  if (uris.length === 0) throw new NotApplicable('it lists no resource');
  const found = await harness.kept('reads', async () => {
    const all: ReadUri[] = [];
    for (const uri of uris.slice(0, most.reads)) {
      const answer = await ask(harness, 'resources/read', { uri });
      const list = answer.result?.['contents'];
      if (Array.isArray(list)) all.push({ uri, answer, list });
    }
    return all;
  });
  if (found.length === 0) throw new NotJudged('no listed resource could be read');
  return found;
}

interface ReadUri {
  readonly uri: string;
  readonly answer: RequestExchange;
  readonly list: readonly unknown[];
}

/** Judges the contents of resources. */
function aboutContents(
  rule: Pick<ProbeRule, 'id' | 'message' | 'fix'>,
  isWrong: (contents: unknown) => boolean,
  why: string,
): ProbeRule {
  return {
    ...rule,
    needs: 'resources',
    async probe(harness) {
      for (const { uri, answer, list } of await reads(harness)) {
        const wrong = list.findIndex(isWrong);
        if (wrong >= 0) return breaks(answer, `contents[${wrong}] ${why}`, `resources/${uri}`);
      }
      return holds;
    },
  };
}

const contents: readonly ProbeRule[] = [
  aboutContents(
    {
      id: 'resources-008',
      message: 'Contents of a resource have a URI, and text or base64',
      fix: 'send uri, and text or blob',
    },
    (one) =>
      !isObject(one) ||
      typeof one['uri'] !== 'string' ||
      (typeof one['text'] !== 'string' && typeof one['blob'] !== 'string'),
    'has no uri, or neither text nor blob',
  ),
  aboutContents(
    {
      id: 'resources-020',
      message: 'Binary contents of a resource are encoded in base64',
      fix: 'encode the bytes in base64, with its padding: not in base64url, and not in hexadecimal',
    },
    (one) => isObject(one) && typeof one['blob'] === 'string' && !isBase64(one['blob']),
    'has a blob that is no base64',
  ),
];

const unknownPrompt: ProbeRule = {
  id: 'prompts-009',
  message: 'A prompt that does not exist, or lacks a required argument, is refused with -32602',
  fix: 'answer with the error -32602',
  needs: 'prompts',
  async probe(harness) {
    const unknown = refusedWith(await ask(harness, 'prompts/get', { name: nobody }), { code: -32602 });
    if (unknown.verdict === 'breaks') return unknown;
    const name = entryText((await harness.offer()).prompts.find(isDemanding), 'name');
    return name === undefined
      ? holds
      : refusedWith(await ask(harness, 'prompts/get', { name, arguments: {} }), { code: -32602 });
  },
};

const gotPrompts: ProbeRule = {
  id: 'prompts-015',
  message: 'A prompt returns messages, each with a role and content',
  fix: 'send "messages": [{"role": "user", "content": {…}}]',
  needs: 'prompts',
  async probe(harness) {
    const free = (await harness.offer()).prompts.filter((prompt) => !isDemanding(prompt)).slice(0, most.prompts);
    let got = 0;
    for (const prompt of free) {
      const name = entryText(prompt, 'name');
      if (name === undefined) continue;
      const answer = await ask(harness, 'prompts/get', { name });
      if (answer.result === undefined || (answer.result['resultType'] ?? 'complete') !== 'complete') continue;
      got++;
      const { messages } = answer.result;
      const isFine =
        Array.isArray(messages) &&
        messages.every(
          (one) => isObject(one) && (one['role'] === 'user' || one['role'] === 'assistant') && isObject(one['content']),
        );
      if (!isFine) return breaks(answer, 'its messages are not so', `prompts/${name}`);
    }
    return got === 0 ? notApplicable('no prompt can be had without arguments') : holds;
  },
};

const unknownCompletion: ProbeRule = {
  id: 'compl-004',
  message: 'A completion for an unknown reference is refused with -32602',
  fix: 'answer with the error -32602',
  needs: 'completions',
  async probe(harness) {
    const params = { ref: { type: 'ref/prompt', name: nobody }, argument: { name: 'a', value: '' } };
    return refusedWith(await ask(harness, 'completion/complete', params), { code: -32602 });
  },
};

const levels: readonly ProbeRule[] = [
  {
    id: 'logging-002',
    message: 'A server that declares logging answers logging/setLevel',
    fix: 'answer with an empty result',
    needs: 'logging',
    async probe(harness) {
      const answer = await ask(harness, 'logging/setLevel', { level: 'emergency' });
      return unless(answer.result === undefined, answer, 'it got no result');
    },
  },
  {
    id: 'logging-003',
    message: 'An invalid log level is refused with -32602',
    fix: 'answer with the error -32602',
    needs: 'logging',
    probe: async (harness) => refusedWith(await ask(harness, 'logging/setLevel', { level: 'loud' }), { code: -32602 }),
  },
  {
    id: 'logging-006',
    message: 'A request with an invalid log level is refused with -32602',
    fix: 'answer with the error -32602',
    needs: 'logging',
    probe: async (harness) =>
      refusedWith(await ask(harness, harness.harmless, { _meta: { [metaKey.logLevel]: 'loud' } }), { code: -32602 }),
  },
];

const unknownCancellation: ProbeRule = {
  id: 'cancel-010',
  message: 'A cancellation of an unknown request is ignored',
  fix: 'drop it, and go on',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const exchange = await probeClient.notify('notifications/cancelled', { requestId: nobody });
    if (errorCodeIn(exchange) !== undefined) return breaks(exchange, 'it was answered with an error');
    return unless(!(await harness.serves(probeClient)), exchange, 'after it the server did not serve');
  },
};

/** Rules about what servers offer. */
export const featureRules: readonly ProbeRule[] = [
  ...answeredLists,
  badCursor,
  sameOrder,
  ...sameForAll,
  oneScope,
  unknownTool,
  ...unknownResource,
  ...contents,
  unknownPrompt,
  gotPrompts,
  unknownCompletion,
  ...levels,
  unknownCancellation,
];
