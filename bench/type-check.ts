/** Prints how long the type checker takes for a server with a hundred tools. Run: node bench/type-check.ts */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside the project, so that the libraries are found; in a folder that no tool looks into.
const folder = join(root, 'node_modules', '.cache', 'parley-type-check');
const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
};

/** A program that defines so many tools, half of them with zod and half with plain JSON Schema. */
function program(tools: number): string {
  const lines = [
    `import type { Definitions } from ${JSON.stringify(join(root, 'packages/parley/src/server/definition/definition.ts'))};`,
    `import * as z from 'zod';`,
    `declare const server: Definitions;`,
  ];
  for (let index = 0; index < tools; index++) lines.push(index % 2 === 0 ? zodTool(index) : plainTool(index));
  return lines.join('\n');
}

function zodTool(index: number): string {
  return `server.tool('zod${index}', {
  description: 'Tool ${index}',
  input: z.object({ city: z.string(), days: z.number().int().min(1).default(${index + 1}), unit: z.enum(['C', 'F']).optional(),
    place: z.object({ lat: z.number(), lon: z.number() }).optional(), tags: z.array(z.string()) }),
  output: z.object({ temperature: z.number(), text: z.string(), days: z.array(z.object({ day: z.string(), high: z.number() })) }),
  annotations: { readOnlyHint: true },
}, async ({ city, days, tags }, ctx) => {
  ctx.progress(1, days);
  return { temperature: days, text: city + tags.join(), days: [{ day: city, high: ${index} }] };
});`;
}

function plainTool(index: number): string {
  return `server.tool('plain${index}', {
  input: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['C', 'F'] },
    place: { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } }, required: ['lat', 'lon'] },
    tags: { type: 'array', items: { type: 'string' } } }, required: ['city', 'tags'] },
}, ({ city, tags, place }) => [{ type: 'text', text: city + tags.join() + (place?.lat ?? ${index}) }]);`;
}

/** The seconds that a check of a project takes, the best of three. */
function measure(tools: number): number {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'server.ts'), program(tools));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['server.ts'] }));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const seconds = [1, 2, 3].map(() => {
    const start = performance.now();
    execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' });
    return (performance.now() - start) / 1000;
  });
  return Math.min(...seconds);
}

try {
  const [none, hundred] = [measure(0), measure(100)];
  console.log(
    `0 tools: ${none.toFixed(2)} s; 100 tools: ${hundred.toFixed(2)} s; each tool: ${((hundred - none) * 10).toFixed(1)} ms`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
