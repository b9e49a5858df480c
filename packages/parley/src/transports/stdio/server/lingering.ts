import { after } from '../../../jsonrpc/timeout.ts';

/** Time after the end of input at which a process that still runs is reported, in milliseconds. */
const noticeMs = 10_000;

/**
 * Reports on standard error that a process outlives its client, and how to end it. Most hosts start a server and forget
 * it, so a process with an open timer or pool would run forever. The timer itself keeps no process alive.
 */
export function noticeLingering(): void {
  after(noticeMs, () =>
    process.stderr.write(
      'parley: standard input ended 10 s ago, and something keeps this process alive: close its timers, pools and servers after serveStdio(…).closed, or let serveStdio(server, { exit: true }) end the process\n',
    ),
  );
}
