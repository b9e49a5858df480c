/** Capabilities that either side may declare of itself in a revision. */

import {
  clientCapabilitiesShape,
  serverCapabilitiesShape,
  type ClientCapabilities,
  type ServerCapabilities,
} from '../capability.ts';
import type { Revision } from '../revision.ts';
import { toWire } from './to-wire.ts';

/** Capabilities that a client may declare in a revision: everything that the revision does not have is left out. */
export function projectClientCapabilities(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  // Projection only takes fields away from what was an object of this type.
  return toWire(revision, clientCapabilitiesShape, capabilities) as ClientCapabilities;
}

/** Capabilities that a server may declare in a revision: everything that the revision does not have is left out. */
export function projectServerCapabilities(revision: Revision, capabilities: ServerCapabilities): ServerCapabilities {
  // As above.
  return toWire(revision, serverCapabilitiesShape, capabilities) as ServerCapabilities;
}
