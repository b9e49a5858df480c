/** Metadata documents of clients, which an authorization server looks at whose id is a URL. */

import { fetchDocument, type AuthorizationFetch } from '../../../auth/document.ts';
import { networkRules } from '../../../auth/network.ts';

/** Limit of the documents that are fetched in a run. */
const mostDocuments = 5;

/** Document as it was found: its value, `undefined` where there is no JSON, and the status. */
export interface FoundClientDocument {
  readonly value: unknown;
  readonly status: number;
}

/** Documents of one run, each fetched once. */
export class ClientDocuments {
  readonly #fetch: AuthorizationFetch | undefined;
  readonly #found = new Map<string, FoundClientDocument | undefined>();
  readonly #under = new Set<Promise<void>>();

  /** @param fetch Left out where nothing is fetched. */
  constructor(fetch?: AuthorizationFetch) {
    this.#fetch = fetch;
  }

  /** Looks at one, in the way of an authorization server: by `https:` alone, and in no inner network. */
  look(url: string): void {
    const fetch = this.#fetch;
    if (fetch === undefined || !/^https:/i.test(url) || this.#found.has(url) || this.#found.size >= mostDocuments)
      return;
    this.#found.set(url, undefined);
    const context = {
      fetch,
      rules: networkRules(new URL('https://invalid.invalid')),
      signal: new AbortController().signal,
    };
    const one = fetchDocument(url, 'the metadata document', context)
      .then(
        ({ value, status }) => void this.#found.set(url, { value, status }),
        // What cannot be reached from here says nothing of it.
        () => undefined,
      )
      .finally(() => this.#under.delete(one));
    this.#under.add(one);
  }

  /** The document of an id; `undefined` where it was not looked at, or could not be. */
  of(id: unknown): FoundClientDocument | undefined {
    return typeof id === 'string' ? this.#found.get(id) : undefined;
  }

  /** Resolves when none is on its way. */
  async settled(): Promise<void> {
    await Promise.all(this.#under);
  }
}
