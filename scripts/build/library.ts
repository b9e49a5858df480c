/** The JavaScript of the library: one file for each entry point, and chunks for what several of them share. A program loads a dozen files, not a hundred. */

import { join, relative } from 'node:path';
import { mayLoad } from '../products.ts';
import { entryPoints, librarySource } from './entry-points.ts';
import { startChunks } from './start-chunks.ts';
import { writeBundle } from './write-bundle.ts';

/** The entry points that programs start with, and whose start must be quick. */
const starts = ['server', 'client', 'stdio', 'node', 'http', 'protocol', 'oauth', 'protect', 'account'];

/** Further entry points. What they load lies apart from what only the starts load. */
const others = ['bridge'];

/** Entry points with little code of their own: to open one shared file is quicker than to open one for each of them. */
const lean = ['stdio', 'protocol'];

/** Entry points, and other modules, that share a little with a start, of which they must not load the rest. */
const apart = {
  testing: ['stdio'],
  bridge: ['oauth', 'account'],
  index: ['oauth', 'account'],
  // A server with sessions, or one that refuses a request, needs these without a client and without the flow of OAuth.
  'connection/hash': ['client'],
  'auth/common/secrets': ['oauth', 'account'],
};

/**
 * Modules that the first question of a server needs, and those that its first resource or prompt needs. Those of
 * `question` and `steps` are in rooms that every product may load.
 */
const together = {
  question: ['connection/digest', 'connection/required-capabilities', 'connection/sampling-rules'],
  steps: ['connection/memoized-steps', 'connection/read-answer', 'json/held'],
  asking: ['live-requester', 'question'].map((name) => `server/runtime/input/${name}`),
  rounds: ['refused-state', 'request-state', 'single-use', 'state-store'].map((name) => `server/runtime/input/${name}`),
  offered: ['features/needed-scopes', 'features/prompting', 'features/reading', 'uri-template/traversal'].map(
    (name) => `server/${name}`,
  ),
};

/** Builds `packages/parley/dist`, without declarations. */
export async function buildLibrary(): Promise<void> {
  const { plugin, group } = startChunks({
    starts: Object.fromEntries(starts.map((name) => [name, sourceOf(name)])),
    others: Object.fromEntries(others.map((name) => [name, sourceOf(name)])),
    apart: Object.fromEntries(Object.entries(apart).map(([name, start]) => [sourceOf(name), start])),
    lean,
    together: Object.fromEntries(Object.entries(together).map(([name, ids]) => [name, ids.map(sourceOf)])),
    mayLoad: (entry, id) => mayLoad(entry, relative(librarySource, id).replaceAll('\\', '/')),
  });
  await writeBundle({
    folder: join(librarySource, '../dist'),
    input: Object.fromEntries(entryPoints().map((name) => [name, sourceOf(name)])),
    plugin,
    group,
  });
}

function sourceOf(name: string): string {
  return join(librarySource, `${name}.ts`);
}
