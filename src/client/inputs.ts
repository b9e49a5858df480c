import { ConnectionError } from '../jsonrpc/transport.ts';
import { askMethods, type AskMethod } from '../peer/ask.ts';
import { samplingProblem } from '../peer/sampling-rules.ts';
import type { JsonObject } from '../peer/waiting.ts';
import {
  projectClientCapabilities,
  supports,
  type ClientCapabilities,
  type ClientFlag,
} from '../protocol/capability.ts';
import type { ElicitRequestFormParams, ElicitRequestURLParams } from '../protocol/elicitation.ts';
import { McpError } from '../protocol/error.ts';
import { fromWire } from '../protocol/from-wire.ts';
import { isAlive } from '../protocol/lifetime.ts';
import { maySend, methodOf } from '../protocol/method.ts';
import type { Revision, RevisionDate } from '../protocol/revision.ts';
import type { Root } from '../protocol/roots.ts';
import type { InputRequest, InputResponse } from '../protocol/rounds.ts';
import type { CreateMessageRequestParams } from '../protocol/sampling.ts';
import { advertised } from './advertise.ts';
import { asObject, responseTo, type ElicitAnswer, type InputAnswer, type SampleAnswer } from './answers.ts';
import { ElicitationIds } from './elicitation-ids.ts';
import { urlElicitations } from './errors.ts';
import { isPageUrl } from './page-url.ts';
import type { InboundHandler } from './inbound.ts';
import { checkRoots } from './roots.ts';

/** What a handler may know beside the question. */
export interface InputContext {
  /** The revision in use, by its date. */
  readonly revision: RevisionDate;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The roots themselves, or what finds them each time that a server asks. */
export type RootsSource = readonly Root[] | ((context: InputContext) => readonly Root[] | Promise<readonly Root[]>);

/** Who answers what a server asks for; installing a handler advertises its capability. */
export interface InputHandlers {
  /**
   * Asks the user with a form; advertises `elicitation`. Show which server asks, and let the user decline. Fields that
   * are left out of accepted content are filled with their defaults, and content that does not fit is an error here.
   * An `McpError` that it throws reaches a server of a handshake revision as it is, anything else without its message.
   */
  readonly onElicit?: (params: ElicitRequestFormParams, context: InputContext) => ElicitAnswer | Promise<ElicitAnswer>;
  /**
   * Asks the user to visit a page; advertises `elicitation.url`. Show the whole URL, open it only when the user agrees,
   * and never fetch it. `accept` says that the user agreed, not that the visit is over.
   */
  readonly onElicitUrl?: (
    params: ElicitRequestURLParams,
    context: InputContext,
  ) => ElicitAnswer | Promise<ElicitAnswer>;
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

/** What inputs are made of. */
export interface InputOptions extends InputHandlers {
  /** What was declared by hand. */
  readonly capabilities?: ClientCapabilities;
  /** Whether handlers advertise their capabilities. */
  readonly advertise: boolean;
  readonly onElicitationComplete?: ((elicitationId: string) => void) | undefined;
  now(): number;
}

/** What a client can be asked for, and its answers: the same in every era. */
export class Inputs {
  /** The answers to requests of handshake servers. */
  readonly handlers: ReadonlyMap<string, InboundHandler>;
  readonly #options: InputOptions;
  readonly #ids: ElicitationIds;
  readonly #stop = new AbortController();
  #roots: RootsSource | undefined;

