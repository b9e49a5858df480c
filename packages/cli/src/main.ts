#!/usr/bin/env node
import module from 'node:module';
import { after } from '../../parley/src/jsonrpc/timeout.ts';
import { reasonOf } from './commands/shown.ts';

// Modules loaded from here on are compiled once per machine, if Node supports that (22.8 and later).
module.enableCompileCache?.();

const controller = new AbortController();
let insisted: (() => void) | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!controller.signal.aborted) return controller.abort(new Error(`ended by ${signal}`));
    const hear = insisted;
    insisted = undefined;
    // A second signal means that the user does not want to wait for a clean end.
    if (hear === undefined) process.exit(1);
    hear();
  });
}
// A reader that has seen enough, such as head, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.stderr.on('error', () => {});
const fail = (error: unknown): void => {
  process.stderr.write(`parley: ${reasonOf(error)}\n`);
  process.exit(1);
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

// The process lives exactly as long as the command: a wait that holds nothing open would end it early.
const letGo = after(2 ** 31 - 1, () => {}, true);
const { stdin, stdout, stderr, env } = process;
const { run } = await import('./commands/run.ts');
const { signal } = controller;
const onInsist = (hear: () => void): void => void (insisted = hear);
process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, env, signal, onInsist });
letGo();
// Nothing that a command opened is left; what lingers (an idle socket, an input that is open) is not waited for.
stdout.write('', () => process.exit());
