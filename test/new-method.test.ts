/** A new method is a feature with its row, a line in the catalogue and a handler: everything else asks the row. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Seen } from './support/new-method-play.ts';
import { root } from './support/sources.ts';

const run = promisify(execFile);

describe('a method that is added by its row', () => {
  let playing: Promise<Seen> | undefined;
  const played = (): Promise<Seen> => (playing ??= play());

  it('is there in its revisions, each with the fields that it has', async () =>
    assert.deepEqual((await played()).direct, {
      '2024-11-05': 'methodNotFound',
      '2025-03-26': 'methodNotFound',
      '2025-06-18': { meaning: 'hop in none' },
      '2025-11-25': { meaning: 'hop in de' },
      '2026-07-28': { meaning: 'hop in de', ttlMs: 60_000, cacheScope: 'private', resultType: 'complete' },
    }));

  it('goes through a bridge, in the words of each side', async () =>
    assert.deepEqual((await played()).bridged, {
      meaning: 'hop in none',
      ttlMs: 0,
      cacheScope: 'private',
      resultType: 'complete',
    }));

  it('goes through a bridge that makes one of several servers, to who has it', async () =>
    assert.equal(Object((await played()).merged).meaning, 'hop in none'));

  it('is kept as long as its result says', async () => assert.equal((await played()).asked, 1));

  it('has a line in the table of what bridges carry', async () =>
    assert.equal((await played()).line, 'Explaining words'));
});

async function play(): Promise<Seen> {
  const hook = pathToFileURL(join(root, 'test/support/new-method.ts')).href;
  const args = ['--import', hook, 'test/support/new-method-play.ts'];
  const { stdout } = await run(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as Seen;
}
