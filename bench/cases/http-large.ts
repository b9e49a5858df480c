import type { Case, Contender } from '../harness/case.ts';
import { startServer } from '../harness/child.ts';
import { httpContender, type HttpContender } from '../harness/http-contender.ts';
import { ask } from '../harness/http-load.ts';
import { handshake, speakerOf, stateless, type Shots } from '../harness/requests.ts';

const megabyte = 1024 * 1024;
const text = 'x'.repeat(megabyte);
const tools = 1_000;
const unit = 'µs of CPU per request';

const listing: Shots = (speak) => (number) => speak('tools/list', {}, number, `"tool-${tools}"`);
const constant: Shots = (speak) => (number) => speak('tools/list', {}, number, 'xxxx');
const largeResult: Shots = (speak) => (number) =>
  speak('tools/call', { name: 'large', arguments: {} }, number, `"text":"${text}"`);
const largeArgument: Shots = (speak) => (number) =>
  speak('tools/call', { name: 'length', arguments: { text } }, number, `"text":"${megabyte}"`);

/** How many bytes Parley's list of so many tools has. */
async function listSize(): Promise<number> {
  const server = await startServer('parley', { tools });
  try {
    const { body } = await ask(server.url, listing(await speakerOf(server.url, stateless))(1));
    return body.length;
  } finally {
    await server.stop();
  }
}

/** Writes as many bytes as the list has, whatever it is asked. */
const sameBytes: Contender = {
  name: 'limit',
  limit: true,
  start: async () => {
    const options = { bytes: await listSize() };
    const load = { connections: 16, total: 4_000, shots: constant };
    return await httpContender({ ...load, name: 'limit', bare: true, script: 'limit', options }).start();
  },
};

function list(name: string, script: string, more: Partial<HttpContender>): Contender {
  return httpContender({ connections: 16, total: 4_000, shots: listing, name, script, options: { tools }, ...more });
}

function large(shots: Shots, options: Readonly<Record<string, unknown>>): readonly Contender[] {
  const common = { connections: 4, total: 400, shots, options };
  return [
    httpContender({ ...common, name: 'limit', limit: true, bare: true, script: 'limit' }),
    httpContender({ ...common, name: 'parley', script: 'parley' }),
    httpContender({ ...common, name: 'official v2', script: 'official-v2', peer: true }),
    httpContender({ ...common, name: 'tmcp', script: 'tmcp', peer: true }),
  ];
}

/** Answers and arguments that are large. */
export const httpLargeCases: readonly Case[] = [
  {
    id: 'list',
    title: `tools/list with ${tools.toLocaleString('en')} tools over HTTP, against writing as many bytes from a buffer`,
    unit,
    target: '≤ 1.2 × the limit',
    contenders: [
      sameBytes,
      ...[stateless, handshake, '2024-11-05'].map((revision) => list(`parley ${revision}`, 'parley', { revision })),
      list('official v2', 'official-v2', { peer: true, total: 100 }),
      list('tmcp', 'tmcp', { peer: true, total: 100 }),
    ],
  },
  {
    id: 'large-result',
    title: `tools/call at ${stateless} over HTTP whose result is a text of 1 MB`,
    unit,
    target: '≤ 1.15 × the limit',
    contenders: large(largeResult, { text: megabyte }),
  },
  {
    id: 'large-argument',
    title: `tools/call at ${stateless} over HTTP with an argument of 1 MB`,
    unit,
    target: '≤ 1.15 × the limit',
    contenders: large(largeArgument, {}),
  },
];
