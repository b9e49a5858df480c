/** A stream of changes that a client has open. */

import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { metaKey } from '../../../../parley/src/protocol/meta.ts';

/** A stream of changes that is open. */
export class OpenSubscription {
  readonly #tell: (method: string, params: JsonObject) => void;
  readonly #meta: JsonObject;
  #resolve: () => void = () => undefined;
  /** Topics that were granted. */
  readonly granted: JsonObject;
  /** Resolves when the server ends it. */
  readonly over: Promise<void>;
  /** True where it was broken off, and not ended in good order. */
  isBroken = false;

  constructor(id: unknown, granted: JsonObject, tell: (method: string, params: JsonObject) => void) {
    this.#tell = tell;
    this.#meta = metaOfStream(id);
    this.granted = granted;
    this.over = new Promise((resolve) => (this.#resolve = resolve));
  }

  /** Says that it is open. */
  acknowledge(): void {
    this.#tell('notifications/subscriptions/acknowledged', { _meta: this.#meta, notifications: this.granted });
  }

  /** Tells what it is about of what changed: the list of tools, and each resource. */
  change(): void {
    const { toolsListChanged, resourceSubscriptions: uris } = this.granted;
    if (toolsListChanged === true) this.#tell('notifications/tools/list_changed', { _meta: this.#meta });
    for (const uri of Array.isArray(uris) ? uris : [])
      this.#tell('notifications/resources/updated', { _meta: this.#meta, uri });
  }

  /** Ends it. @param isBroken True where that is a break. */
  end(isBroken: boolean): void {
    this.isBroken = isBroken;
    this.#resolve();
  }
}

export function metaOfStream(id: unknown): JsonObject {
  return { [metaKey.subscriptionId]: id };
}
