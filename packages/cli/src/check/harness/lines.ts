import { spawn, type ChildProcess } from 'node:child_process';
import { after, monotonicNow, settledWithin } from '../../../../parley/src/jsonrpc/timeout.ts';
import { resolveCommand } from '../../../../parley/src/transports/stdio/client/command.ts';
import { childEnvironment, type Environment } from '../../../../parley/src/transports/stdio/client/environment.ts';
import { endWithProcess, forget, signalTree } from '../../../../parley/src/transports/stdio/client/process-tree.ts';
import { crashLine } from './crash.ts';
import { unpassedWords } from '../../../../parley/src/transports/stdio/client/unpassed.ts';
import { ConcurrencyLimit } from './limits.ts';
import { ReplyCollector, toldText, mostBytes, Unasked, type RawExchange, type ExchangeLimits } from './exchange.ts';

/** Command that starts a server. */
export interface StartedBy {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** Folder in which it runs; that of this process by default. */
  readonly cwd?: string;
}

/** A process that speaks lines. */
export interface RawLines {
  /** Lines that the server said before anything was asked. */
  readonly unasked: readonly string[];
  /** Code or signal by which it ended; `undefined` while it lives. */
  readonly ended: string | undefined;
  /** Writes a line, and gathers what comes until the patience ends. It does not reject. */
  send(text: string | Uint8Array, patience: ExchangeLimits): Promise<RawExchange>;
  /** Writes a line, and leaves what comes of it to who hears already. */
  write(text: string): void;
  /** Ends the input of the process, and leaves it to it what it does then. */
  endInput(): void;
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>;
  close(): Promise<void>;
}

/** Lines of a process that was started here. */
export interface ProcessLines extends RawLines {
  /**
   * Tells how it ended, with what it wrote to standard error, and the variables that it mentions and did not get; `undefined` while it lives.
   *
   * @param when Words for the time of its end.
   */
  whyEnded(when?: string): Promise<string | undefined>;
}

/** A mark that some programs write before all text, and that no reader of JSON has to pass over. (RFC 8259, section 8.1.) */
const byteOrderMark = '\ufeff';

/** Characters of standard error that are kept, and that are shown of its beginning and its end. */
const [maxStderr, halfShown] = [4_096, 300];

/** Time that each step of ending a process may take, in milliseconds. */
const endMs = 2_000;

