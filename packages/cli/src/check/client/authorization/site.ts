/** A scenario that is open: a server of MCP, and its authorization servers, at ports of this machine. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson } from '../../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import { openHttpDoor, type DoorParts, type HttpDoor } from '../run/http-door.ts';
import { bodyOf, closed, comesFromHere, endResponse, flat } from '../http-parts.ts';
import type { JudgedClient } from '../run/judged-client.ts';
import type { ClientDocuments } from './documents.ts';
import { gateOf } from './gate.ts';
import { answerOfIssuer, issuerMetadata, type IssuerAnswer } from './issuer.ts';
import type { Scenario } from './scenarios.ts';
import { AuthorizationLog } from './authorization-log.ts';
import { wholeText } from '../../whole-text.ts';

/** Options of it. */
export interface SiteOptions {
  /** Port of the server of MCP, 0 for any. */
  readonly port: number;
  readonly revisions: readonly Revision[];
  /** Documents of the clients that come. */
  readonly documents: ClientDocuments;
  judged(): JudgedClient;
  progress(): void;
}

/** An open scenario. */
export interface OpenSite {
  readonly authorizationLog: AuthorizationLog;
  close(): Promise<void>;
}

/** Path of an issuer that only metadata of the wrong place name. */
const astrayPath = '/astray';

/** Opens it. */
export async function openSite(
  scenario: Scenario,
  { port, revisions, documents, judged, progress }: SiteOptions,
): Promise<OpenSite> {
  let authorizationLog: AuthorizationLog | undefined;
  const serving = [0, ...(scenario.hasSecond === true ? [1] : [])].map((at) =>
    openIssuer(async (request, response, origin) => {
      if (authorizationLog === undefined) return endResponse(response, 503);
      try {
        await serveIssuer({ request, response, origin, authorizationLog, at, progress });
      } catch (error) {
        // Who goes away while it is read is no failure.
        if (!request.destroyed) judged().failure ??= { error };
        throw error;
      }
    }),
  );
  const opened = await Promise.allSettled(serving);
  const issuers = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const closeIssuers = async (): Promise<void> => void (await Promise.all(issuers.map((one) => one.close())));
  const failure = opened.find((one) => one.status === 'rejected');
  if (failure !== undefined) {
    await closeIssuers();
    throw failure.reason;
  }
  // A client of the first revision has its authorization server where the server of MCP is.
  const made = (resource: string): AuthorizationLog =>
    new AuthorizationLog(
      scenario,
      resource,
      scenario.metadata === 'none'
        ? [new URL(resource).origin]
        : issuers.map(({ origin }) => origin + scenario.issuer.path),
      documents,
    );
  const door = await openDoor(port, revisions, closeIssuers, {
    judged,
    gate(origin) {
      authorizationLog = made(`${origin}/mcp`);
      const astray = `${issuers[0]?.origin ?? origin}${astrayPath}`;
      const gate = gateOf(authorizationLog, astray, revisions, progress);
      const own = authorizationLog;
      if (scenario.metadata !== 'none') return gate;
      return {
        ...gate,
        serve: async (request, response) => {
          const { pathname } = new URL(request.url ?? '/', origin);
          if (!['/authorize', '/token', '/register'].includes(pathname)) return false;
          await serveIssuer({ request, response, origin, authorizationLog: own, at: 0, progress });
          return true;
        },
      };
    },
  });
  const close = async (): Promise<void> => {
    await Promise.all([door.close(), closeIssuers()]);
  };
  // The door made it when it opened.
  return { authorizationLog: authorizationLog ?? made(`${door.origin}/mcp`), close };
}

/** Opens the door of a scenario. @param give Closes what was opened before, where it cannot be. */
async function openDoor(
  port: number,
  revisions: readonly Revision[],
  give: () => Promise<void>,
  parts: DoorParts,
): Promise<HttpDoor> {
  try {
    return await openHttpDoor(port, revisions, parts);
  } catch (error) {
    await give();
    throw error;
  }
}

interface OpenIssuer {
  readonly origin: string;
  close(): Promise<void>;
}

async function openIssuer(
  serve: (request: IncomingMessage, response: ServerResponse, origin: string) => Promise<void>,
): Promise<OpenIssuer> {
  let origin = '';
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    serve(request, response, origin).catch(() => response.destroy());
  });
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has the address of one.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, close: () => closed(server) };
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly origin: string;
  readonly authorizationLog: AuthorizationLog;
  /** Number of the issuer. */
  readonly at: number;
  progress(): void;
}

async function serveIssuer({ request, response, origin, authorizationLog, at, progress }: Visit): Promise<void> {
  if (!comesFromHere(request, { anyOrigin: true })) return endResponse(response, 403);
  const { method = '' } = request;
  const url = new URL(request.url ?? '/', origin);
  const body = method === 'POST' ? (await bodyOf(request))?.text : '';
  if (body === undefined) return endResponse(response, 413, undefined, { connection: 'close' });
  const fields = fieldsOf(url, request.headers['content-type'], body);
  const issuer = authorizationLog.issuers[at] ?? origin;
  const headers = flat(request.headers);
  const answer =
    metadataAnswer(url, issuer, authorizationLog) ??
    answerOfIssuer(
      issuer,
      {
        method,
        path: url.pathname.slice(new URL(issuer).pathname.replace(/\/$/, '').length),
        fields,
        headers,
      },
      authorizationLog,
    );
  const came = answer.location ?? (answer.body === undefined ? '' : JSON.stringify(answer.body));
  authorizationLog.add(
    { place: answer.place, method, url, headers, fields, issuer, status: answer.status, came },
    body.length,
  );
  if (answer.place === 'authorize' && authorizationLog.scenario.takesDocuments === true)
    authorizationLog.documents.look(wholeText(fields['client_id']));
  progress();
  const { status, location } = answer;
  endResponse(response, status, answer.body, { ...answer.headers, ...(location !== undefined && { location }) });
}

/** Metadata at the place where the scenario has them, and nothing at the other places where one looks. */
function metadataAnswer({ pathname }: URL, issuer: string, { scenario }: AuthorizationLog): IssuerAnswer | undefined {
  if (pathname.includes(astrayPath)) return { place: 'astray', status: 404 };
  if (!pathname.includes('/.well-known/')) return undefined;
  const { path, at } = scenario.issuer;
  const right =
    at === 'oauth'
      ? `/.well-known/oauth-authorization-server${path}`
      : at === 'openid'
        ? `/.well-known/openid-configuration${path}`
        : `${path}/.well-known/openid-configuration`;
  const isThere = at !== 'none' && pathname === right;
  return isThere
    ? { place: 'server-metadata', status: 200, body: issuerMetadata(issuer, scenario) }
    : { place: 'server-metadata', status: 404 };
}

/** Parameters of a request: of its URL, its form or its JSON. */
function fieldsOf(url: URL, type: string | undefined, body: string): Readonly<Record<string, unknown>> {
  if (type?.includes('json') === true) {
    try {
      const value: unknown = parseJson(body);
      return isObject(value) ? value : {};
    } catch {
      // Nothing of it can be read.
      return {};
    }
  }
  return { ...Object.fromEntries(url.searchParams), ...Object.fromEntries(new URLSearchParams(body)) };
}
