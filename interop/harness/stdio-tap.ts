/** `node interop/harness/stdio-tap.ts LOG COMMAND…`: runs a command, and writes down every line on both its streams. */

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

const [log = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pass(from: Readable, to: Writable, arrow: string): void {
  let begun = '';
  from.on('data', (bytes: Buffer) => {
    to.write(bytes);
    const lines = (begun + bytes.toString('latin1')).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) note(arrow, line);
  });
  from.on('end', () => to.end());
  to.on('error', () => undefined);
}

function note(arrow: string, line: string): void {
  const text = Buffer.from(line.slice(0, 4000), 'latin1').toString('utf8');
  appendFileSync(log, `${JSON.stringify({ at: Date.now(), arrow, text })}\n`);
}

pass(process.stdin, child.stdin, '→');
pass(child.stdout, process.stdout, '←');
child.once('error', (error) => note('!', String(error)));
child.once('exit', (code, signal) => {
  note('!', `ended with ${signal ?? code}`);
  process.exitCode = code ?? 1;
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
