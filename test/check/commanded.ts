/** The command `parley check`, run in this process: its code, what it prints, and what it tells beside that. */

import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { checkCommand } from '../../packages/cli/src/commands/check/check.ts';

/** What came of the command. */
export interface Commanded {
  readonly code: number;
  readonly out: string;
  readonly told: string;
}

/** Runs it without any input. */
export async function commanded(t: TestContext, argv: readonly string[]): Promise<Commanded> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const [out, told] = [textOf(stdout), textOf(stderr)];
  const code = await checkCommand(argv, { stdin, stdout, stderr, env: process.env, signal: t.signal });
  stdout.end();
  stderr.end();
  return { code, out: await out, told: await told };
}
