import { spawn as spawnProcess, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Message } from '../../../jsonrpc/message.ts';
import { after, settledWithin } from '../../../jsonrpc/timeout.ts';
import { ConnectionError, failedLoads, type Channel, type Receiver } from '../../../jsonrpc/transport.ts';
import { harmless } from '../../../options/harmless.ts';
import type { SpawnOptions } from './transport.ts';
import { resolveCommand } from './command.ts';
import { describeCommand } from './describe-command.ts';
import { childEnvironment } from './environment.ts';
import { readInTurns } from '../flood.ts';
import { lineWriter, sendLine, type LineWriter } from '../line-writer.ts';
import { messageReader } from '../message-reader.ts';
import { isLoadFailure } from './load-failure.ts';
import { HttpProgram } from './serves-http.ts';
import { endWithProcess, forget, hasGroup, signalTree, whenSignalled } from './process-tree.ts';

/** Options of a process, and its description for error messages. */
interface DescribedOptions extends SpawnOptions {
  readonly description: string;
}

/** Command that is started, and listeners to it. */
export interface ChildStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: DescribedOptions;
  readonly receiver: Receiver;
}

/**
 * Starts a child process that speaks over its standard input and output.
 *
 * @throws ConnectionError when it cannot be started.
 */
export async function openChild({ command, args, options, receiver }: ChildStart): Promise<Channel> {
  const child = start(command, args, options);
  await started(child, command, options);
  return new ChildChannel(child, receiver, options);
}

function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const env = childEnvironment(options.env);
  const stderr = options.stderr ?? (options.onStderr === undefined ? 'inherit' : 'pipe');
  try {
    const resolved = resolveCommand(command, args, env);
    return spawnProcess(resolved.file, resolved.args, {
      env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      stdio: ['pipe', 'pipe', stderr],
      shell: false,
      // A group of its own, so that all it starts can be ended with it.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: resolved.verbatim,
    });
  } catch (cause) {
    throw notStarted(command, cause, options);
  }
}

function started(child: ChildProcess, command: string, options: SpawnOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(notStarted(command, cause, options)));
  });
}

/** Error of a command that the system did not start. */
export function notStarted(command: string, cause: unknown, options: SpawnOptions): ConnectionError {
  const { calledAs, cwd, env } = options;
  const said = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // The system also reports EACCES if it may not read one of the folders of PATH.
  const code = said === 'EACCES' && !isThere(command, env?.['PATH'] ?? process.env['PATH'] ?? '') ? 'ENOENT' : said;
  const [program = '', ...held] = command.trim().split(/\s+/);
  const isUrl = /^https?:\/\//.test(command);
  // If the command holds its arguments, one of them may be a secret.
  const told = held.length === 0 && !isUrl ? command : describeCommand(program, held);
  const called = calledAs ?? `${JSON.stringify(told)}${cwd === undefined ? '' : ` in ${cwd}`}`;
  const missing =
    options.cwd === undefined ? 'the command was not found' : 'the command or the working directory was not found';
  const why =
    code === 'ENOENT'
      ? `${missing}${isUrl ? '; it is a URL, which is connected to rather than started' : held.length > 0 ? apart(program, calledAs) : ''}`
      : code === 'EACCES'
        ? 'it may not be executed'
        : cause instanceof Error
          ? withoutWords(cause, calledAs)
          : String(cause);
  return new ConnectionError('refused', `cannot start ${called}: ${why}`, { cause });
}

/** True if there is such a file: by its path, or in a folder of PATH. */
function isThere(command: string, path: string): boolean {
  return /[/\\]/.test(command) || path.split(delimiter).some((folder) => existsSync(join(folder, command)));
}

/** Advice for a command that contains its arguments. No shell separates them. */
function apart(program: string, calledAs: string | undefined): string {
  const name = calledAs === undefined ? `the command ${JSON.stringify(program)}` : 'the command';
  return `; if it holds its arguments, give them apart: ${name}, then each argument separately`;
}

/** The system's message may contain the command. */
function withoutWords(cause: Error, calledAs: string | undefined): string {
  if (calledAs === undefined) return cause.message;
  return 'code' in cause ? String(cause.code) : cause.name;
}

/** Length of the stderr that is stored for the error message of a dead child. */
const keptStderr = 2_048;

/** Time for a child and its descendants for each step of the shutdown. */
const defaultKillAfterMs = 2_000;

/** Time after its exit for which descendants may hold the child's pipes open. */
const lingerMs = 500;

/** Time limit of each step once this process got a signal to end: most hosts send SIGKILL 2 s after SIGTERM. */
const signalledMs = 750;

/** Tells whether a child exits in time. A signal to this process shortens the time. */
function exitsWithin(ms: number, exited: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
    const limits = [after(ms, () => end(false), true)];
    const shorten = (): void => void limits.push(after(signalledMs, () => end(false), true));
    const forgetSignal = whenSignalled(shorten);
    const end = (isOver: boolean): void => {
      forgetSignal();
      for (const cancel of limits) cancel();
      resolve(isOver);
    };
    void exited.then(() => end(true));
  });
}

