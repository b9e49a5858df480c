/** Answering of what servers ask their clients. */

import type { AskMethod } from '../../connection/client-request.ts';
import { samplingProblem } from '../../connection/sampling-rules.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import { supports, type ClientCapabilities, type ClientFlag } from '../../protocol/capability.ts';
import { projectClientCapabilities } from '../../protocol/compile/capabilities.ts';
import { McpError } from '../../protocol/error.ts';
import { fromWire } from '../../protocol/compile/from-wire.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import { maySend } from '../../protocol/method.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { InputRequest, InputResponse } from '../../protocol/features/rounds.ts';
import type { InputAnswer } from '../api/input-handlers.ts';
import { asObject, responseTo } from './answers.ts';
import type { InboundContext } from '../middleware/inbound.ts';
import { namesElicitations } from './elicitation-ids.ts';
import type { InputContext } from '../api/input-handlers.ts';
import type { Inputs } from './inputs.ts';
import { visitOf } from './url-elicitation.ts';

/**
 * The reason why a question is not answered here, or `undefined` if it is.
 *
 * @param declared The capabilities that the server knows of.
 */
export function obstacle(inputs: Inputs, request: InputRequest, declared: ClientCapabilities): string | undefined {
  const flags = flagsOf(request);
  if (flags === undefined) return `${shown(request)} is unknown`;
  const undeclared = flags.find((flag) => !supports(declared, flag));
  if (undeclared !== undefined) return `${request.method} needs ${undeclared}, which was not declared`;
  return isAnswered(inputs, request) ? undefined : `nothing here answers ${shown(request)}`;
}

function isAnswered(inputs: Inputs, request: InputRequest): boolean {
  // Whether its page may be visited is checked separately from whether there is a handler.
  if (request.method === 'elicitation/create' && request.params.mode === 'url')
    return inputs.options.onElicitUrl !== undefined;
  return answererOf(inputs, request) !== undefined;
}

/** Answers a question that has no obstacle and is well-formed. */
export async function answerInput(
  inputs: Inputs,
  request: InputRequest,
  { revision, signal, request: within }: InboundContext,
): Promise<InputResponse> {
  const answer = await answererOf(inputs, request)?.({ revision: revision.date, signal, request: within });
  // Without a handler there is an obstacle. An invalid answer is rejected.
  return responseTo(request, answer as InputAnswer, revision);
}

function answererOf(
  inputs: Inputs,
  request: InputRequest,
): ((context: InputContext) => InputAnswer | Promise<InputAnswer>) | undefined {
  const { onElicit, onElicitUrl, onSample } = inputs.options;
  const roots = inputs.roots;
  if (request.method === 'roots/list')
    return roots && ((context) => (typeof roots === 'function' ? roots(context) : roots));
  if (request.method === 'sampling/createMessage') return onSample && ((context) => onSample(request.params, context));
  const { params } = request;
  if (params.mode === 'url') {
    const visit = visitOf(params);
    return onElicitUrl && visit && ((context) => onElicitUrl(visit, context));
  }
  return onElicit && ((context) => onElicit(params, context));
}

/** A question of a session's server, as received. */
interface Question {
  readonly method: AskMethod;
  readonly params: JsonObject;
}

/**
 * Answers a request of a session's server.
 *
 * @throws McpError if it is not answered here, or asks for something that cannot be answered.
 */
export async function answerRequest(inputs: Inputs, question: Question, context: InboundContext): Promise<JsonObject> {
  return asObject(await answerInput(inputs, readQuestion(inputs, question, context.revision), context));
}

/**
 * Reads a request of a session's server.
 *
 * @throws McpError if it is not answered here, or asks for something that cannot be answered.
 */
export function readQuestion(inputs: Inputs, { method, params }: Question, revision: Revision): InputRequest {
  const row = methodOf(method);
  const declared = projectClientCapabilities(revision, inputs.capabilities);
  if (
    row?.params === undefined ||
    !maySend('server', row, revision) ||
    !installed(inputs, method) ||
    // A server may only ask for something that a declared feature covers.
    !supports(declared, row.needs as ClientFlag)
  )
    throw new McpError('methodNotFound', `this client does not answer ${method}`);
  // The row of a method names the type of its params.
  const request = { method, params: fromWire(revision, row.params, params) } as InputRequest;
  const problem = obstacle(inputs, request, declared) ?? malformation(request);
  if (problem !== undefined) throw new McpError('invalidParams', problem);
  expect(inputs, request, revision);
  return request;
}

function installed(inputs: Inputs, method: AskMethod): boolean {
  const { onElicit, onElicitUrl, onSample } = inputs.options;
  if (method === 'roots/list') return inputs.roots !== undefined;
  return method === 'sampling/createMessage' ? onSample !== undefined : (onElicit ?? onElicitUrl) !== undefined;
}

/** The notice that a visit is over may come before the user agreed to it here. */
function expect(inputs: Inputs, request: InputRequest, revision: Revision): void {
  if (request.method !== 'elicitation/create' || request.params.mode !== 'url' || !namesElicitations(revision)) return;
  if (request.params.elicitationId !== undefined) inputs.ids.add(request.params.elicitationId);
}

/** Fault that makes a question unfit for a handler, beyond the shape of its params. */
export function malformation(request: InputRequest): string | undefined {
  if (request.method === 'sampling/createMessage') return samplingProblem(request.params);
  if (request.method !== 'elicitation/create') return undefined;
  if (request.params.mode !== 'url') return nestedProblem(request.params.requestedSchema.properties);
  return visitOf(request.params) === undefined
    ? 'the url of the elicitation is no page to send a user to: https, or http on loopback, and no user name'
    : undefined;
}

/** Spec, Elicitation: forms are flat. An answer holds no object, so a field that wants one cannot be filled. */
function nestedProblem(properties: Readonly<Record<string, { readonly type?: unknown }>>): string | undefined {
  const [nested] = Object.entries(properties).find(([, { type }]) => type === 'object') ?? [];
  return nested === undefined
    ? undefined
    : `the field ${JSON.stringify(nested.slice(0, 100))} of the form is an object, which no answer can hold`;
}

/** The capabilities that a question needs; `undefined` if there is no such question. */
function flagsOf(request: InputRequest): readonly ClientFlag[] | undefined {
  if (request.method === 'roots/list') return ['roots'];
  if (request.method === 'sampling/createMessage') {
    const { tools, toolChoice } = request.params;
    return tools === undefined && toolChoice === undefined ? ['sampling'] : ['sampling', 'sampling.tools'];
  }
  // A question of a newer server keeps its own method and mode when it is read.
  const { method, params }: { readonly method: string; readonly params: { readonly mode?: string } } = request;
  if (method !== 'elicitation/create') return undefined;
  const { mode = 'form' } = params;
  return mode === 'form' ? ['elicitation.form'] : mode === 'url' ? ['elicitation.url'] : undefined;
}

function shown({ method, params }: InputRequest): string {
  const mode: unknown = params !== undefined && 'mode' in params ? params.mode : undefined;
  return JSON.stringify(typeof mode === 'string' ? `${method} (${mode})` : method).slice(0, 100);
}
