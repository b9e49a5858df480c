/** Offer of a server, and what a bridge makes of it for clients of other revisions. */

import type { ServerCapabilities } from '../../../parley/src/protocol/capability.ts';
import type { OwnMethod } from '../../../parley/src/protocol/extension.ts';
import type { Implementation } from '../../../parley/src/protocol/features/common.ts';
import type { Prompt } from '../../../parley/src/protocol/features/prompts.ts';
import type { Resource, ResourceTemplate } from '../../../parley/src/protocol/features/resource.ts';
import type { RevisionDate } from '../../../parley/src/protocol/revision.ts';
import type { Tool } from '../../../parley/src/protocol/features/tool.ts';

/** Offer of a server. */
export interface Offer {
  /** The revision in which it was asked. */
  readonly revision: RevisionDate;
  readonly server?: Implementation;
  readonly instructions?: string;
  readonly capabilities: ServerCapabilities;
  /** Features that the server lists, though its capabilities do not name them. */
  readonly undeclared?: readonly ('tools' | 'resources' | 'prompts')[];
  /** Only of what the capabilities name, or `undeclared` does. */
  readonly tools?: Listed<Tool>;
  readonly resources?: Listed<Resource>;
  readonly resourceTemplates?: Listed<ResourceTemplate>;
  readonly prompts?: Listed<Prompt>;
  /** The methods of its own that the server names among its experimental capabilities, under `parley-mcp/methods`. */
  readonly methods?: readonly OwnMethod[];
}

/** The beginning of a list. */
export interface Listed<Item> {
  readonly items: readonly Item[];
  /** True when the list goes on: no more than 20 pages and 1000 items are asked for. */
  readonly more: boolean;
  /** Reason why no list came, or why it broke off. */
  readonly error?: string;
  /** Malformed entries that are left out, by name and with the reason; the first 20. */
  readonly malformed?: readonly string[];
}

/** Experience of a client of one revision through a bridge in front of the server. */
export interface ThroughBridge {
  readonly client: RevisionDate;
  /** The revision that the bridge speaks to the server. */
  readonly server: RevisionDate;
  /**
   * Features that are not simply carried, of those that the server has, or may have; empty means that it gets
   * everything. What belongs to each connection by itself (its revision, ping, …) is left out.
   */
  readonly losses: readonly Loss[];
}

/** A feature that a bridge carries with a change, or refuses. */
export interface Loss {
  /** The feature, as `docs/fidelity.md` names it. */
  readonly id: string;
  readonly title: string;
  /** The part of that table that it stands in. */
  readonly group: string;
  readonly kind: 'changed' | 'refused';
  /** Way in which it is changed, or reason why it is refused. */
  readonly why: string;
  /** The name of the error that is answered where it is refused. */
  readonly error?: string;
  /** Set where the lists of the server show that it uses it; of most features, no list tells. */
  readonly seen?: true;
}
