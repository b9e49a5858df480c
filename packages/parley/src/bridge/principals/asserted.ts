/** The authorization of one principal's connections by assertions that are got in exchange for the caller's token. (ext-auth, Enterprise-Managed Authorization.) */

import type {
  Authorization,
  AuthorizationFields,
  AuthorizedAnswer,
  AuthorizedRequest,
  Authorizer,
  BoundServer,
} from '../../auth/common/authorizer.ts';
import { AuthorizationError } from '../../auth/common/errors.ts';
import type { AuthInfo } from '../../server/runtime/request-handler.ts';
import { enterpriseExtension, managedBy } from '../../auth/client/non-interactive/enterprise-managed.ts';
import type { MachineRequest } from '../../auth/client/non-interactive/machine.ts';
import { latestOf, senderOf, PerCaller, type Callers } from './callers.ts';
import type { EnterpriseUpstream, ExchangeUpstream } from './exchange-options.ts';

/** Way of one caller to be authorized, with its newest token. */
interface Way {
  latest: AuthInfo | undefined;
  readonly authorizer: Authorizer;
}

/** Makes the authorization of one principal at one upstream whose authorization server accepts assertions. */
export function asserted(
  enterprise: EnterpriseUpstream,
  { scopes }: ExchangeUpstream,
  callers: Callers,
): Authorization {
  let authorizer: Authorizer | undefined;
  return {
    extensions: enterpriseExtension,
    context: () => 'asserted',
    bind: (server) =>
      (authorizer ??= new AssertingAuthorizer(server, { ...enterprise, ...(scopes && { scopes }) }, callers)),
  };
}

class AssertingAuthorizer implements Authorizer {
  readonly #callers: Callers;
  readonly #ways: PerCaller<Way>;

  constructor(server: BoundServer, enterprise: EnterpriseUpstream, callers: Callers) {
    this.#callers = callers;
    this.#ways = new PerCaller(() => {
      const assertion = (about: MachineRequest): Promise<string> => assertionBy(way.latest, about);
      const way: Way = { latest: undefined, authorizer: managedBy(assertion, enterprise).bind(server) };
      return way;
    });
  }

  headers(request: AuthorizedRequest): AuthorizationFields | Promise<AuthorizationFields> {
    return this.#wayOf(request).headers(request);
  }

  answered(request: AuthorizedRequest, answer: AuthorizedAnswer): void {
    this.#wayOf(request).answered?.(request, answer);
  }

  async refused(request: AuthorizedRequest, answer: AuthorizedAnswer, sent: AuthorizationFields): Promise<boolean> {
    return await this.#wayOf(request).refused(request, answer, sent);
  }

  #wayOf(request: AuthorizedRequest): Authorizer {
    const caller = senderOf(request, this.#callers);
    const way = this.#ways.of(caller);
    way.latest = latestOf(way.latest, caller);
    return way.authorizer;
  }
}

async function assertionBy(caller: AuthInfo | undefined, { discovered, scopes }: MachineRequest): Promise<string> {
  if (caller?.exchange === undefined)
    throw new AuthorizationError(
      'login-required',
      'the token of this caller cannot be exchanged: protect has exchange',
    );
  const { server, resource } = discovered;
  const given = await caller.exchange({
    type: 'id-jag',
    audience: server.issuer,
    resource,
    fresh: true,
    ...(scopes.length === 0 ? {} : { scopes }),
  });
  return given.token;
}
