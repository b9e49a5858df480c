import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import type { Revision } from '../packages/parley/src/protocol/revision.ts';
import { parseTranscripts, type Transcript } from '../packages/parley/src/testing/transcript.ts';
import { createFixture } from './fixture-server.ts';
import { play } from './support/play.ts';
import { root } from './support/sources.ts';
import { httpWire, stdioWire, type Deliver, type Wire } from './support/wires.ts';

for (const path of globSync('test/transcripts/*.txt', { cwd: root }).toSorted()) {
  describe(basename(path, '.txt'), () => {
    for (const transcript of parseTranscripts(readFileSync(join(root, path), 'utf8'))) {
      for (const over of (transcript.settings.get('over') ?? 'stdio, http').split(',')) {
        for (const revision of transcript.revisions) playAt(transcript, over.trim(), revision);
      }
    }
  });
}

function playAt(transcript: Transcript, over: string, revision: Revision): void {
  test(`${transcript.title} (${revision.date}, ${over})`, async () => {
    const server = createFixture();
    const connect = (deliver: Deliver): Wire | Promise<Wire> =>
      over === 'http' ? httpWire(server, revision, deliver) : stdioWire(server, deliver);
    await play(transcript, revision, connect);
    await server.close();
  });
}
