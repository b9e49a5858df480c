/** 12.9: a rate holds over three processes, and over each by itself while the engine is away. */

import { startBars, type BarService } from './service.ts';

const perSecond = 300;
const burst = 300;

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
const headers = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/list',
};

/** Asks all processes as quickly as they answer; gives how many passed and were refused, and the seconds. */
async function asked(
  service: BarService,
  ms: number,
): Promise<Readonly<Record<'passed' | 'refused' | 'other', number>> & { readonly seconds: number }> {
  const began = performance.now();
  const found = { passed: 0, refused: 0, other: 0 };
  let last = began;
  const ask = async (at: number): Promise<void> => {
    while (performance.now() - began < ms) {
      const { status } = await fetch(service.nodes[at % 3]?.url ?? '', { method: 'POST', headers, body }).then(
        async (response) => {
          await response.arrayBuffer();
          return response;
        },
      );
      last = performance.now();
      if (status === 200) found.passed++;
      else if (status === 429) found.refused++;
      else found.other++;
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, at) => ask(at)));
  return { ...found, seconds: (last - began) / 1000 };
}

export async function limits(scale: number): Promise<readonly string[]> {
  const service = await startBars({ env: { RATE: JSON.stringify({ perSecond, burst }) } });
  const wrong: string[] = [];
  try {
    const ms = 20_000 * scale;
    for (const [what, most] of [
      ['shared', 1],
      ['the engine away', 3],
    ] as const) {
      if (most === 3) await service.redis?.kill();
      const { passed, refused, other, seconds } = await asked(service, ms);
      const granted = perSecond * seconds + burst;
      const share = passed / granted;
      console.log(
        `12.9 ${what}: ${passed} passed and ${refused} refused in ${seconds.toFixed(1)} s, ${(share * 100).toFixed(2)} % of ${Math.round(granted)} (${other} answered otherwise)`,
      );
      if (other > 0) wrong.push(`${other} were answered neither 200 nor 429`);
      // Where this machine asks too seldom less passes, which says nothing of the rate.
      if (share > most * 1.01) wrong.push(`${what}: ${share} of what is granted`);
    }
  } finally {
    await service.stop();
  }
  return wrong;
}
