import { ConnectionError } from '../../jsonrpc/transport.ts';
import { askMethods } from '../../connection/client-request.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import { elicitationCompleteParamsShape, type ElicitRequestFormParams } from '../../protocol/features/elicitation.ts';
import type { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import type { Revision, RevisionDate } from '../../protocol/revision.ts';
import type { Root } from '../../protocol/features/roots.ts';
import type { CreateMessageRequestParams } from '../../protocol/features/sampling.ts';
import { advertised } from './advertise.ts';
import type { ElicitAnswer, SampleAnswer } from './answers.ts';
import type * as Input from './input.ts';
import { ElicitationIds, namesElicitations } from './elicitation-ids.ts';
import { urlElicitations } from '../errors.ts';
import type { InboundHandler } from './inbound.ts';
import type { UrlElicitation } from './url-elicitation.ts';
import { checkRoots } from './roots.ts';
import { hostedCapability, type ClientTasksOptions } from '../tasks/client-tasks-options.ts';

/** Facts for a handler beside the question. */
export interface InputContext {
  /** The revision in use, by its date. */
  readonly revision: RevisionDate;
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal;
  /**
   * The id of this client's request within which the server asks, as `onSent` received it; left out if unknown. It is
   * known over HTTP, where a server asks on the response stream of the request.
   */
  readonly request?: number | undefined;
}

/** The roots themselves, or what finds them each time that a server asks. */
export type RootsSource = readonly Root[] | ((context: InputContext) => readonly Root[] | Promise<readonly Root[]>);

/** Handlers for requests of a server. Installing a handler declares its capability. */
export interface InputHandlers {
  /**
   * Asks the user with a form; declares `elicitation`. Show which server asks, and let the user decline. Empty fields
   * of accepted content get their defaults. Invalid content is an error here. If the handler throws, the call rejects
   * with that error; or with an error whose `cause` it is, if a session's server answers with an error of its own. An
   * `McpError` reaches such a server unchanged, any other error without its message.
   */
  readonly onElicit?: (params: ElicitRequestFormParams, context: InputContext) => ElicitAnswer | Promise<ElicitAnswer>;
  /**
   * Asks the user to visit a page; declares `elicitation.url`. Show the whole URL and its `host` separately, open it
   * only when the user agrees, and never fetch it. `accept` means that the user agreed, not that the visit is over.
   *
   * A server chooses the URL. A URL is rejected before the handler runs if it is neither `https:` nor `http:` on this
   * machine, or if it has a user name (which could be mistaken for a host). The remaining URLs may still hold
   * characters that a shell interprets (`&`, `;`, `$`), so never put one into a command line: `openPage` of
   * `parley-mcp/node` opens it without a shell. (Spec 2025-11-25, Elicitation, Safe URL Handling.)
   */
  readonly onElicitUrl?: (params: UrlElicitation, context: InputContext) => ElicitAnswer | Promise<ElicitAnswer>;
  /**
   * Asks the model; advertises `sampling`. That the model may be given tools is declared in `capabilities`
   * (`sampling.tools`). A user who does not allow it is `new McpError(-1, 'User rejected sampling request')`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): sampling still works; a revision from 2027-07-28 on may remove it.
   */
  readonly onSample?: (
    params: CreateMessageRequestParams,
    context: InputContext,
  ) => SampleAnswer | Promise<SampleAnswer>;
  /**
   * The places that servers may work in, each a `file://` URI; advertises `roots`.
   *
   * @deprecated Since 2026-07-28 (SEP-2577): roots still work; a revision from 2027-07-28 on may remove it.
   */
  readonly roots?: RootsSource;
}

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
