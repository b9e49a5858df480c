/** Answers that the handlers of a client may give, and the results that the protocol makes of them. */
import type { InputAnswer } from '../api/input-handlers.ts';
import type { AskMethod } from '../../connection/client-request.ts';
import { formProblem, withDefaults } from './elicitation-form.ts';
import { check } from '../../protocol/compile/check.ts';
import type { JsonObject } from '../../protocol/features/common.ts';
import type { ElicitRequestParams, ElicitResult } from '../../protocol/features/elicitation.ts';
import { methodOf } from '../../protocol/catalogue.ts';
import type { Revision } from '../../protocol/revision.ts';
import type { ListRootsResult } from '../../protocol/features/roots.ts';
import type { InputRequest, InputResponse } from '../../protocol/features/rounds.ts';
import type { CreateMessageResult } from '../../protocol/features/sampling.ts';
import { toWire } from '../../protocol/compile/to-wire.ts';
import { checkRoots } from './roots.ts';

/**
 * Converts an answer to the form of a revision, with the defaults of empty form fields.
 *
 * @throws TypeError if it does not answer the question: a wrongly filled form, a malformed message.
 * @throws McpError if the revision cannot express it.
 */
export function responseTo(request: InputRequest, answer: InputAnswer, revision: Revision): InputResponse {
  const response = inFull(request, answer);
  const type = methodOf(request.method)?.result;
  if (type === undefined) throw new TypeError(`${String(request.method)} cannot be answered`);
  // The answer is checked below, as whatever it turned out to be.
  const wire = toWire(revision, type, response as never);
  const [problem] = check(revision, type, wire);
  if (problem !== undefined) throw misfit(request.method, `${problem.path} ${problem.message}`.trim());
  // As was just checked.
  return wire as unknown as InputResponse;
}

function inFull(request: InputRequest, answer: InputAnswer): unknown {
  switch (request.method) {
    case 'elicitation/create':
      return elicited(request.params, answer);
    case 'sampling/createMessage':
      return typeof answer === 'string' ? spoken(answer) : answer;
    case 'roots/list':
      return rooted(answer);
  }
}

/** The revisions require the name of the model, and text alone does not have it. */
function spoken(text: string): CreateMessageResult {
  return { role: 'assistant', content: { type: 'text', text }, model: 'unknown' };
}

function rooted(answer: InputAnswer): unknown {
  // A list is short for the result. The check rejects anything that is neither.
  const result = (Array.isArray(answer) ? { roots: answer } : answer) as ListRootsResult;
  if (Array.isArray(result?.roots)) checkRoots(result.roots);
  return result;
}

/** Only an accepted form has content. (Spec 2025-11-25, Elicitation, Response actions.) */
function elicited(params: ElicitRequestParams, answer: InputAnswer): unknown {
  // A bare action is short for the result. The check rejects anything that is neither.
  if (answer === undefined || answer === null) return answer;
  const { content, ...result } = (typeof answer === 'string' ? { action: answer } : answer) as ElicitResult;
  if (result.action !== 'accept' || (params.mode !== undefined && params.mode !== 'form')) return result;
  const filled = withDefaults(params.requestedSchema, content ?? {});
  const problem = formProblem(params.requestedSchema, filled);
  if (problem !== undefined) throw misfit('elicitation/create', problem);
  return { ...result, content: filled };
}

function misfit(method: AskMethod, why: string): TypeError {
  return new TypeError(`the answer to ${method} does not fit: ${why}`);
}

/** A response as a JSON object. */
export function asObject(response: InputResponse): JsonObject {
  // Interfaces of results are JSON objects.
  return response as unknown as JsonObject;
}
