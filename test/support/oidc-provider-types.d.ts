/** As much of oidc-provider, which comes without types, as the tests use. */

declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface ProviderContext {
    readonly oidc: {
      readonly params?: Readonly<Record<string, unknown>>;
      readonly client?: { readonly clientId: string };
    };
    readonly body?: unknown;
  }

  export interface ProviderHttpContext {
    readonly path: string;
    readonly status: number;
    body: unknown;
  }

  export default class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    use(middleware: (context: ProviderHttpContext, next: () => Promise<void>) => Promise<void>): this;
    on(event: string, listener: (...args: never[]) => void): this;
  }
}
