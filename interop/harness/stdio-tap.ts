/** `node interop/harness/stdio-tap.ts LOG COMMAND…`: runs a command, and writes down every line on both its streams. */

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { onLine } from './lines.ts';

const [log = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pass(from: Readable, to: Writable, arrow: string): void {
  from.pipe(to);
  to.on('error', () => undefined);
  onLine(from, (line) => note(arrow, line));
}

function note(arrow: string, text: string): void {
  appendFileSync(log, `${JSON.stringify({ at: Date.now(), arrow, text: text.slice(0, 4000) })}\n`);
}

pass(process.stdin, child.stdin, '→');
pass(child.stdout, process.stdout, '←');
child.once('error', (error) => note('!', String(error)));
child.once('exit', (code, signal) => {
  note('!', `ended with ${signal ?? code}`);
  process.exitCode = code ?? 1;
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
