/**
 * The differences between revisions that are no lifetimes, by the type that they concern. Each is one named pair;
 * docs/fidelity.md has a line for each.
 */

import { cannotSay, needsCapability, type Adaptation } from './adaptation.ts';
import { experimentalObjects, extensionSettings, urlOnlyElicitation } from './capability.ts';
import {
  audioAsText,
  resourceLinkAsText,
  structuredContentAsText,
  textBesideValue,
  wrappedStructuredContent,
} from './content.ts';
import { oneValuePerField, titledOptionsAsEnumNames, urlNeedsId } from './elicitation.ts';
import { blocksAsMessages, noToolsForModels, oneBlockPerAnswer, oneBlockPerMessage } from './sampling.ts';
import { booleanSchemas, wrappedOutputSchema } from './tool.ts';
import type { McpError } from '../error.ts';
import type { Revision } from '../revision.ts';
import type { TypeName, Types } from '../types.ts';
import type { Fields } from '../compile/value.ts';

type Adaptations = { readonly [N in keyof Types]?: readonly Adaptation<Types[N]>[] };

const adaptations: Adaptations = {
  ContentBlock: [audioAsText, resourceLinkAsText],
  SamplingMessageContentBlock: [audioAsText],
  CallToolResult: [structuredContentAsText, textBesideValue, wrappedStructuredContent],
  ToolResultContent: [wrappedStructuredContent],
  Tool: [wrappedOutputSchema],
  // An output schema is one of these too, once it is wrapped.
  ToolInputSchema: [booleanSchemas],
  CreateMessageRequestParams: [noToolsForModels, blocksAsMessages],
  SamplingMessage: [oneBlockPerMessage],
  CreateMessageResult: [oneBlockPerAnswer],
  PrimitiveSchemaDefinition: [titledOptionsAsEnumNames],
  ElicitRequestURLParams: [urlNeedsId],
  ElicitResult: [oneValuePerField],
  ClientCapabilities: [urlOnlyElicitation, experimentalObjects, extensionSettings],
  ServerCapabilities: [experimentalObjects, extensionSettings],
};

const byName: ReadonlyMap<string, readonly Adaptation[]> = new Map(
  // An adaptation is only ever given values of the type under whose name it stands.
  Object.entries(adaptations) as unknown as [string, readonly Adaptation<Fields>[]][],
);

/** An adaptation, with the types that it concerns. */
export interface NamedAdaptation {
  readonly adaptation: Adaptation;
  readonly types: readonly TypeName[];
}

/** Every adaptation once, in the order of their types. */
export const everyAdaptation: readonly NamedAdaptation[] = [...new Set([...byName.values()].flat())].map(
  (adaptation) => ({
    adaptation,
    // The table is keyed by names of types.
    types: [...byName].filter(([, list]) => list.includes(adaptation)).map(([type]) => type as TypeName),
  }),
);

/** The adaptations of a type, in the order in which they run. */
export function adaptationsOf(type: string): readonly Adaptation[] {
  return byName.get(type) ?? [];
}

interface Reason {
  readonly what: string;
  /** What a client would have to declare, in a revision that has it. */
  readonly capabilities?: Fields;
}

const toolUse: Reason = { what: 'tool use in sampling', capabilities: { sampling: { tools: {} } } };
const multiSelect: Reason = { what: 'a choice of several' };

/** Why a type that a revision lacks cannot be left out. */
const reasons: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  ['ToolUseContent', toolUse],
  ['ToolResultContent', toolUse],
  ['ElicitRequestURLParams', { what: 'URL elicitation', capabilities: { elicitation: { url: {} } } }],
  ['UntitledMultiSelectEnumSchema', multiSelect],
  ['TitledMultiSelectEnumSchema', multiSelect],
]);

/** The error for a value of a type that a revision lacks. */
export function inexpressible(type: string, revision: Revision): McpError {
  const { what, capabilities }: Reason = reasons.get(type) ?? { what: type };
  return capabilities === undefined ? cannotSay(what, revision) : needsCapability(what, revision, capabilities);
}
