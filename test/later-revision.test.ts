/** A revision that keeps statelessness and changes one thing is a row of facts, and nothing else. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Revision } from '../packages/parley/src/protocol/revision.ts';
import { changesName, laterDate } from './support/later-revision.ts';
import type { Seen } from './support/later-revision-play.ts';
import { root } from './support/sources.ts';

const run = promisify(execFile);

/** What a client and a server of ours say to each other in a revision that changes these facts of the newest. */
async function played(changes: Partial<Revision>): Promise<Seen> {
  const hook = pathToFileURL(join(root, 'test/support/later-revision.ts')).href;
  const { stdout } = await run(process.execPath, ['--import', hook, 'test/support/later-revision-play.ts'], {
    cwd: root,
    env: { ...process.env, [changesName]: JSON.stringify(changes) },
  });
  return JSON.parse(stdout) as Seen;
}

const asToday: Seen = {
  revision: laterDate,
  mirrored: ['mcp-method', 'mcp-name'],
  versionHeader: laterDate,
  text: 'hello',
  meta: ['io.modelcontextprotocol/serverInfo'],
  asking: 'input_required',
  code: -32603,
  listens: true,
};

describe('a later stateless revision', () => {
  it('is spoken by both ends once it has a row', async () => assert.deepEqual(await played({}), asToday));

  it('may have no headers that mirror the body', async () =>
    assert.deepEqual(await played({ mirroredHeaders: false }), { ...asToday, mirrored: [] }));

  it('may leave the name of the server out of results', async () =>
    assert.deepEqual(await played({ serverNamed: 'once' }), { ...asToday, meta: [] }));

  it('may have results that ask for nothing', async () =>
    assert.deepEqual(await played({ resultsAsk: false }), { ...asToday, asking: 'complete' }));

  it('may leave all codes of errors to applications', async () =>
    assert.deepEqual(await played({ reservedErrorCodes: false }), { ...asToday, code: -32050 }));

  it('may tell of changes without being listened to', async () =>
    assert.deepEqual(await played({ subscribing: 'session' }), { ...asToday, listens: false }));
});
