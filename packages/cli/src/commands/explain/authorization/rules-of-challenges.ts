import { scopesOf } from '../../../../../parley/src/auth/common/scopes.ts';
import type { Findings } from './findings.ts';
import type { ExplainedRefusal } from './report.ts';
import { cited, type PublishedRule } from './rule.ts';

type RefusalChallenge = ExplainedRefusal['challenges'][number];

const schemes: ReadonlySet<string> = new Set(['bearer', 'dpop']);

/** The challenges that OAuth clients answer. */
function oauthChallenges({ challenges }: ExplainedRefusal): readonly RefusalChallenge[] {
  return challenges.filter(({ scheme }) => schemes.has(scheme));
}

/** Each 401, or each other status, with its challenges. */
function refusalsWith(status: number, { refusals }: Findings): readonly ExplainedRefusal[] {
  return refusals.filter((refusal) => refusal.status === status);
}

const names = (challenge: RefusalChallenge, parameter: string): boolean =>
  challenge.parameters[parameter] !== undefined;

/** Rules of the answers by which a server says that authorization is wanted. */
export const challengeRules: readonly PublishedRule[] = [
  {
    id: 'challenge-missing',
    stops: false,
    client: 'looks at the well-known URLs by itself; before 2025-11-25 it need not, and gives up',
    source: 'RFC 9110, section 15.5.2; spec 2025-11-25, Authorization, Error Handling',
    test: (findings) =>
      refusalsWith(401, findings).flatMap(({ header }) =>
        header === undefined ? ['a 401 has no WWW-Authenticate'] : [],
      ),
  },
  {
    id: 'challenge-unreadable',
    stops: false,
    client: 'reads what it can, and otherwise tries the well-known URLs',
    source: 'RFC 9110, section 11.6.1',
    test: ({ refusals }) =>
      refusals.flatMap(({ header, challenges }) =>
        header === undefined || challenges.length > 0 ? [] : [`no challenge can be read of: ${cited(header)}`],
      ),
  },
  {
    id: 'challenge-not-oauth',
    stops: true,
    client: 'knows no other schemes, and says which are wanted; --header can hold such credentials',
    source: 'RFC 6750, section 3; RFC 9449, section 7.1',
    test: (findings) =>
      refusalsWith(401, findings).flatMap((refusal) => {
        const others = refusal.challenges.map(({ scheme }) => scheme).join(', ');
        return others === '' || oauthChallenges(refusal).length > 0
          ? []
          : [`the challenges are of ${cited(others)}, and none is Bearer or DPoP`];
      }),
  },
  {
    id: 'resource-metadata-nowhere',
    stops: false,
    client: 'looks at the root of the origin, as before 2025-06-18; where nothing is there, it gives up',
    source: 'spec 2025-11-25, Authorization, Protected Resource Metadata Discovery Requirements',
    test: ({ resource: { named, document } }) =>
      named === undefined && document === undefined
        ? ['no challenge names resource_metadata, and none are at the well-known URLs']
        : [],
  },
  {
    id: 'resource-metadata-unnamed',
    stops: false,
    client: 'looks at the well-known URLs by itself; before 2025-11-25 it need not, and gives up',
    source: 'spec 2025-06-18, Authorization, Authorization Server Location',
    test: (findings) =>
      findings.resource.document !== undefined &&
      findings.resource.named === undefined &&
      refusalsWith(401, findings).some((refusal) => oauthChallenges(refusal).length > 0)
        ? ['there are resource metadata, and the challenge has no resource_metadata that says where']
        : [],
  },
  {
    id: 'scope-unnamed',
    stops: false,
    client: 'asks for all of scopes_supported of the resource metadata, or for none',
    source: 'spec 2025-11-25, Authorization, Scope Selection Strategy',
    test: (findings) =>
      refusalsWith(401, findings).some(
        (refusal) =>
          oauthChallenges(refusal).length > 0 && !oauthChallenges(refusal).some((one) => names(one, 'scope')),
      )
        ? ['the challenge of a 401 has no scope']
        : [],
  },
  {
    id: 'missing-scope-unnamed',
    stops: true,
    client: 'does not know what to ask for, and gives the request up',
    source: 'spec 2025-11-25, Authorization, Runtime Insufficient Scope Errors; RFC 6750, section 3.1',
    test: (findings) =>
      refusalsWith(403, findings).some(
        (refusal) =>
          oauthChallenges(refusal).length > 0 && !oauthChallenges(refusal).some((one) => names(one, 'scope')),
      )
        ? ['the challenge of a 403 has no scope']
        : [],
  },
  {
    id: 'forbidden-without-token',
    stops: true,
    client: 'takes a 403 without a challenge for final, and never signs in',
    source: 'spec 2025-11-25, Authorization, Error Handling',
    test: (findings) =>
      refusalsWith(403, findings).some(({ withCredentials, header }) => !withCredentials && header === undefined)
        ? ['a request without a token is answered with 403, and not with 401']
        : [],
  },
  {
    id: 'error-without-token',
    stops: false,
    client: 'ignores it, and signs in',
    source: 'RFC 6750, section 3.1',
    test: (findings) =>
      refusalsWith(401, findings).flatMap((refusal) =>
        oauthChallenges(refusal).flatMap(({ parameters: { error } }) =>
          error === undefined || refusal.withCredentials
            ? []
            : [`a request without a token gets error="${cited(error)}"`],
        ),
      ),
  },
  {
    id: 'error-missing',
    stops: false,
    client: 'takes the token for one that is no longer good',
    source: 'RFC 6750, section 3',
    test: (findings) =>
      refusalsWith(401, findings).some(
        (refusal) =>
          refusal.withCredentials &&
          oauthChallenges(refusal).length > 0 &&
          !oauthChallenges(refusal).some((one) => names(one, 'error')),
      )
        ? ['the credentials of the request are refused without an error, such as invalid_token']
        : [],
  },
  {
    id: 'offline-access-challenged',
    stops: false,
    client: 'asks for it where its authorization server knows it, and never counts it as missing',
    source: 'spec 2026-07-28, Authorization, Refresh Tokens',
    test: ({ refusals }) =>
      refusals.some((refusal) =>
        oauthChallenges(refusal).some(({ parameters: { scope } }) => scopesOf(scope).includes('offline_access')),
      )
        ? ['the scope of the challenge has offline_access, which is between client and authorization server']
        : [],
  },
];