/** Starts a process to speak lines with; one that cannot be started has `ended`. */
export async function rawLines({ command, args, env, cwd }: StartedBy): Promise<ProcessLines> {
  const given = childEnvironment(env);
  const { file, args: words, verbatim } = resolveCommand(command, args, given);
  const child = spawn(file, words, {
    env: given,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
    shell: false,
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
  const lines = new Lines(child, env);
  await new Promise<void>((resolve) => {
    child.once('spawn', resolve);
    child.once('error', () => resolve());
  });
  return lines;
}

class Lines implements ProcessLines {
  readonly #unasked = new Unasked();
  ended: string | undefined;
  readonly #child: ChildProcess;
  readonly #env: Environment;
  #stderr = '';
  readonly #stderrEnded: Promise<void>;
  readonly exited: Promise<void>;
  readonly #drained: Promise<void>;
  #rest = '';
  /** True while an oversized line arrives, which is skipped to its end. */
  #isLong = false;
  #tooLong: (() => void) | undefined;
  #hears: ((line: string) => void) | undefined;
  #gone: (() => void) | undefined;
  #coming: ReplyCollector | undefined;
  readonly #turn = new ConcurrencyLimit(1);

  constructor(child: ChildProcess, env: Environment) {
    this.#child = child;
    this.#env = env;
    endWithProcess(child);
    this.exited = new Promise((resolve) => {
      const over = (how: string): void => {
        this.ended ??= how;
        this.#gone?.();
        resolve();
      };
      child.once('exit', (code, signal) => over(signal ?? `code ${code}`));
      child.once('error', (error) => over(error.message));
    });
    this.#drained = new Promise((resolve) => void child.stdout?.once('end', resolve));
    this.#stderrEnded = new Promise((resolve) => void child.stderr?.once('close', resolve));
    child.stderr?.on('error', () => undefined).setEncoding('utf8');
    child.stderr?.on('data', (text: string) => (this.#stderr = (this.#stderr + text).slice(-maxStderr)));
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('error', () => undefined);
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let isFirst = true;
    child.stdout?.on('data', (bytes: Uint8Array) => {
      this.#coming?.bytes(bytes);
      const text = decoder.decode(bytes, { stream: true });
      // A byte order mark does not belong to a message. The rest is checked without it.
      const hasMark = isFirst && text.startsWith(byteOrderMark);
      if (hasMark) this.#unasked.add('a byte order mark (EF BB BF)');
      isFirst &&= text === '';
      this.#came(hasMark ? text.slice(1) : text);
    });
  }

  get unasked(): readonly string[] {
    return this.#unasked.pieces;
  }

  async send(text: string | Uint8Array, limits: ExchangeLimits): Promise<RawExchange> {
    // Messages belong to the last request: two concurrent ones could not be separated.
    return await this.#turn.take(() => this.#exchanged(text, limits));
  }

  async #exchanged(text: string | Uint8Array, { waitTimeoutMs, until }: ExchangeLimits): Promise<RawExchange> {
    const coming = (this.#coming = new ReplyCollector());
    const sent = toldText(text);
    const began = monotonicNow();
    const end = await new Promise<RawExchange['end']>((resolve) => {
      if (this.ended !== undefined) return resolve('gone');
      const over = (how: RawExchange['end']): void => {
        cancel();
        this.#hears = this.#gone = this.#tooLong = undefined;
        resolve(how);
      };
      const cancel = after(waitTimeoutMs, () => over('silent'), true);
      this.#gone = () => over('gone');
      this.#tooLong = () => over('limit');
      this.#hears = (line) => {
        coming.piece(line);
        if (!coming.keep(`${line}\n`)) over('limit');
        else if (until?.(coming.messages) === true) over('heard');
      };
      this.#child.stdin?.write(typeof text === 'string' ? `${text}\n` : Buffer.concat([text, Buffer.from('\n')]));
    });
    const tookMs = monotonicNow() - began;
    this.#coming = undefined;
    const { messages, malformed } = coming;
    const odd = coming.isUtf8 ? {} : { isUtf8: false as const };
    const why = await this.whyEnded();
    const reason = why === undefined ? {} : { reason: why };
    return {
      sent,
      status: undefined,
      headers: {},
      text: coming.text,
      messages,
      malformed,
      ...odd,
      end,
      ...reason,
      tookMs,
    };
  }

  async whyEnded(when: string = ''): Promise<string | undefined> {
    if (this.ended === undefined) return undefined;
    // What it wrote last may come after its end.
    await settledWithin(endMs / 10, this.#stderrEnded);
    const said = this.#stderr.trim().replaceAll(/\s+/g, ' ');
    const unpassed = unpassedWords(said, this.#env);
    const lacks = unpassed === '' ? '' : `; ${unpassed}`;
    const crash = crashLine(this.#stderr);
    if (crash !== undefined) return `the process ended with ${this.ended}${when}: ${crash}${lacks}`;
    const shown = said.length <= 2 * halfShown ? said : `${said.slice(0, halfShown)} … ${said.slice(-halfShown)}`;
    return `the process ended with ${this.ended}${when}${said === '' ? '' : `: ${shown}`}${lacks}`;
  }

  write(text: string): void {
    this.#child.stdin?.write(`${text}\n`);
  }

  endInput(): void {
    this.#child.stdin?.end();
  }

  async close(): Promise<void> {
    this.endInput();
    if (!(await settledWithin(endMs, this.exited))) signalTree(this.#child, 'SIGTERM');
    if (!(await settledWithin(endMs, this.exited))) signalTree(this.#child, 'SIGKILL');
    await settledWithin(endMs, this.exited);
    // What it wrote at its end may still be on its way.
    await settledWithin(endMs / 10, this.#drained);
    signalTree(this.#child, 'SIGKILL');
    forget(this.#child);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  #came(text: string): void {
    const lines = (this.#rest + text).split('\n');
    const rest = lines.pop() ?? '';
    if (this.#isLong && lines.length > 0) {
      lines.shift();
      this.#isLong = false;
    }
    for (const line of lines) this.#line(line.replace(/\r$/, ''));
    const isLong = this.#isLong || rest.length > mostBytes;
    this.#rest = isLong ? '' : rest;
    if (isLong && !this.#isLong) this.#tooLong?.();
    this.#isLong = isLong;
  }

  #line(line: string): void {
    if (this.#hears !== undefined) this.#hears(line);
    else if (line !== '') this.#unasked.add(line);
  }
}