class ChildChannel implements Channel {
  readonly #child: ChildProcess;
  readonly #receiver: Receiver;
  readonly #options: DescribedOptions;
  readonly #hear: SpawnOptions['onStderr'];
  readonly #writer: LineWriter;
  readonly #stdin: Writable;
  readonly #exited: Promise<void>;
  readonly #emptied: Promise<void>;
  #stderr = '';
  #ended: ConnectionError | undefined;
  #forced = false;
  #closing: Promise<void> | undefined;
  readonly #served: HttpProgram;

  constructor(child: ChildProcess, receiver: Receiver, options: DescribedOptions) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null) throw new TypeError('a child without pipes');
    this.#child = child;
    this.#receiver = receiver;
    this.#options = options;
    this.#hear =
      options.onStderr && harmless(options.onStderr, (error) => console.error('the listener onStderr threw:', error));
    this.#stdin = stdin;
    this.#writer = lineWriter(stdin);
    if (receiver.exited !== undefined) child.once('exit', receiver.exited);
    endWithProcess(child);
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    this.#emptied = new Promise((resolve) => child.once('close', () => resolve()));
    void this.#exited.then(() => this.#swept());

    const isSilent = (): boolean => this.#closing !== undefined || this.#ended !== undefined;
    const flooded = (error: ConnectionError): void => {
      this.#over(error);
      // Without a reader, the server fails to write and ends.
      stdout.destroy();
      void this.close();
    };
    this.#served = new HttpProgram(options.description, (error) => {
      if (isSilent()) return;
      this.#over(error);
      void this.close();
    });
    const reader = messageReader(this.#served.before(receiver), { maxBytes: options.maxLineBytes, isSilent, flooded });
    readInTurns(stdout, (chunk) => void (isSilent() || reader.push(chunk)));
    stdout.once('end', () => {
      reader.end();
      void this.#halfClosed('output');
    });
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {});
    stdin.once('error', () => void this.#halfClosed('input'));
    child.on('error', () => {});
    stderr?.setEncoding('utf8').on('data', (text: string) => this.#heard(text));
    child.once('close', () => this.#over(this.#death()));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async send(message: Message | readonly Message[]): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    if (this.#closing !== undefined) throw new ConnectionError('closed', 'the conversation is closed');
    this.#served.sent(message);
    try {
      await sendLine(this.#writer, message, {
        maxPending: this.#options.maxPendingBytes ?? 64 * 1024 * 1024,
        ended: () => this.#ended,
      });
    } catch (error) {
      const isClosed = error instanceof ConnectionError && error.reason === 'closed';
      // A pipe breaks before the exit code is known, and the code says more.
      if (isClosed && this.#closing === undefined) await settledWithin(lingerMs, this.#emptied);
      throw this.#ended ?? error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Spec 2025-11-25, Lifecycle, Shutdown: close its input, wait, SIGTERM, wait, SIGKILL. */
  async #close(): Promise<void> {
    const wait = this.#options.killTimeoutMs ?? defaultKillAfterMs;
    void this.#writer.flushed();
    this.#stdin.end();
    if (await exitsWithin(wait, this.#exited)) return;
    this.#forced = true;
    signalTree(this.#child, 'SIGTERM');
    if (await exitsWithin(wait, this.#exited)) return;
    signalTree(this.#child, 'SIGKILL');
    await settledWithin(wait, this.#exited);
  }

  #heard(text: string): void {
    this.#stderr = (this.#stderr + text).slice(-keptStderr);
    this.#hear?.(text);
  }

  /** The child has exited: its descendants are ended, and pipes that they hold open are released. */
  async #swept(): Promise<void> {
    signalTree(this.#child, this.#forced ? 'SIGKILL' : 'SIGTERM');
    if (this.#forced || !hasGroup(this.#child)) forget(this.#child);
    else
      after(this.#options.killTimeoutMs ?? defaultKillAfterMs, () => {
        signalTree(this.#child, 'SIGKILL');
        forget(this.#child);
      });
    const { stdout, stderr } = this.#child;
    if (await settledWithin(lingerMs, this.#emptied)) return;
    stdout?.destroy();
    stderr?.destroy();
    this.#over(this.#death());
  }

  /** A server that no longer answers or reads, but lives on, has no use. */
  async #halfClosed(end: 'input' | 'output'): Promise<void> {
    if (this.#closing !== undefined || (await settledWithin(lingerMs, this.#exited))) return;
    this.#over(new ConnectionError('closed', `the server closed its ${end}`));
    await this.close();
  }

  #over(error: ConnectionError): void {
    if (this.#ended !== undefined || this.#closing !== undefined) return;
    this.#ended = error;
    this.#receiver.closed(error);
  }

  #death(): ConnectionError {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode === null ? `exited with code ${exitCode ?? 'unknown'}` : `was ended by ${signalCode}`;
    const last = this.#stderr.trim();
    const said = last === '' ? '' : `: ${last}`;
    const death = new ConnectionError('exited', `the server (${this.#options.description}) ${how}${said}`);
    if (isLoadFailure(exitCode, last)) failedLoads.add(death);
    return death;
  }
}
