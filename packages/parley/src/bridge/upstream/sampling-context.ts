import type { JsonObject } from '../../protocol/features/common.ts';
import type { ClientCapabilities } from '../../protocol/capability.ts';
import type { Revision } from '../../protocol/revision.ts';

/**
 * Parameters of a question, as its client may receive them. A client of 2025-11-25 or later that did not declare
 * `sampling.context` gets `includeContext: "none"`, since servers of older versions know no such capability. (Spec
 * 2025-11-25, Sampling, Capabilities.)
 */
export function withDeclaredContext(
  method: string,
  params: JsonObject,
  revision: Revision,
  client: { readonly capabilities: ClientCapabilities },
): JsonObject {
  const wanted = params['includeContext'];
  if (method !== 'sampling/createMessage' || wanted === undefined || wanted === 'none') return params;
  const isAllowed = revision.elicitation !== 'form-and-url' || client.capabilities.sampling?.context !== undefined;
  return isAllowed ? params : { ...params, includeContext: 'none' };
}
