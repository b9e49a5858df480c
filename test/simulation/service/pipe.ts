/** Processes that clients of a service start for themselves and speak to over a pipe: they die, cannot be started for a while, and are others when they come back. */

import { answerReceived, toText, type BatchAnswer } from '../../../packages/parley/src/server/runtime/batch.ts';
import type { Message } from '../../../packages/parley/src/jsonrpc/message.ts';
import {
  ConnectionError,
  type Channel,
  type Receiver,
  type Transport,
} from '../../../packages/parley/src/jsonrpc/transport.ts';
import type { ClientConnection } from '../../../packages/parley/src/server/runtime/request-handler.ts';
import type { Server } from '../../../packages/parley/src/server.ts';
import { Process, type World } from '../world.ts';
import { chance } from './chance.ts';

/** What a pipe leads to. */
export interface PipeParts {
  readonly world: World;
  readonly seed: number;
  /** Makes the server of a process, by how many there were before. */
  make(started: number): Server;
}

/** The most that a line takes, in milliseconds. */
const maxMs = 40;

interface Running {
  readonly process: Process;
  readonly server: Server;
  readonly conversation: ClientConnection;
  readonly receiver: Receiver;
  isOver: boolean;
}

/** Starts one process after the other for one client. */
export class Pipe {
  readonly #client: Process;
  readonly #parts: PipeParts;
  #started = 0;
  #lines = 0;
  #running: Running | undefined;
  /** True while no process can be started. */
  isAway = false;

  constructor(client: Process, parts: PipeParts) {
    this.#client = client;
    this.#parts = parts;
  }

  /** How many processes were started. */
  get started(): number {
    return this.#started;
  }

  /** The server that runs; `undefined` where none does. */
  get server(): Server | undefined {
    return this.#running?.server;
  }

  /** What a client connects by. */
  transport(facts: Partial<Transport> = {}): Transport {
    return {
      description: 'a pipe',
      // What was found out of one is not true of those of other schedules.
      address: `pipe ${this.#parts.seed} ${this.#client.name}`,
      ownsProcess: true,
      ...facts,
      open: async (receiver) => await this.#open(receiver),
    };
  }

  /** Lets the process die that runs. */
  kill(): void {
    const running = this.#running;
    if (running === undefined || running.isOver) return;
    this.#over(running);
    this.#later(this.#client, () => running.receiver.closed(new ConnectionError('exited', 'the process died')));
  }

  async #open(receiver: Receiver): Promise<Channel> {
    await new Promise<void>((resolve) => this.#later(this.#client, resolve));
    if (this.isAway) throw new ConnectionError('refused', 'the process cannot be started');
    const process = new Process(`p${this.#client.name}.${this.#started}`);
    const running = await new Promise<Running>((resolve) => {
      this.#later(process, () => {
        const server = this.#parts.make(this.#started++);
        const link = { network: 'pipe', lasting: true, send: (message: Message) => this.#tell(started, message) };
        const conversation = server.endpoint.openConnection(link);
        const started: Running = { process, server, conversation, receiver, isOver: false };
        this.#parts.world.later(0, this.#client, () => resolve(started));
      });
    });
    this.#running = running;
    return {
      send: async (message) => {
        if (running.isOver) throw new ConnectionError('exited', 'the process is gone');
        const text = JSON.stringify(message);
        this.#later(process, () => this.#take(running, text));
        return await Promise.resolve();
      },
      close: async () => await this.#close(running),
    };
  }

  #take({ conversation, process }: Running, text: string): void {
    this.#parts.world.note(`${process.name} takes ${text.slice(0, 60)}`);
    const answer = (response: BatchAnswer): void => {
      if (response !== undefined) this.#tell(this.#running, response);
    };
    answerReceived(conversation, JSON.parse(text), answer);
  }

  #tell(running: Running | undefined, message: Message | readonly Message[]): void {
    const text = toText(message);
    if (running === undefined || running.isOver || text === undefined) return;
    this.#later(this.#client, () => {
      if (!running.isOver) running.receiver.message(JSON.parse(text));
    });
  }

  async #close(running: Running): Promise<void> {
    if (running.isOver) return;
    running.isOver = true;
    await new Promise<void>((resolve) =>
      this.#later(running.process, () => {
        running.conversation.close();
        void running.server.close().then(() => {
          this.#over(running);
          this.#parts.world.later(0, this.#client, resolve);
        });
      }),
    );
  }

  #over(running: Running): void {
    running.isOver = true;
    this.#parts.world.kill(running.process);
    if (this.#running === running) this.#running = undefined;
  }

  #earliest = 0;

  /** In the order in which it is said. */
  #later(process: Process, run: () => void): void {
    const { world, seed } = this.#parts;
    const delay = Math.ceil(chance(seed, 'pipe', this.#client.name, this.#lines++) * maxMs);
    this.#earliest = Math.max(this.#earliest, world.now + delay);
    world.later(this.#earliest - world.now, process, run);
  }
}
