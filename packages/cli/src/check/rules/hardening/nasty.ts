import { besideIdle } from '../../alive.ts';
import type { Harness } from '../../harness/harness.ts';
import { errorCodeIn, type RawExchange } from '../../harness/exchange.ts';
import type { ProbeClient } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { breaks, notJudged, unless, type RuleVerdict } from '../../harness/verdict.ts';
import { noMethod } from '../common/basic.ts';
import { ownMeta } from '../common/own-meta.ts';

/** Sends a text that no server can make sense of, and sees whether it still serves. */
export async function livesOn(
  harness: Harness,
  { what, text, waitTimeoutMs }: { readonly what: string; readonly text: NastyText; readonly waitTimeoutMs?: number },
): Promise<RuleVerdict> {
  // The conversation that the others had shows as well whether it serves on.
  const isOwn = harness.slowMs === 0;
  const probeClient = isOwn ? await harness.fresh() : await harness.shared();
  try {
    await harness.ready(probeClient);
    const { method, params } = ownWords(harness);
    const words = text(method, params);
    const send = async (): Promise<RawExchange> =>
      await probeClient.text(words, {
        until: (messages) => messages.length > 0,
        ...(waitTimeoutMs === undefined ? {} : { waitTimeoutMs }),
      });
    const isBroken = ({ status }: RawExchange): boolean => status === undefined;
    const [exchange, isEnded] =
      harness.over === 'stdio' ? [await send()] : await besideIdle(harness.http.url, send, isBroken);
    // Another process may serve in its place.
    if (isEnded === true) return breaks(exchange, `${what} ended its process`);
    const serves =
      (await harness.serves(probeClient)) ||
      (await servesLate(harness, probeClient, exchange.end === 'silent' ? words.length : 0));
    return unless(!serves, exchange, `after ${what} it did not serve any more`);
  } finally {
    if (isOwn) await harness.end(probeClient);
  }
}

/** Length of a text from which on a server may take its time to read it, and how many waits for an answer it has for that. */
const slowly = { length: 1024 ** 2, waits: 6 };

/** Tells whether a server serves when it has read a long text, which it may do piece by piece. */
async function servesLate(harness: Harness, probeClient: ProbeClient, length: number): Promise<boolean> {
  if (length < slowly.length) return false;
  const answer = await probeClient.request(harness.harmless, undefined, {
    waitTimeoutMs: slowly.waits * harness.waitTimeoutMs,
  });
  return answer.result !== undefined;
}

/** Makes a text, of a method that works and the beginning of its params: what names no revision may be of another one to the server. */
export type NastyText = (method: string, params: string) => string | Uint8Array;

function ownWords(harness: Harness): { readonly method: string; readonly params: string } {
  const isStateless = harness.revision.clientDescribed === 'each-request';
  return { method: harness.harmless, params: isStateless ? `"_meta":${JSON.stringify(ownMeta(harness))},` : '' };
}

/** An id that no other request of a conversation has. */
export const nastyId = 77_077;

const nasty: readonly (readonly [id: string, what: string, text: NastyText])[] = [
  ['harden-no-json', 'text that is not JSON', () => '{"jsonrpc":"2.0","id":'],
  [
    'harden-utf-8',
    'bytes that are not UTF-8',
    (_, params) =>
      Buffer.concat([
        Buffer.from(`{"jsonrpc":"2.0","id":${nastyId},"params":{${params}"a":1},"method":"`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}'),
      ]),
  ],
  [
    'harden-depth',
    'JSON that nests 10,000 deep',
    (method, params) =>
      `{"jsonrpc":"2.0","id":${nastyId},"method":"${method}","params":{${params}"a":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}}`,
  ],
  [
    'harden-proto',
    'keys such as __proto__',
    (method, params) =>
      `{"jsonrpc":"2.0","id":${nastyId},"method":"${method}","params":{${params}"__proto__":{"a":1},"constructor":{"prototype":{"a":1}}}}`,
  ],
  [
    'harden-doubled-keys',
    'duplicate keys',
    (method, params) =>
      `{"jsonrpc":"2.0","id":1,"id":${nastyId},"method":"${noMethod}","method":"${method}","params":{${params}"a":1,"a":2}}`,
  ],
  [
    'harden-large-message',
    'a message of 5 MiB',
    (method, params) =>
      `{"jsonrpc":"2.0","id":${nastyId},"method":"${method}","params":{${params}"a":"${'a'.repeat(5 * 1024 ** 2)}"}}`,
  ],
  [
    'harden-large-batch',
    'a batch of 100 messages',
    (method, params) =>
      `[${Array.from({ length: 100 }, (_, at) => `{"jsonrpc":"2.0","id":${nastyId + at},"method":"${method}","params":{${params}"a":1}}`).join()}]`,
  ],
  [
    'harden-odd-values',
    'messages of unexpected types',
    () => '[null,1,"a",[],{},{"jsonrpc":"2.0","id":{},"method":1}]',
  ],
];

/** A server that does not outlive it is found by the rule before. */
const parseError: ProbeRule = {
  id: 'harden-parse-error',
  once: true,
  mayEnd: true,
  message: 'A body that is not JSON gets -32700 or an HTTP error status',
  fix: 'answer with the error -32700, whose id is null, or left out since 2025-11-25',
  over: 'http',
  async probe(harness) {
    const probeClient = await harness.shared();
    await harness.ready(probeClient);
    const exchange = await probeClient.text('{"jsonrpc":"2.0","id":', { until: (messages) => messages.length > 0 });
    const { status } = exchange;
    if (status === undefined) return notJudged('no response came');
    if (status >= 500) return breaks(exchange, `HTTP ${status}: the fault is the client's`);
    return unless(status < 400 && errorCodeIn(exchange) === undefined, exchange, `HTTP ${status} without an error`);
  },
};

const nastyTexts: readonly ProbeRule[] = nasty.map(([id, what, text]) => ({
  id,
  once: true,
  apart: true,
  mayEnd: true,
  message: `The server keeps serving after ${what}`,
  fix: 'answer with an error, or drop the message, and go on',
  probe: (harness) => livesOn(harness, { what, text }),
}));

/** Rules about what a server must outlive. */
export const nastyRules: readonly ProbeRule[] = [...nastyTexts, parseError];
