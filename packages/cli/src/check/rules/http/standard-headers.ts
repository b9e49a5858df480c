import { encodeHeaderValue } from '../../../../../parley/src/connection/header.ts';
import { nobody, type Harness } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import { entryText, isDemanding } from '../../harness/offer.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, holds, type RuleVerdict } from '../../harness/verdict.ts';
import { refusedWith, type WantedRefusal } from '../common/refusals.ts';
import { askedInManner } from '../common/stateless.ts';

/** Rules about `Mcp-Method` and `Mcp-Name`, which say again what stands in the body. */

/** A request that names something, and how it is sent with a value of `Mcp-Name`; `undefined` sends none. */
interface Naming {
  readonly method: string;
  readonly name: string;
  /** False for the name of nothing, which may be refused for that. */
  readonly isReal: boolean;
  send(said: string | undefined): Promise<RequestExchange>;
}

/** The answers to one of those without the header, and with the name of something else. */
interface NamedWrongly extends Pick<Naming, 'method' | 'isReal'> {
  readonly missing: RequestExchange;
  readonly other: RequestExchange;
}

/** A tool that may be called, or that of nobody, a prompt and a resource. */
async function namings(harness: Harness): Promise<readonly Naming[]> {
  const { capabilities, prompts, resources } = await harness.offer();
  const probeClient = await harness.shared();
  const plain = (method: string, field: 'name' | 'uri', name: string, isReal = true): Naming => ({
    method,
    name,
    isReal,
    send: (said) => probeClient.request(method, { [field]: name }, { headers: { 'Mcp-Name': said } }),
  });
  const promptName = entryText(
    prompts.find((one) => !isDemanding(one)),
    'name',
  );
  const uri = entryText(resources[0], 'uri');
  return [
    ...(capabilities['tools'] === undefined
      ? []
      : [(await calling(harness)) ?? plain('tools/call', 'name', nobody, false)]),
    ...(promptName === undefined ? [] : [plain('prompts/get', 'name', promptName)]),
    ...(uri === undefined ? [] : [plain('resources/read', 'uri', uri)]),
  ];
}

/** The call of the tool that was quickest of those that may be called. */
async function calling(harness: Harness): Promise<Naming | undefined> {
  if ((await harness.allowed()).every((one) => 'why' in one)) return undefined;
  const made = (await harness.made('obliging')).filter(({ rounds }) => rounds[0]?.result !== undefined);
  const [quickest] = made.toSorted((a, b) => a.tookMs - b.tookMs);
  if (quickest === undefined) return undefined;
  const { of } = quickest;
  const send: Naming['send'] = (said) =>
    harness.asked((probeClient) => sendCall(probeClient, of, { headers: { 'Mcp-Name': said } }));
  return { method: 'tools/call', name: of.name, isReal: true, send };
}

/** Sends each without the header and with a wrong one, once for all rules, where the right one is served. */
async function namedWrongly(harness: Harness): Promise<readonly NamedWrongly[]> {
  return await harness.kept('wrong names in headers', async () => {
    const wrong: NamedWrongly[] = [];
    for (const { method, name, isReal, send } of await namings(harness)) {
      if (isReal && (await send(encodeHeaderValue(name))).result === undefined) continue;
      wrong.push({
        method,
        isReal,
        missing: await send(undefined),
        other: await send(encodeHeaderValue(`${name}-other`)),
      });
    }
    return wrong;
  });
}

/** Judges a wrong `Mcp-Method`, then each wrong `Mcp-Name`. */
async function eachWrong(
  harness: Harness,
  [method, which]: readonly [method: string | undefined, which: 'missing' | 'other'],
  wanted: WantedRefusal,
): Promise<RuleVerdict> {
  const first = refusedWith(await askedInManner(harness, { headers: { 'Mcp-Method': method } }), wanted);
  if (first.verdict !== 'holds') return first;
  for (const one of await namedWrongly(harness)) {
    const answer = one[which];
    const isServed = answer.result !== undefined;
    // The name of nothing may be refused before headers are compared.
    const verdict = one.isReal || isServed ? refusedWith(answer, wanted) : holds;
    const how = which === 'missing' ? 'without Mcp-Name' : 'with another Mcp-Name';
    if (verdict.verdict === 'breaks') return breaks(answer, `${one.method} ${how}: ${verdict.why}`);
    if (verdict.verdict !== 'holds') return verdict;
  }
  return holds;
}

const other = 'completion/complete';

const missingHeader: ProbeRule = {
  id: 'http-074',
  message: 'A request without Mcp-Method, or without a required Mcp-Name, gets the status 400 and -32020',
  fix: 'require Mcp-Method, and Mcp-Name with tools/call, prompts/get and resources/read',
  over: 'http',
  probe: (harness) => eachWrong(harness, [undefined, 'missing'], { status: 400, code: -32020 }),
};

const otherHeader: ProbeRule = {
  id: 'http-075',
  message: 'A header that differs from the body is refused',
  fix: 'compare Mcp-Method and Mcp-Name with the body',
  over: 'http',
  probe: (harness) => eachWrong(harness, [other, 'other'], {}),
};

const otherHeaderCode: ProbeRule = {
  id: 'http-076',
  message: 'A header that differs from the body gets the status 400 and -32020',
  fix: 'answer with HTTP 400 and the error -32020',
  over: 'http',
  probe: (harness) => eachWrong(harness, [other, 'other'], { status: 400, code: -32020, follows: 'http-075' }),
};

/** Rules about those headers. */
export const standardHeaderRules: readonly ProbeRule[] = [missingHeader, otherHeader, otherHeaderCode];
