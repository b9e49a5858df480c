/** The part of `oidc-provider` that the tests use; the package has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

  export interface ResourceServer {
    readonly scope: string;
    readonly audience: string;
    readonly accessTokenFormat: 'jwt' | 'opaque';
    readonly accessTokenTTL: number;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    on(
      event: 'grant.success' | 'grant.error',
      listener: (
        context: { readonly oidc: { readonly params?: Readonly<Record<string, unknown>> } },
        error?: Error,
      ) => void,
    ): this;
  }
}
