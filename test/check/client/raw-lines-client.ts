/** A small client of the newest revision that starts its server, and makes one mistake, or none, with the process of that. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Mistakes that it can make. */
export type LinesMistake = 'starts-no-other' | 'never-listens-again' | 'ends-by-signal' | 'kills';

type Json = Readonly<Record<string, unknown>>;

/** A server that runs. */
export class RawLines {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<unknown, (message: Json) => void>();
  readonly ended: Promise<number | null>;
  #id = 0;

  constructor([file = '', ...args]: readonly string[]) {
    this.#child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.ended = new Promise((resolve) => this.#child.once('exit', (code) => resolve(code)));
    this.#child.stdin?.on('error', () => undefined);
    if (this.#child.stdout === null) throw new Error('it has no output');
    createInterface(this.#child.stdout).on('line', (line) => {
      const message = JSON.parse(line) as Json;
      this.#waiting.get(message['id'])?.(message);
    });
  }

  /** Asks. @returns The answer, or nothing where the process ends before. */
  async ask(method: string, params: Json = {}): Promise<Json | undefined> {
    const id = ++this.#id;
    const answered = new Promise<Json>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });
    return await Promise.race([answered, this.ended.then(() => undefined)]);
  }

  /** Listens for changes of the tools, and waits for nothing. @returns The id of the request. */
  listens(): number {
    void this.ask('subscriptions/listen', { notifications: { toolsListChanged: true } });
    return this.#id;
  }

  cancel(requestId: number): void {
    this.#send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  call(name: string, given: Json = {}): Promise<Json | undefined> {
    return this.ask('tools/call', { name, arguments: given });
  }

  /** Ends it as it should be ended. @returns Its exit code. */
  async close(): Promise<number | null> {
    this.#child.stdin?.end();
    return await this.ended;
  }

  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#child.kill(name);
    await this.ended;
  }

  #send(message: Json): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
};

/** Time for which it goes on, in milliseconds: after what is to be found, and after it has ended what it started. */
const times = { goesOn: 5_300, after: 2_300 } as const;

/** Does what is asked with a server that dies. @param command Words that start it. */
export async function runRawLines(command: readonly string[], mistake?: LinesMistake): Promise<void> {
  const first = new RawLines(command);
  await first.ask('tools/list');
  await first.call('echo', { text: 'hello' });
  first.listens();
  await first.call('dies');
  if (mistake === 'starts-no-other') return await wait(times.goesOn);
  const next = new RawLines(command);
  if (mistake !== 'never-listens-again') next.listens();
  await next.call('echo', { text: 'again' });
  if (mistake === 'never-listens-again') await wait(times.goesOn);
  if (mistake === 'ends-by-signal') await next.signal('SIGTERM');
  else if (mistake === 'kills') await next.signal('SIGKILL');
  else await next.close();
  if (mistake === 'kills') await wait(times.after);
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

if (import.meta.main) {
  const [mistake = '', ...words] = process.argv.slice(2);
  await runRawLines(words, mistake === 'none' ? undefined : (mistake as LinesMistake));
}
