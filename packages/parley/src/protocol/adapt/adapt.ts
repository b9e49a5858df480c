/**
 * The differences between revisions that are no lifetimes, by the type that they concern. Each is one named pair;
 * docs/fidelity.md has a line for each, whose words are in `cli/compatibility/adaptation-lines.ts`.
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
import { clientCapabilitiesShape, serverCapabilitiesShape } from '../capability.ts';
import type { McpError } from '../error.ts';
import { contentBlock } from '../features/content.ts';
import { primitiveSchema } from '../features/elicitation-schema.ts';
import { elicitRequestUrlParamsShape, elicitResultShape } from '../features/elicitation.ts';
import {
  createMessageRequestParamsShape,
  createMessageResultShape,
  samplingBlock,
  samplingMessageShape,
  toolResultContentShape,
} from '../features/sampling.ts';
import { toolInputSchemaShape, toolShape } from '../features/tool.ts';
import { callToolResultShape } from '../features/tools.ts';
import type { Revision } from '../revision.ts';
import { nameOf, type Type } from '../shape.ts';
import type { ObjectFields } from '../compile/value.ts';

/** The adaptations of one type, in the order in which they run. */
export interface Adapted {
  readonly type: Type;
  readonly rules: readonly Adaptation[];
}

/** The compiler holds the adaptations to the type. */
function of<T extends object>(type: Type<T>, ...rules: readonly Adaptation<NoInfer<T>>[]): Adapted {
  // Each is only ever given values of the type beside which it stands.
  return { type, rules: rules as unknown as readonly Adaptation[] };
}

/** Every type that is adapted, with its adaptations. */
export const adaptedTypes: readonly Adapted[] = [
  of(contentBlock, audioAsText, resourceLinkAsText),
  of(samplingBlock, audioAsText),
  of(callToolResultShape, structuredContentAsText, textBesideValue, wrappedStructuredContent),
  of(toolResultContentShape, wrappedStructuredContent),
  of(toolShape, wrappedOutputSchema),
  // An output schema is one of these too, once it is wrapped.
  of(toolInputSchemaShape, booleanSchemas),
  of(createMessageRequestParamsShape, noToolsForModels, blocksAsMessages),
  of(samplingMessageShape, oneBlockPerMessage),
  of(createMessageResultShape, oneBlockPerAnswer),
  of(primitiveSchema, titledOptionsAsEnumNames),
  of(elicitRequestUrlParamsShape, urlNeedsId),
  of(elicitResultShape, oneValuePerField),
  of(clientCapabilitiesShape, urlOnlyElicitation, experimentalObjects, extensionSettings),
  of(serverCapabilitiesShape, experimentalObjects, extensionSettings),
];

// By the name: what has no shape of its own is known by it alone.
const byName: ReadonlyMap<string, readonly Adaptation[]> = new Map(
  adaptedTypes.map(({ type, rules }) => [nameOf(type), rules]),
);

/** The adaptations of a type by its name, in the order in which they run. */
export function adaptationsOf(name: string): readonly Adaptation[] {
  return byName.get(name) ?? [];
}

interface Reason {
  readonly what: string;
  /** Capabilities that a client would have to declare, in a revision that has them. */
  readonly capabilities?: ObjectFields;
}

const toolUse: Reason = { what: 'tool use in sampling', capabilities: { sampling: { tools: {} } } };
const multiSelect: Reason = { what: 'a choice of several' };

/** Reasons why a type that a revision lacks cannot be left out. */
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
