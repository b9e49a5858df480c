import type { Client } from '../../../../parley/src/client/api/client.ts';
import { parseExactJson } from '../../../../parley/src/json/parse-exact.ts';
import { JsonError } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { Transport } from '../../../../parley/src/jsonrpc/transport.ts';
import { revisionOf } from '../../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';
import { VerbError } from '../http/body.ts';
import { askingHandlers } from '../servers/handlers.ts';
import type { InspectedServer } from '../servers/inspected.ts';
import type { Shared } from '../servers/shared.ts';
import type { TrialView } from '../view.ts';
import { Hops } from './hops.ts';
import { playableMethod } from './playable.ts';
import { play, type PlayParams, type WantedPlay } from './plays.ts';
import { stepsOf } from './steps.ts';

/** A bridge that stands before a server. */
export interface TrialBridge {
  /** Reaches it. */
  readonly transport: Transport;
  /** Ends every conversation, and every connection to the server. */
  close(): Promise<void>;
}

/** Options of a bridge that is tried. */
export interface TrialBridgeOptions {
  readonly revision: string;
  readonly signal: AbortSignal;
  readonly info: Client['server'];
  /** True where it makes tasks of tools that may be some, which clients of the extension leave to the server. */
  readonly asTask: boolean;
}

/** Puts a bridge before a server that is spoken to in one revision. @throws ConnectionError where it is not reached. */
export type OpenBridge = (upstream: Transport, options: TrialBridgeOptions) => Promise<TrialBridge>;

/** Most conversations that are tried at a time. */
const maxRunning = 4;

/** Things that were wished: a request that crossed, for a client of a revision. */
export interface WantedTrial {
  readonly server: InspectedServer;
  readonly request: RecordingEntry;
  /** Revision of the client. */
  readonly client: string;
  /** True for a call that became a task, which is played with all of its life. */
  readonly asTask: boolean;
  /** True where it is cancelled as soon as it runs. */
  readonly cancels: boolean;
  readonly signal: AbortSignal;
}

/** Conversations that are played through a bridge of this process, before the same server. */
export class Trials {
  readonly #shared: Shared;
  readonly #bridge: OpenBridge;
  readonly #running = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();

  constructor(shared: Shared, bridge: OpenBridge) {
    this.#shared = shared;
    this.#bridge = bridge;
  }

  /**
   * Plays a request once more, by a client of another revision, through a bridge. All that it began has ended when it settles.
   *
   * @throws VerbError where it is none that is played, or none may be.
   */
  async run({ server, request, client, signal, ...how }: WantedTrial): Promise<TrialView> {
    const { revision = server.view.revision, method = '' } = request;
    if (revision === undefined || revisionOf(client) === undefined)
      throw new VerbError(400, 'the revision does not exist');
    if (this.#shared.isReadOnly && method === 'tools/call')
      throw new VerbError(403, 'tools are not called: this was started with --read-only');
    const known = playableMethod(method);
    if (known === undefined || request.from !== 'client') throw new VerbError(400, `${method} is not played`);
    if (this.#running.size >= maxRunning) throw new VerbError(429, `${maxRunning} conversations are tried already`);
    const params = paramsOf(request.text);
    const stop = AbortSignal.any([signal, this.#ending.signal, server.letGo]);
    const wanted = { method: known, params, signal: stop, ...how };
    const playing = this.#play(server, { revision, client, stop, name: nameIn(params) ?? method }, wanted);
    this.#running.add(playing);
    try {
      return await playing;
    } finally {
      this.#running.delete(playing);
    }
  }

  /** Gives all up, and waits until they have ended. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('parley inspect ends'));
    await Promise.allSettled(this.#running);
  }

  async #play(
    server: InspectedServer,
    trial: { readonly revision: string; readonly client: string; readonly stop: AbortSignal; readonly name: string },
    wanted: Omit<WantedPlay, 'hops'>,
  ): Promise<TrialView> {
    const { revision, stop } = trial;
    const hops = new Hops();
    const began = this.#shared.now();
    let failure: string | undefined;
    const ends: (() => Promise<void>)[] = [];
    try {
      const upstream = hops.hear('server', await server.recorder.reach(server.plan));
      const info = { name: 'parley-inspect', version: this.#shared.version };
      const bridge = await this.#bridge(upstream, { revision, signal: stop, info, asTask: wanted.asTask });
      ends.push(() => bridge.close());
      const options = this.#options(server, trial);
      const client = await this.#shared.open(hops.hear('client', bridge.transport), { ...options, info });
      ends.push(() => client.close());
      const { logLevel } = server.view;
      if (logLevel !== '' && client.capabilities.logging !== undefined) await client.setLogLevel(logLevel);
      await play(client, { ...wanted, hops });
    } catch (error) {
      failure = server.recorder.hidden(this.#shared.words(error));
    }
    const ms = this.#shared.now() - began;
    for (const end of ends.toReversed()) await end().catch(() => {});
    const messages = hops.messages.map((message) => ({ ...message, text: server.recorder.hidden(message.text) }));
    return {
      client: trial.client,
      server: revision,
      ms,
      steps: stepsOf(messages, { client: trial.client, server: revision }),
      left: hops.left,
      ...(failure === undefined ? {} : { failure }),
    };
  }

  #options(
    server: InspectedServer,
    { client, stop, name }: { readonly client: string; readonly stop: AbortSignal; readonly name: string },
  ): Parameters<Shared['open']>[1] {
    const { questions } = this.#shared;
    const about = { isRound: revisionOf(client)?.resultsAsk === true, during: `${name}, for a client of ${client}` };
    return {
      revisions: [client],
      signal: stop,
      ...askingHandlers({
        server: server.id,
        questions,
        about: () => ({ ...about, t: this.#shared.now() }),
        shown: (value) => server.recorder.shown(value),
      }),
      roots: server.view.roots.map((root) => ({ ...root })),
      validateOutput: false,
      onLog: () => {},
      onWarning: () => {},
    };
  }
}

function nameIn({ name, uri }: PlayParams): string | undefined {
  return typeof name === 'string' ? name : typeof uri === 'string' ? uri : undefined;
}

/** Parameters of a request that was kept whole. @throws VerbError for any other. */
function paramsOf(text: string | undefined): PlayParams {
  try {
    const value = parseExactJson(text ?? '');
    return isObject(value) && isObject(value['params']) ? value['params'] : {};
  } catch (error) {
    if (error instanceof JsonError)
      throw new VerbError(400, 'this is no request that was kept whole', { cause: error });
    throw error;
  }
}
