import { specimens } from './adaptations.ts';
import { features, type Feature, type Fidelity } from './fidelity.ts';
import { needsWrapping } from '../../../parley/src/protocol/adapt/tool.ts';
import { hasServerCapability, type ServerCapabilities } from '../../../parley/src/protocol/capability.ts';
import { methodOf } from '../../../parley/src/protocol/catalogue.ts';
import { ownMethodsKey } from '../../../parley/src/protocol/extension.ts';
import { isExtensionId } from '../../../parley/src/protocol/meta.ts';
import { carrierOf } from '../../../parley/src/protocol/reach.ts';
import { revisions, type Revision } from '../../../parley/src/protocol/revision.ts';
import { nameOf } from '../../../parley/src/protocol/shape.ts';
import type { Tool } from '../../../parley/src/protocol/features/tool.ts';
import { fieldOffered } from './field-offered.ts';
import type { Loss, Offer, ThroughBridge } from './offer.ts';

/** Condition on which a feature is one of a server's own. */
type Needed = (offer: Offer) => boolean;

const never: Needed = () => false;
const capability =
  (path: string): Needed =>
  ({ capabilities }) =>
    hasServerCapability(capabilities, path);
/** A list that is cut off may go on with such a tool. */
const someTool =
  (is: (tool: Tool) => boolean): Needed =>
  ({ tools }) =>
    tools !== undefined && (tools.more || tools.items.some(is));
const hasTasks: Needed = ({ capabilities: { tasks, extensions = {} } }) =>
  tasks !== undefined || Object.keys(extensions).some((id) => id.endsWith('/tasks'));

/** The part of the table that speaks of what no server should send, and that tells servers apart in nothing. */
export const foreign = 'Unknown fields and methods';

/**
 * The features that are named for themselves. `never` are those of each connection: both the client and the server have
 * them with the bridge, and neither has less of the other.
 */
export const needs: ReadonlyMap<string, Needed> = new Map([
  ['protocol-version', never],
  ['server-info', never],
  ['client-info', never],
  ['completions-capability', never],
  ['extensions-of-clients', never],
  ['experimental-extensions-of-clients', never],
  ['ping', never],
  ['result-type', never],
  ['batches', never],
  ['cancellation', never],
  ['missing-capability', never],
  ['errors-of-the-hop', never],
  ['experimental-junk', ({ capabilities }) => Object.values(capabilities.experimental ?? {}).some(isNoObject)],
  ['extensions-of-servers', capability('extensions')],
  ['experimental-extensions-of-servers', ({ capabilities }) => isExperimentalAlone(capabilities)],
  ['wrappedOutputSchema', someTool(({ outputSchema }) => outputSchema !== undefined && needsWrapping(outputSchema))],
  ['booleanSchemas', someTool(({ inputSchema }) => Object.values(inputSchema.properties ?? {}).some(isBoolean))],
  ['parameter-headers', someTool(({ inputSchema }) => JSON.stringify(inputSchema).includes('"x-mcp-header"'))],
  ['logging-level', capability('logging')],
  ['logging-messages', capability('logging')],
  ['resource-subscriptions', capability('resources.subscribe')],
  [
    'list-changes',
    ({ capabilities: { tools, resources, prompts } }) => [tools, resources, prompts].some((list) => list?.listChanged),
  ],
  ['resource-not-found', capability('resources')],
  ['tasks-capability', hasTasks],
  ['tasks-parameter', hasTasks],
  ['tasks-of-clients', hasTasks],
  ['tasks-created', hasTasks],
  ['tasks-only', hasTasks],
  ['tasks-methods', hasTasks],
  ['tasks-list', hasTasks],
  ['tasks-notices', hasTasks],
  ['tasks-progress', hasTasks],
  ['tasks-immediate', hasTasks],
  ['tasks-asked', never],
  ['tasks-results', hasTasks],
]);

/** Losses of a client of each revision through a bridge that speaks one revision to the server. */
export function throughBridge(server: Revision, offer: Offer): readonly ThroughBridge[] {
  const own = features.filter((feature) => isOffered(feature, offer));
  return revisions.toReversed().map((client) => ({
    client: client.date,
    server: server.date,
    losses: own.flatMap((feature) => lossOf(feature, feature.between(client, server), offer)),
  }));
}

function lossOf({ id, title, group }: Feature, fidelity: Fidelity, offer: Offer): readonly Loss[] {
  const [type = '', field] = id.split('.');
  const seen = field !== undefined && fieldOffered(type, field, offer) === true ? { seen: true as const } : {};
  switch (fidelity.kind) {
    case 'carried':
      return [];
    case 'changed':
      return [{ id, title, group, kind: 'changed', why: fidelity.how, ...seen }];
    case 'refused':
      return [{ id, title, group, kind: 'refused', why: fidelity.why, error: fidelity.error, ...seen }];
  }
}

function isOffered({ id, group }: Feature, offer: Offer): boolean {
  if (group === foreign) return false;
  const need = needs.get(id);
  if (need !== undefined) return need(offer);
  const [type = '', field] = id.split('.');
  if (field !== undefined) return fieldOffered(type, field, offer) ?? isCarried(type, offer);
  const specimen = specimens.get(id);
  return specimen === undefined ? isServed(id, offer) : isCarried(nameOf(specimen.type), offer);
}

/** Tells whether the server has what a type travels in. */
function isCarried(type: string, offer: Offer): boolean {
  const carrier = carrierOf(type);
  return carrier === undefined || isServed(carrier.method, offer);
}

/** Tells whether the server has a method; what it asks of its client, it says nowhere before it does. */
function isServed(method: string, offer: Offer): boolean {
  const row = methodOf(method);
  if (row?.needs === undefined) return true;
  const ofClient = row.from === 'server' && row.kind === 'request';
  return ofClient || row.needs.startsWith('roots') || hasServerCapability(offer.capabilities, row.needs);
}

function isExperimentalAlone({ experimental = {}, extensions = {} }: ServerCapabilities): boolean {
  return Object.keys(experimental).some(
    (id) => isExtensionId(id) && id !== ownMethodsKey && !Object.hasOwn(extensions, id),
  );
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNoObject(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Array.isArray(value);
}
