/** A real conversation for every cell of the fidelity table. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { adaptedElsewhere } from '../packages/cli/src/compatibility/adaptations.ts';
import { elsewhere, fieldFacts, toldElsewhere } from '../packages/cli/src/compatibility/fields.ts';
import { features } from '../packages/cli/src/compatibility/fidelity.ts';
import { everyAdaptation } from '../packages/cli/src/compatibility/adaptation-lines.ts';
import { Hops } from '../packages/cli/src/inspect/trial/hops.ts';
import { revisions } from '../packages/parley/src/protocol/revision.ts';
import { askingWalks } from './fidelity/asking.ts';
import { callWalks } from './fidelity/calls.ts';
import { errorWalks } from './fidelity/errors.ts';
import { tableWalks } from './fidelity/fields.ts';
import { HeldLens } from './fidelity/lens-held.ts';
import { openingWalks } from './fidelity/opening.ts';
import { requestWalks } from './fidelity/requests.ts';
import { taskWalks } from './fidelity/tasks.ts';
import { expected, type Walks } from './fidelity/walk.ts';

const walks: Walks = {
  ...openingWalks,
  ...requestWalks,
  ...tableWalks,
  ...callWalks,
  ...askingWalks,
  ...errorWalks,
  ...taskWalks,
};

test('every line of the table has a walk, and every walk a line', () => {
  assert.deepEqual(Object.keys(walks).toSorted(), features.map(({ id }) => id).toSorted());
});

test('what another line tells of is told there', () => {
  const ids = new Set(features.map(({ id }) => id));
  const told = [...fieldFacts.values()].flatMap((fact) => elsewhere(fact) ?? []);
  assert.deepEqual(
    [...told, ...adaptedElsewhere.values()].filter((id) => !ids.has(id)),
    [],
  );
  const known = new Set([...fieldFacts].flatMap(([name, { field }]) => [name, `*.${field}`]));
  assert.deepEqual(
    [...toldElsewhere.keys()].filter((name) => !known.has(name)),
    [],
  );
});

test('every adaptation has a line', () => {
  const ids = new Set(features.map(({ id }) => id));
  const names = everyAdaptation.map(({ adaptation }) => adaptation.name);
  assert.deepEqual(
    names.filter((name) => !ids.has(name) && !adaptedElsewhere.has(name)),
    [],
  );
  assert.equal(new Set(names).size, names.length);
});

const lens = new HeldLens();

/** The features whose conversations were held. */
let walked = 0;

for (const { id, title, between } of features) {
  const walk = walks[id];
  if (walk === undefined) continue;
  test(`${id}: ${title}`, async (t) => {
    walked += 1;
    const differences: string[] = [];
    for (const client of revisions) {
      for (const server of revisions) {
        const cell = between(client, server);
        const hops = new Hops();
        const seen = await walk({ t, client, server, hops }).catch((error: unknown) => error);
        const difference = seen instanceof Error ? seen.message : differ(seen, expected(cell));
        const all = [...(difference === undefined ? [] : [difference]), ...lens.take(hops, { id, client, server })];
        differences.push(...all.map((words) => `client ${client.date}, server ${server.date}: ${words}`));
      }
    }
    assert.deepEqual(differences, []);
  });
}

function differ(seen: unknown, wanted: unknown): string | undefined {
  const [saw, says] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return saw === says ? undefined : `saw ${saw}, the table says ${says}`;
}

/** What the lens found in all conversations, in whatever order they were held. */
after(() => {
  if (walked < features.filter(({ id }) => id in walks).length) return;
  assert.ok(lens.asPredicted > 8_500, `${lens.asPredicted} messages`);
  assert.deepEqual([...lens.byBridge].toSorted(), [
    'notifications/subscriptions/acknowledged',
    'result of tasks/cancel',
    'result of tasks/get',
    'result of tools/call',
    'subscriptions/listen',
    'tasks/cancel',
    'tasks/get',
  ]);
  assert.deepEqual([...lens.places].toSorted(), [
    'result of initialize .result.capabilities.completions',
    'result of initialize .result.capabilities.extensions',
    'result of initialize .result.capabilities.tasks',
    'result of server/discover .result.capabilities.completions',
    'result of server/discover .result.capabilities.extensions',
    'tools/call .params.task',
  ]);
  // The bridge answers these itself for some clients: there is nothing to hold it against.
  assert.deepEqual([...lens.refused].toSorted(), ['batches', 'ping', 'tasks-list', 'tasks-methods']);
});
