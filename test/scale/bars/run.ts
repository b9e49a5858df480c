/** Bars of a service of three real processes: `npm run lab -- scale:bars [name] [share of the whole number]`. */

import { missing } from '../../support/engines.ts';

const bars: Readonly<Record<string, () => Promise<(scale: number) => Promise<readonly string[]>>>> = {
  races: async () => (await import('./races.ts')).races,
  limits: async () => (await import('./limits.ts')).limits,
  streams: async () => (await import('./many-streams.ts')).manyStreams,
  questions: async () => (await import('./questions.ts')).questions,
  engine: async () => (await import('./engine.ts')).engine,
  sessions: async () => (await import('./sessions.ts')).sessions,
  restarts: async () => (await import('./restarts.ts')).restarts,
  kills: async () => (await import('./kills.ts')).kills,
  stalled: async () => (await import('./stalled.ts')).stalled,
};

const [only = '', share = '1'] = process.argv.slice(2);
const reason = missing('redis-server');
if (reason !== false) throw new Error(reason);
// The longest of them takes half an hour.
process.env['ENGINE_SECONDS'] = '3600';
for (const [name, load] of Object.entries(bars)) {
  if (!name.startsWith(only)) continue;
  const began = performance.now();
  const wrong = await (await load())(Number(share));
  console.log(`${name}: ${wrong.length} wrong, ${Math.round((performance.now() - began) / 1000)} s`);
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`);
  if (wrong.length > 0) process.exitCode = 1;
}
