import type { RootsSource, InputHandlers } from '../api/input-handlers.ts';
import { ConnectionError } from '../../jsonrpc/transport.ts';
import { askMethods } from '../../connection/client-request.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { elicitationCompleteParamsShape } from '../../protocol/features/elicitation.ts';
import type { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import type { Revision } from '../../protocol/revision.ts';
import { advertised } from './advertise.ts';
import type * as Input from './input.ts';
import { ElicitationIds, namesElicitations } from './elicitation-ids.ts';
import { urlElicitations } from '../api/errors.ts';
import type { InboundHandler } from '../middleware/inbound.ts';
import { checkRoots } from './roots.ts';
import { hostedCapability, type ClientTasksOptions } from '../api/client-tasks-options.ts';

/** Parts that inputs are made of. */
export interface InputOptions extends InputHandlers {
  /** Capabilities that were declared by hand. */
  readonly capabilities?: ClientCapabilities;
  /** True when handlers advertise their capabilities. */
  readonly advertise: boolean;
  readonly onElicitationComplete?: ((elicitationId: string) => void) | undefined;
  readonly clientTasks?: ClientTasksOptions;
  now(): number;
}

let loaded: typeof Input | undefined;

/**
 * Loads the code for answering, for clients with handlers. Other clients need it only if a server asks all the same, or
 * a request is driven step by step.
 */
export async function answering(): Promise<typeof Input> {
  return (loaded ??= await import('./input.ts'));
}

/** Inputs that a server can request, and their handlers: the same in every era. */
export class Inputs {
  /** The answers to requests of handshake servers. */
  readonly handlers: ReadonlyMap<string, InboundHandler>;
  readonly options: InputOptions;
  /** The elicitations that may finish outside of this client. */
  readonly ids: ElicitationIds;
  readonly #stop = new AbortController();
  #roots: RootsSource | undefined;
  #capabilities: ClientCapabilities = {};

  /** @throws TypeError for roots that are no `file://` URIs. */
  constructor(options: InputOptions) {
    this.options = options;
    this.ids = new ElicitationIds(() => options.now());
    this.handlers = new Map(
      askMethods.map((method) => [
        method,
        async (params, context) => {
          const { answerRequest } = loaded ?? (await answering());
          return await answerRequest(this, { method, params }, context);
        },
      ]),
    );
    this.roots = options.roots;
  }

  /** Tells whether anybody answers here. */
  get installed(): boolean {
    const { onElicit, onElicitUrl, onSample } = this.options;
    return (onElicit ?? onElicitUrl ?? onSample ?? this.#roots) !== undefined;
  }

  /** Capabilities that are declared now: the same object until they change. */
  get capabilities(): ClientCapabilities {
    return this.#capabilities;
  }

  get roots(): RootsSource | undefined {
    return this.#roots;
  }

  /** @throws TypeError for a root that is no `file://` URI. */
  set roots(roots: RootsSource | undefined) {
    if (roots !== undefined && typeof roots !== 'function') checkRoots(roots);
    this.#roots = roots;
    this.#capabilities = this.#declared();
  }

  /** Aborted when the client is closed. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends whatever is being answered. */
  stop(): void {
    this.#stop.abort(new ConnectionError('closed', 'the client was closed'));
  }

  /** Learns which elicitations are waited for from an error of the server. */
  learn(error: McpError): void {
    for (const { elicitationId } of urlElicitations(error))
      if (elicitationId !== undefined) this.ids.add(elicitationId);
  }

  /** Records that an elicitation is finished. Each one is reported once. Unknown ones are ignored. */
  complete(params: JsonObject, revision: Revision): void {
    if (!namesElicitations(revision)) return;
    const { elicitationId } = fromWire(revision, elicitationCompleteParamsShape, params);
    if (this.ids.complete(elicitationId)) this.options.onElicitationComplete?.(elicitationId);
  }

  #declared(): ClientCapabilities {
    const { capabilities = {}, advertise, onElicit, onElicitUrl, onSample, clientTasks } = this.options;
    if (!advertise) return capabilities;
    const installed = {
      form: onElicit !== undefined,
      url: onElicitUrl !== undefined,
      sampling: onSample !== undefined,
      roots: this.#roots !== undefined,
      tasks: clientTasks && hostedCapability(clientTasks),
    };
    return advertised(capabilities, installed);
  }
}
