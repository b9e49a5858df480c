/** Requirements that a server breaks by its refusals and by the metadata of its resource, as far as one answer says so. */

import { bearerIn } from '../../check/harness/guard.ts';
import { rowOf } from '../../check/register.ts';
import { challengesLasting, knowsLasting, lacksParts, lacksPlace } from '../../check/rules/http/authorization-said.ts';
import { jsonIn } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { newestRevision, revisionOf } from '../../../../parley/src/protocol/revision.ts';
import type { RecordingEntry } from '../../recorder/entry.ts';

/** Size limit of a checked document, in characters. */
const largest = 262_144;

/** The place of such metadata. (RFC 9728, section 3.) */
const metadataPath = '/.well-known/oauth-protected-resource';

/**
 * Finds the requirements that an answer violates. A server with such metadata is checked by the revision of the
 * request, or by the newest. It does not throw.
 *
 * @param request The request that it answers.
 */
export function authorizationBroken(
  { from, lane, http, text, cut, revision: date }: RecordingEntry,
  request: RecordingEntry | undefined,
): readonly string[] {
  if (from !== 'server' || http?.status === undefined) return [];
  const asked = date ?? request?.revision;
  const revision = (asked === undefined ? undefined : revisionOf(asked)) ?? newestRevision;
  const url = request?.http?.url ?? '';
  // An authorization server refuses too, and says nothing of a resource.
  const isRefusal =
    http.status === 401 && (lane !== 'auth' || request?.http?.headers['accept'] === 'text/event-stream');
  const isMetadata = lane === 'auth' && URL.canParse(url) && new URL(url).pathname.startsWith(metadataPath);
  const reasons = isMetadata
    ? ofMetadata(http.status === 200 && cut === undefined ? text : undefined)
    : isRefusal
      ? ofRefusal(http.headers)
      : [];
  return reasons.filter(([id, why]) => why !== undefined && rowOf(id).lives(revision)).map(([id]) => id);
}

type Reason = readonly [id: string, why: string | undefined];

function ofRefusal(headers: Readonly<Record<string, string>>): readonly Reason[] {
  const challenge = bearerIn({ headers });
  return [
    ['auth-026', lacksPlace(challenge)],
    ['auth-116', challengesLasting(challenge)],
  ];
}

function ofMetadata(text: string | undefined): readonly Reason[] {
  const document = text === undefined || text.length > largest ? undefined : jsonIn(text);
  if (!isObject(document)) return [];
  return [
    ['auth-024', lacksParts(document)],
    ['auth-116', knowsLasting(document)],
  ];
}
