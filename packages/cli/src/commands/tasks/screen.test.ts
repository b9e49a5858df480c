import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { TerminalQuestions } from './task-questions.ts';
import { screenFor } from './screen.ts';

/** A terminal, and what was written to it. */
function terminal(): { readonly stderr: PassThrough; readonly shown: () => string } {
  let shown = '';
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 60 });
  stderr.on('data', (text) => (shown += String(text)));
  return { stderr, shown: () => shown };
}

test('a bar that was taken away for good stays away, whoever rests it', async () => {
  const { stderr, shown } = terminal();
  const screen = screenFor(
    { stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: {}, signal: new AbortController().signal },
    { tool: 't', json: false },
  );
  const resume = screen.rest();
  screen.end();
  const before = shown();
  resume();
  screen.tell('a line\n');
  await turn();
  assert.equal(shown().slice(before.length), 'a line\n');
  // Else its clock would hold up the end of this test.
  screen.end();
});

test('who wants to end while a question is open reads what follows on a line of its own', async () => {
  const { stderr, shown } = terminal();
  const stdin = new PassThrough();
  const wish = new AbortController();
  const questions = new TerminalQuestions({ stdin, stderr, signal: wish.signal }, () => () => undefined);
  const request = new AbortController();
  const asked = questions
    .ask({ mode: 'url', message: 'Go', url: 'https://example.com/x', elicitationId: 'e' }, request.signal)
    .catch(() => 'given up');
  await turn();
  assert.match(shown(), /\(y when you have opened it, n declines\) $/);
  wish.abort();
  await turn();
  assert.match(shown(), /n declines\) \n$/);
  request.abort();
  assert.equal(await asked, 'given up');
  assert.match(shown(), /n declines\) \n$/);
  questions.close();
});

test('who has no terminal reads each status once, as long as it lasts, and each step of the work', () => {
  const stderr = new PassThrough();
  const screen = screenFor(
    { stdin: new PassThrough(), stdout: new PassThrough(), stderr, env: {}, signal: new AbortController().signal },
    { tool: 't', json: false },
  );
  const times = { taskId: 'x', createdAt: '2026-11-23T00:00:00Z', lastUpdatedAt: '2026-11-23T00:00:00Z', ttlMs: null };
  screen.updated({ ...times, status: 'working' });
  screen.progressed({ progress: 1, total: 2 });
  screen.updated({ ...times, status: 'working' });
  screen.progressed({ progress: 2, total: 2 });
  screen.updated({ ...times, status: 'input_required' });
  screen.updated({ ...times, status: 'working' });
  assert.deepEqual(String(stderr.read()).trimEnd().split('\n'), [
    'task working',
    'progress 1/2',
    'progress 2/2',
    'task input_required',
    'task working',
  ]);
});
