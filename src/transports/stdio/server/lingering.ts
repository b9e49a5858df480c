import { after } from '../../../jsonrpc/timeout.ts';

/** Age of the end of input at which a process that still runs is told of, in milliseconds. */
const noticeMs = 10_000;

/**
 * Says on standard error that a process outlives its client, and how it is ended. Most hosts start a server and forget it, so that
 * one with an open timer or pool would run for ever. This keeps no process alive.
 */
export function noticeLingering(): void {
  after(noticeMs, () =>
    process.stderr.write(
      'parley: standard input ended 10 s ago, and something keeps this process alive: close its timers, pools and servers after serveStdio(…).closed, or let serveStdio(server, { exit: true }) end the process\n',
    ),
  );
}
