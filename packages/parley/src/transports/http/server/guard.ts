import type { HttpSettings } from './exchanges/options.ts';
import type { HttpReply, IncomingRequest } from './exchanges/universal.ts';
import type { HttpProblem } from './exchanges/status.ts';

/**
 * The first checks on every entry. They protect the server from pages of other sites, and from names that were rebound
 * to this machine. (Spec, Transports: Security warning.)
 */
export interface Guard {
  /** The reason to reject a request, or `undefined`. */
  refuse(request: IncomingRequest): HttpProblem | undefined;
  /** Adds the CORS headers that an allowed page needs; does nothing for a request that no page sent. */
  allowOrigin(request: IncomingRequest, reply: HttpReply): void;
  /** Answers a CORS preflight. */
  preflight(request: IncomingRequest, reply: HttpReply, methods: readonly string[]): void;
}

const hostSyntax = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?\.?)(?::\d{1,5})?$/;
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const loopbackOrigin = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/** Builds the guard of one set of options. */
export function createGuard(settings: HttpSettings): Guard {
  const hosts = listed(settings.allowedHosts);
  const origins = listed(settings.allowedOrigins);
  const tellOwner = tellOnce(settings);
  return {
    refuse: (request) => {
      const problem =
        headerProblem(request, settings.maxHeaders) ?? hostProblem(request, hosts) ?? originProblem(request, origins);
      if (problem?.status === 403) tellOwner(request, problem);
      return problem;
    },
    allowOrigin: (request, reply) => {
      const origin = request.header('origin');
      if (origin === undefined) return;
      reply.setHeader('Access-Control-Allow-Origin', origin);
      reply.setHeader(
        'Access-Control-Expose-Headers',
        'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, DPoP-Nonce',
      );
      reply.setHeader('Vary', 'Origin');
    },
    preflight: (request, reply, methods) => {
      reply.setHeader('Allow', methods.join(', '));
      if (request.header('origin') === undefined) return reply.send(204);
      reply.setHeader('Access-Control-Allow-Methods', methods.join(', '));
      reply.setHeader('Access-Control-Allow-Headers', allowedHeaders(request, settings.allowedHeaders));
      reply.setHeader('Access-Control-Max-Age', '600');
      reply.send(204);
    },
  };
}

/** Limit of reported names: any client that reaches a server can make them up. */
const maxTold = 10;

/**
 * Reports at the server which name was rejected, each once. The person who sees the client's 403 is often not the
 * owner.
 */
function tellOnce({ onWarning }: HttpSettings): (request: IncomingRequest, problem: HttpProblem) => void {
  const told = new Set<string>();
  return (request, { option }) => {
    if (option === undefined) return;
    const value = request.header(option === 'allowedHosts' ? 'host' : 'origin') ?? '';
    // A name from a request must not write control characters to a terminal.
    const shown = /^[\x21-\x26\x28-\x7e]{1,253}$/.test(value) ? value : undefined;
    if (shown === undefined || told.has(shown) || told.size >= maxTold) return;
    told.add(shown);
    const kind = option === 'allowedHosts' ? 'for the Host' : 'of the Origin';
    onWarning(
      `a request ${kind} ${shown} was refused with 403; if that is meant to work, serve with ${option}: ['${shown}']`,
    );
  };
}

/**
 * The header names that a page may send. Only the page knows its `Mcp-Param-*` names, so the answer repeats the
 * requested ones.
 */
function allowedHeaders(request: IncomingRequest, own: readonly string[]): string {
  const fixed =
    'Content-Type, Accept, Authorization, DPoP, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
  const asked = request.header('access-control-request-headers')?.split(',') ?? [];
  const custom = asked
    .map((name) => name.trim().toLowerCase())
    .filter((name) => /^mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name));
  return [fixed, ...own, ...custom].join(', ');
}

/** Names that may stand in a header, in lower case, or `undefined` when everything may. */
function listed(names: readonly string[] | 'any'): ReadonlySet<string> | undefined {
  return names === 'any' ? undefined : new Set(names.map((name) => name.toLowerCase().replace(/\/$/, '')));
}

function headerProblem(request: IncomingRequest, limit: number): HttpProblem | undefined {
  return request.headerCount > limit ? { status: 431, message: `more than ${limit} header fields` } : undefined;
}

function hostProblem(request: IncomingRequest, allowed: ReadonlySet<string> | undefined): HttpProblem | undefined {
  const host = request.header('host')?.toLowerCase();
  if (host === undefined || host === '') return { status: 400, message: 'the Host header is missing' };
  if (loopbackHost.test(host)) return undefined;
  const name = hostSyntax.exec(host)?.[1];
  if (name === undefined) return { status: 400, message: 'the Host header is malformed' };
  if (allowed === undefined || allowed.has(host) || allowed.has(name)) return undefined;
  return { status: 403, message: 'this Host is not allowed', option: 'allowedHosts' };
}

function originProblem(request: IncomingRequest, allowed: ReadonlySet<string> | undefined): HttpProblem | undefined {
  const origin = request.header('origin')?.toLowerCase();
  if (origin === undefined || allowed === undefined || loopbackOrigin.test(origin) || allowed.has(origin))
    return undefined;
  return { status: 403, message: 'this Origin is not allowed', option: 'allowedOrigins' };
}
