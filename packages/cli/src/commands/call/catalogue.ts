import type { Client, ClientRequestOptions } from '../../../../parley/src/client/api/client.ts';
import { ConnectionError } from '../../../../parley/src/jsonrpc/transport.ts';
import type { ServerCapabilities } from '../../../../parley/src/protocol/capability.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { Implementation } from '../../../../parley/src/protocol/features/common.ts';
import type { Prompt } from '../../../../parley/src/protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../../../../parley/src/protocol/features/resources.ts';
import type { Tool } from '../../../../parley/src/protocol/features/tools.ts';
import type { RevisionDate } from '../../../../parley/src/protocol/revision.ts';
import { AdvisedError } from '../io.ts';
import { reasonOf } from '../shown.ts';

/** All that a server offers. */
export interface ListedOffer {
  readonly server: Implementation | undefined;
  readonly revision: RevisionDate;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Lists that failed, by the method: what the server said, or what was wrong with its answer; absent where none did. */
  readonly refused?: Readonly<Record<string, string>>;
}

/**
 * Lists all items of a server. Many servers declare resources but reject the list of templates: a rejected list hides
 * no other.
 *
 * @throws Error if a list was rejected and there is nothing else to show.
 */
export async function fetchCatalogue(client: Client, options: ClientRequestOptions): Promise<ListedOffer> {
  const refusals = new Map<string, string>();
  let cause: unknown;
  const listed = async <Item>(method: string, asked: Promise<readonly Item[]>): Promise<readonly Item[]> => {
    try {
      return await asked;
    } catch (error) {
      if (!isOfOneList(error)) throw error;
      cause = error;
      refusals.set(method, `${error instanceof McpError ? `${error.code} ` : ''}${reasonOf(error)}`);
      return [];
    }
  };
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    listed('tools/list', client.listTools(options)),
    listed('resources/list', client.listResources(options)),
    listed('resources/templates/list', client.listResourceTemplates(options)),
    listed('prompts/list', client.listPrompts(options)),
  ]);
  const isEmpty = [tools, resources, resourceTemplates, prompts].every(({ length }) => length === 0);
  if (isEmpty && refusals.size > 0)
    throw new AdvisedError(`the server refused ${[...refusals].map((refusal) => refusal.join(': ')).join('; ')}`, {
      cause,
    });
  const { server, revision, instructions, capabilities } = client;
  const offer = { server, revision, instructions, capabilities, tools, resources, resourceTemplates, prompts };
  return refusals.size === 0 ? offer : { ...offer, refused: Object.fromEntries(refusals) };
}

/** Tells whether a failure says nothing of the other lists: the server refused this one, or its answer could not be read or did not come. */
function isOfOneList(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.reason === 'invalid-message' || error.reason === 'timeout';
  return error instanceof McpError && !(error.cause instanceof ConnectionError);
}
