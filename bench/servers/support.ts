/** What the scripts of servers share: they say where they listen, and answer what they are asked meanwhile. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';

const nanosecondsPerMs = 1e6;
/** What watches the event loop measures from its second look on. */
const watchMs = 10;

/** The options that the run gave. */
export function optionsOf(): Readonly<Record<string, unknown>> {
  // The run writes an object.
  return JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, unknown>>;
}

/** What a script tells beside its address, and what it can be told to do. */
export interface Readiness {
  /** Makes the list of tools change, for whoever listens. */
  readonly change?: () => void;
}

/** Says that the server listens; answers questions after what it uses, always with a number. */
export function ready(url: string, { change }: Readiness = {}): void {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const answers = new Map<unknown, () => number | Promise<number>>([
    ['cpu', cpu],
    ['heap', heap],
    ['resources', () => process.getActiveResourcesInfo().length],
    ['change', () => (change?.(), 0)],
    ['watch', async () => (loop.enable(), await pause(watchMs), loop.reset(), 0)],
    ['stood', () => (loop.disable(), loop.max / nanosecondsPerMs)],
  ]);
  process.on('message', (question) => {
    void Promise.resolve(answers.get(question)?.()).then((number) => process.send?.(number ?? 0));
  });
  // Whoever started it is gone.
  process.on('disconnect', () => process.exit());
  process.send?.({ url });
}

/** Serves on a free port of loopback, and says so. */
export function serve(listener: RequestListener, readiness?: Readiness): void {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1', () => {
    // A server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo;
    ready(`http://127.0.0.1:${port}/mcp`, readiness);
  });
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** What only a second collection frees, since finalizers ran in between, does not count. */
async function heap(): Promise<number> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}
