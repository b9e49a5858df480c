/** Metadata documents of clients, which an authorization server looks at whose id is a URL. */

import type { Fetch } from '../../../../../parley/src/jsonrpc/fetch.ts';
import { fetchDocument } from '../../../../../parley/src/auth/common/document.ts';
import { networkRules } from '../../../../../parley/src/auth/common/network.ts';

/** Limit of the documents that are fetched in a run. */
const maxDocuments = 5;

/** A fetched document: its value, `undefined` if it is not JSON, and the status. */
export interface FoundClientDocument {
  readonly value: unknown;
  readonly status: number;
  /** True where there came a page for persons: a network that wants them to sign in puts its own before whatever is asked for. */
  readonly isPage: boolean;
}

/** Documents of one run, each fetched once. */
export class ClientDocuments {
  readonly #fetch: Fetch | undefined;
  readonly #found = new Map<string, FoundClientDocument | undefined>();
  readonly #under = new Set<Promise<void>>();
  readonly #signal: AbortSignal;

  /** @param fetch Left out where nothing is fetched. @param signal Ends what is on its way. */
  constructor(fetch?: Fetch, signal: AbortSignal = new AbortController().signal) {
    this.#fetch = fetch;
    this.#signal = signal;
  }

  /** Looks at one, in the way of an authorization server: by `https:` alone, and in no inner network. */
  look(url: string): void {
    const fetch = this.#fetch;
    if (fetch === undefined || !/^https:/i.test(url) || this.#found.has(url) || this.#found.size >= maxDocuments)
      return;
    this.#found.set(url, undefined);
    let isPage = false;
    const context = {
      fetch: async (...asked: Parameters<Fetch>) => {
        const response = await fetch(...asked);
        isPage = /^\s*(text\/html|application\/xhtml\+xml)/i.test(response.headers.get('content-type') ?? '');
        return response;
      },
      rules: networkRules(new URL('https://invalid.invalid')),
      signal: this.#signal,
    };
    const one = fetchDocument(url, 'the metadata document', context)
      .then(
        ({ value, status }) => void this.#found.set(url, { value, status, isPage }),
        // A document that cannot be fetched from here proves nothing.
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
