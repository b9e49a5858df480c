import { missing, type ClientCapabilities } from '../protocol/capability.ts';
import type { JsonObject } from '../protocol/features/common.ts';
import { McpError } from '../protocol/error.ts';
import type { Revision } from '../protocol/revision.ts';
import type { CreateMessageRequestParams } from '../protocol/features/sampling.ts';
import type { AskMethod } from './client-request.ts';
import { samplingProblem } from './sampling-rules.ts';

/**
 * Checks that the client declared the capabilities for a question, and that the question is well formed, before it is
 * sent.
 *
 * @throws TypeError for messages that break the rules of tool use in sampling. The handler is at fault.
 * @throws McpError missingRequiredClientCapability with `data.requiredCapabilities`.
 * (Spec 2026-07-28, MRTR, Server requirements; Spec 2025-11-25, Elicitation and Sampling, Capabilities.)
 */
export function requireCapabilities(
  method: AskMethod,
  params: JsonObject,
  revision: Revision,
  declared: ClientCapabilities,
): void {
  // The parameters of this method are those of the canonical model.
  const problem =
    method === 'sampling/createMessage' ? samplingProblem(params as unknown as CreateMessageRequestParams) : undefined;
  if (problem !== undefined) throw new TypeError(`the sampling request is wrong: ${problem}`);
  const requiredCapabilities = missing(requirement(method, params, revision), declared);
  if (requiredCapabilities === undefined) return;
  throw new McpError(
    'missingRequiredClientCapability',
    `the client did not declare what ${method} needs: ${pathsOf(requiredCapabilities).join(', ')}`,
    {
      data: { requiredCapabilities },
    },
  );
}

/** Tells whether the client declared the capabilities for a well-formed question. */
export function mayBeAsked(
  { method, params }: { readonly method: AskMethod; readonly params: JsonObject },
  revision: Revision,
  declared: ClientCapabilities,
): boolean {
  return missing(requirement(method, params, revision), declared) === undefined;
}

/** The capabilities that a question needs. Sub-capabilities are required only in revisions that have them. */
function requirement(method: AskMethod, params: JsonObject, revision: Revision): ClientCapabilities {
  const detailed = revision.elicitation === 'form-and-url';
  switch (method) {
    case 'roots/list':
      return { roots: {} };
    case 'elicitation/create':
      return params['mode'] === 'url' ? { elicitation: { url: {} } } : { elicitation: detailed ? { form: {} } : {} };
    case 'sampling/createMessage': {
      const tools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
      const context = params['includeContext'] !== undefined && params['includeContext'] !== 'none';
      return { sampling: { ...(tools ? { tools: {} } : {}), ...(detailed && context ? { context: {} } : {}) } };
    }
  }
}

function pathsOf(capabilities: ClientCapabilities): string[] {
  return Object.entries(capabilities).map(([name, value]) => [name, ...Object.keys(value as object)].join('.'));
}
