/** Metadata that a protected resource publishes. (RFC 9728, sections 2 and 3; spec 2025-11-25, Authorization Server Discovery.) */

import { resourceMetadataPath, serverMetadataUrls } from '../common/well-known.ts';
import type { RequestHandler } from '../../server/runtime/request-handler.ts';
import type { HttpRequest, HttpRefusal } from '../../server/runtime/protection.ts';
import type { Issuer } from './issuer.ts';
import type { ProtectSettings } from './options.ts';

/** The answer to a request for metadata; `undefined` for any other. */
export type MetadataAnswers = (
  request: Pick<HttpRequest, 'method' | 'path' | 'header'>,
) => Promise<HttpRefusal> | undefined;

/** Makes what answers them for one server. */
export function metadataAnswers(
  settings: ProtectSettings,
  endpoint: RequestHandler,
  issuers: readonly Issuer[],
): MetadataAnswers {
  const { resource, metadataAtRoot } = settings;
  const body = JSON.stringify(resourceMetadata(settings));
  const own = new Set([
    resourceMetadataPath(resource.pathname),
    ...(metadataAtRoot ? [resourceMetadataPath('/')] : []),
  ]);
  const mirrored = mirroredIssuer(settings, endpoint, issuers);
  return (request) => {
    const { path } = request;
    const isMirror = mirrored !== undefined && path === serverMetadataPath;
    if (!isMirror && !own.has(path)) return undefined;
    return answered(request, isMirror ? mirror(mirrored, settings) : answer(body));
  };
}

async function answered(
  request: Pick<HttpRequest, 'method' | 'header'>,
  found: HttpRefusal | Promise<HttpRefusal>,
): Promise<HttpRefusal> {
  const { method } = request;
  if (method === 'OPTIONS') return preflight(request);
  if (method === 'GET' || method === 'HEAD') return sent(method, await found);
  return { status: 405, headers: { ...open, Allow: 'GET, HEAD, OPTIONS' } };
}

const serverMetadataPath = '/.well-known/oauth-authorization-server';

/** Any page may read it: it holds nothing that is not for everybody. */
const open = { 'Access-Control-Allow-Origin': '*' };

function resourceMetadata(settings: ProtectSettings): object {
  const { dpop, scopes, metadata } = settings;
  // Spec 2026-07-28, Authorization, Refresh tokens: offline_access does not belong to a resource's scopes.
  const advertised = scopes.filter((scope) => scope !== 'offline_access');
  return {
    ...metadata,
    resource: settings.resourceText,
    authorization_servers: settings.authorizationServers,
    ...(advertised.length === 0 ? {} : { scopes_supported: advertised }),
    bearer_methods_supported: ['header'],
    ...(dpop === undefined ? {} : { dpop_signing_alg_values_supported: dpop.algorithms }),
    ...(dpop?.required === true ? { dpop_bound_access_tokens_required: true } : {}),
  };
}

/**
 * The issuer whose metadata clients look for at this origin. (Spec 2025-03-26, Authorization, Server Metadata
 * Discovery.)
 */
function mirroredIssuer(
  { mirrorMetadata, resource }: ProtectSettings,
  endpoint: RequestHandler,
  issuers: readonly Issuer[],
): Issuer | undefined {
  const [issuer, ...others] = issuers;
  if (issuer === undefined || mirrorMetadata === false) return undefined;
  if (mirrorMetadata === true) return issuer;
  const knowsNoOther = endpoint.revisions.some((revision) => revision.http === 'session' && !revision.resourceMetadata);
  const livesHere = serverMetadataUrls(issuer.settings.issuer)[0] === `${resource.origin}${serverMetadataPath}`;
  return knowsNoOther && !livesHere && others.length === 0 ? issuer : undefined;
}

async function mirror(issuer: Issuer, { onError }: ProtectSettings): Promise<HttpRefusal> {
  try {
    const { document } = await issuer.metadata.get();
    return answer(JSON.stringify(document));
  } catch (cause) {
    onError(cause);
    return { status: 503, headers: { ...open, 'Retry-After': '5' } };
  }
}

function answer(body: string): HttpRefusal {
  return { status: 200, headers: { ...open, 'Cache-Control': 'public, max-age=3600' }, body };
}

/** Makes the answer to a HEAD: the headers of a GET without its body. */
function sent(method: string, { body, headers, ...rest }: HttpRefusal): HttpRefusal {
  if (method !== 'HEAD' || body === undefined)
    return { ...rest, ...(headers && { headers }), ...(body === undefined ? {} : { body }) };
  const length = String(new TextEncoder().encode(body).byteLength);
  return { ...rest, headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': length } };
}

/** Clients of 2025-03-26 send a header with it that pages must ask for. */
function preflight(request: Pick<HttpRequest, 'header'>): HttpRefusal {
  const asked = request.header('access-control-request-headers') ?? '';
  const names = /^[\w!#$%&'*+\-.^`|~, ]{0,1024}$/.test(asked) ? asked : '';
  return {
    status: 204,
    headers: {
      ...open,
      'Access-Control-Allow-Methods': 'GET, HEAD',
      'Access-Control-Max-Age': '3600',
      ...(names === '' ? {} : { 'Access-Control-Allow-Headers': names }),
    },
  };
}