  /** @throws TypeError for roots that are no `file://` URIs. */
  constructor(options: InputOptions) {
    this.#options = options;
    this.#ids = new ElicitationIds(() => options.now());
    this.handlers = new Map(askMethods.map((method) => [method, this.#handler(method)]));
    this.roots = options.roots;
  }

  /** What is declared now. */
  get capabilities(): ClientCapabilities {
    const { capabilities = {}, advertise, onElicit, onElicitUrl, onSample } = this.#options;
    if (!advertise) return capabilities;
    const installed = {
      form: onElicit !== undefined,
      url: onElicitUrl !== undefined,
      sampling: onSample !== undefined,
      roots: this.#roots !== undefined,
    };
    return advertised(capabilities, installed);
  }

  /** @throws TypeError for a root that is no `file://` URI. */
  set roots(roots: RootsSource | undefined) {
    if (roots !== undefined && typeof roots !== 'function') checkRoots(roots);
    this.#roots = roots;
  }

  /** Aborted when the client is closed. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends whatever is being answered. */
  stop(): void {
    this.#stop.abort(new ConnectionError('closed', 'the client was closed'));
  }

  /**
   * Why a question is not answered here, or `undefined` when it is.
   *
   * @param declared What the server was told that the client can do.
   */
  obstacle(request: InputRequest, declared: ClientCapabilities): string | undefined {
    const flags = flagsOf(request);
    if (flags === undefined) return `${shown(request)} is unknown`;
    const undeclared = flags.find((flag) => !supports(declared, flag));
    if (undeclared !== undefined) return `${request.method} needs ${undeclared}, which was not declared`;
    return this.#answerer(request) === undefined ? `nothing here answers ${shown(request)}` : undefined;
  }

  /** Answers a question that has no obstacle and is well-formed. */
  async answer(request: InputRequest, revision: Revision, signal: AbortSignal): Promise<InputResponse> {
    const answer = await this.#answerer(request)?.({ revision: revision.date, signal });
    // Without an answerer there is an obstacle; an answer that is none is refused.
    return responseTo(request, answer as InputAnswer, revision);
  }

  /** Learns which elicitations are waited for from an error of the server. */
  learn(error: McpError): void {
    for (const { elicitationId } of urlElicitations(error))
      if (elicitationId !== undefined) this.#ids.add(elicitationId);
  }

  /** Hears that an elicitation is finished; each is told once, and an unknown one is not. */
  complete(params: JsonObject, revision: Revision): void {
    if (!namesElicitations(revision)) return;
    const { elicitationId } = fromWire(revision, 'ElicitationCompleteNotificationParams', params);
    if (this.#ids.complete(elicitationId)) this.#options.onElicitationComplete?.(elicitationId);
  }

  #answerer(request: InputRequest): ((context: InputContext) => InputAnswer | Promise<InputAnswer>) | undefined {
    const { onElicit, onElicitUrl, onSample } = this.#options;
    const roots = this.#roots;
    if (request.method === 'roots/list')
      return roots && ((context) => (typeof roots === 'function' ? roots(context) : roots));
    if (request.method === 'sampling/createMessage')
      return onSample && ((context) => onSample(request.params, context));
    const { params } = request;
    if (params.mode === 'url') return onElicitUrl && ((context) => onElicitUrl(params, context));
    return onElicit && ((context) => onElicit(params, context));
  }

  #handler(method: AskMethod): InboundHandler {
    return async (params, { revision, signal }) => {
      const row = methodOf(method);
      const declared = projectClientCapabilities(revision, this.capabilities);
      if (
        row?.params === undefined ||
        !maySend('server', row, revision) ||
        !this.#installed(method) ||
        !supports(declared, featureOf(method))
      )
        throw new McpError('methodNotFound', `this client does not answer ${method}`);
      // The row of a method names the type of its params.
      const request = { method, params: fromWire(revision, row.params, params) } as InputRequest;
      const problem = this.obstacle(request, declared) ?? malformation(request);
      if (problem !== undefined) throw new McpError('invalidParams', problem);
      this.#expect(request, revision);
      return asObject(await this.answer(request, revision, signal));
    };
  }

  #installed(method: AskMethod): boolean {
    const { onElicit, onElicitUrl, onSample } = this.#options;
    if (method === 'roots/list') return this.#roots !== undefined;
    return method === 'sampling/createMessage' ? onSample !== undefined : (onElicit ?? onElicitUrl) !== undefined;
  }

  /** The notice that a visit is over may come before the user agreed to it here. */
  #expect(request: InputRequest, revision: Revision): void {
    if (request.method !== 'elicitation/create' || request.params.mode !== 'url' || !namesElicitations(revision))
      return;
    if (request.params.elicitationId !== undefined) this.#ids.add(request.params.elicitationId);
  }
}

/** What makes a question unfit for a handler, beyond the shape of its params. */
export function malformation(request: InputRequest): string | undefined {
  if (request.method === 'sampling/createMessage') return samplingProblem(request.params);
  if (request.method !== 'elicitation/create' || request.params.mode !== 'url') return undefined;
  return isPageUrl(request.params.url) ? undefined : 'the url of the elicitation is no URL of a page';
}

/** Whether elicitations have ids in a revision, which completion notices and errors name. */
export function namesElicitations(revision: Revision): boolean {
  const notice = methodOf('notifications/elicitation/complete');
  return notice !== undefined && isAlive(notice.lifetime, revision);
}

function featureOf(method: AskMethod): ClientFlag {
  return method === 'roots/list' ? 'roots' : method === 'sampling/createMessage' ? 'sampling' : 'elicitation';
}

/** The capabilities that a question needs; `undefined` where there is no such question. */
function flagsOf(request: InputRequest): readonly ClientFlag[] | undefined {
  if (request.method === 'roots/list') return ['roots'];
  if (request.method === 'sampling/createMessage') {
    const { tools, toolChoice } = request.params;
    return tools === undefined && toolChoice === undefined ? ['sampling'] : ['sampling', 'sampling.tools'];
  }
  // What a newer server may ask for keeps its own method and mode when it is read.
  const { method, params }: { readonly method: string; readonly params: { readonly mode?: string } } = request;
  if (method !== 'elicitation/create') return undefined;
  const { mode = 'form' } = params;
  return mode === 'form' ? ['elicitation.form'] : mode === 'url' ? ['elicitation.url'] : undefined;
}

function shown({ method, params }: InputRequest): string {
  const mode: unknown = params !== undefined && 'mode' in params ? params.mode : undefined;
  return JSON.stringify(typeof mode === 'string' ? `${method} (${mode})` : method).slice(0, 100);
}
