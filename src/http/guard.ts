import type { HttpSettings } from './options.ts';
import type { HttpReply, HttpRequest } from './shape.ts';
import type { Problem } from './status.ts';

/**
 * The checks that come before anything else, on every entry: they keep pages of other sites, and names that were
 * rebound to this machine, away from the server. (Spec, Transports: Security warning.)
 */
export interface Guard {
  /** The reason to turn a request away, or `undefined`. */
  refuse(request: HttpRequest): Problem | undefined;
  /** Adds the CORS headers that an allowed page needs; does nothing for a request that no page sent. */
  allowOrigin(request: HttpRequest, reply: HttpReply): void;
  /** Answers a CORS preflight. */
  preflight(request: HttpRequest, reply: HttpReply, methods: readonly string[]): void;
}

const hostSyntax = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?\.?)(?::\d{1,5})?$/;
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const loopbackOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Builds the guard of one set of options. */
export function createGuard(settings: HttpSettings): Guard {
  const hosts = listed(settings.allowedHosts);
  const origins = listed(settings.allowedOrigins);
  return {
    refuse: (request) =>
      headerProblem(request, settings.maxHeaders) ?? hostProblem(request, hosts) ?? originProblem(request, origins),
    allowOrigin: (request, reply) => {
      const origin = request.header('origin');
      if (origin === undefined) return;
      reply.setHeader('Access-Control-Allow-Origin', origin);
      reply.setHeader(
        'Access-Control-Expose-Headers',
        'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After',
      );
      reply.setHeader('Vary', 'Origin');
    },
    preflight: (request, reply, methods) => {
      reply.setHeader('Allow', methods.join(', '));
      if (request.header('origin') === undefined) return reply.send(204);
      reply.setHeader('Access-Control-Allow-Methods', methods.join(', '));
      reply.setHeader('Access-Control-Allow-Headers', allowedHeaders(request));
      reply.setHeader('Access-Control-Max-Age', '600');
      reply.send(204);
    },
  };
}

/** The header names that a page may send; `Mcp-Param-*` are known only to the page, so what it asks for is repeated. */
function allowedHeaders(request: HttpRequest): string {
  const fixed =
    'Content-Type, Accept, Authorization, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
  const asked = request.header('access-control-request-headers')?.split(',') ?? [];
  const custom = asked
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name));
  return [fixed, ...custom].join(', ');
}

/** What may stand in a header, in lower case, or `undefined` when everything may. */
function listed(names: readonly string[] | 'any'): ReadonlySet<string> | undefined {
  return names === 'any' ? undefined : new Set(names.map((name) => name.toLowerCase().replace(/\/$/, '')));
}

function headerProblem(request: HttpRequest, limit: number): Problem | undefined {
  return request.headerCount > limit ? { status: 431, message: `more than ${limit} header fields` } : undefined;
}

function hostProblem(request: HttpRequest, allowed: ReadonlySet<string> | undefined): Problem | undefined {
  const host = request.header('host')?.toLowerCase();
  if (host === undefined || host === '') return { status: 400, message: 'the Host header is missing' };
  if (loopbackHost.test(host)) return undefined;
  const name = hostSyntax.exec(host)?.[1];
  if (name === undefined) return { status: 400, message: 'the Host header is malformed' };
  if (allowed === undefined || allowed.has(host) || allowed.has(name)) return undefined;
  return { status: 403, message: 'this Host is not allowed' };
}

function originProblem(request: HttpRequest, allowed: ReadonlySet<string> | undefined): Problem | undefined {
  const origin = request.header('origin')?.toLowerCase();
  if (origin === undefined || allowed === undefined || loopbackOrigin.test(origin) || allowed.has(origin))
    return undefined;
  return { status: 403, message: 'this Origin is not allowed' };
}
