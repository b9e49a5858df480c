/** The lines of what a client asks of a server, and of what either says of itself. */

import { isServerCapability } from '../../../parley/src/protocol/capability.ts';
import { errorToWire, McpError, type ErrorName } from '../../../parley/src/protocol/error.ts';
import { mayAsk, methodOf, methodsWith } from '../../../parley/src/protocol/catalogue.ts';
import { newestRevision, type Revision } from '../../../parley/src/protocol/revision.ts';
import { taskFeatures } from './tasks.ts';
import { byFact, carried, changed, nothing, refused, type Feature, type Fidelity } from './cells.ts';

/** One line for each of these. */
export const servingFeatures: readonly Feature[] = [
  ...opening(),
  ...capabilities(),
  ...requests(),
  ...whatNobodyKnows(),
  ...errors(),
  ...taskFeatures,
];

function opening(): readonly Feature[] {
  const group = 'Opening';
  return [
    {
      id: 'protocol-version',
      title: 'The revision that is spoken',
      group,
      between: (client, server) =>
        client === server ? carried : changed('each side speaks its own revision, negotiated with the bridge'),
    },
    {
      id: 'server-info',
      title: 'Name and version of the server',
      group,
      between: byFact(({ serverNamed }) => serverNamed === 'each-result', {
        neither: carried,
        both: carried,
        server: changed('from `_meta` of the answer to `server/discover` into that to `initialize`'),
        client: changed('from the answer to `initialize` into `_meta` of every result'),
      }),
    },
    { id: 'instructions', title: 'Instructions', group, between: () => carried },
    {
      id: 'client-info',
      title: 'Name and version of the client',
      group,
      between: byFact(({ clientDescribed }) => clientDescribed === 'each-request', {
        neither: carried,
        both: carried,
        server: changed('from `initialize` into `_meta` of every request'),
        client: changed('the server gets the name of the bridge, whose sessions serve many clients'),
      }),
    },
    {
      id: 'ping',
      title: 'Ping',
      group,
      between: (client) =>
        mayAsk(client, 'ping')
          ? changed('the bridge answers it: each connection has its own ping')
          : refused('methodNotFound', "the client's revision has no ping"),
    },
  ];
}

function capabilities(): readonly Feature[] {
  const group = 'Opening';
  return [
    { id: 'server-capabilities', title: 'Capabilities of the server', group, between: () => carried },
    {
      id: 'completions-capability',
      title: 'The capability `completions`',
      group,
      between: (client, server) => {
        const [wants, has] = [client, server].map((revision) => isServerCapability(revision, 'completions'));
        if (wants === has) return wants ? carried : nothing('completion needs none there');
        return wants
          ? changed(
              'the bridge declares it if the server has prompts or resources: such a server may complete without a declaration',
            )
          : changed('left out; completion needs none there');
      },
    },
    {
      id: 'experimental-junk',
      title: 'Experimental capabilities that are not objects',
      group,
      between: () => changed('an empty object, since only its presence counts'),
    },
    {
      id: 'extensions-of-servers',
      title: 'Extensions that the server declares',
      group,
      between: () => carried,
    },
    { id: 'extensions-of-clients', title: 'Extensions that the client declares', group, between: () => carried },
    {
      id: 'experimental-extensions-of-servers',
      title: 'Extensions that the server declares only as experimental capabilities',
      group,
      between: (client, server) => movedBetween(server, client),
    },
    {
      id: 'experimental-extensions-of-clients',
      title: 'Extensions that the client declares only as experimental capabilities',
      group,
      between: (client, server) => movedBetween(client, server),
    },
  ];
}

/** Programs of some revisions declare extensions there; those of the others do not look there. */
function movedBetween(from: Revision, to: Revision): Fidelity {
  if (!from.experimentalExtensions) return nothing('the revision has them only in `extensions`');
  return to.experimentalExtensions ? carried : changed('declared in `extensions` too');
}

function requests(): readonly Feature[] {
  const group = 'Requests';
  return [
    ...methodsWith(({ carried: row }) => row !== undefined).map((method): Feature => ({
      id: method,
      title: methodOf(method)?.carried?.title ?? method,
      group,
      between: (client, server) =>
        mayAsk(client, method) && mayAsk(server, method)
          ? carried
          : refused('methodNotFound', 'not both revisions have it'),
    })),
    { id: 'pagination', title: 'Pages and their cursors', group, between: () => carried },
    { id: 'embedded-resources', title: 'Embedded resources, images and texts', group, between: () => carried },
    {
      id: 'caching-hints',
      title: '`ttlMs` and `cacheScope`',
      group,
      between: (client, server) => {
        if (client.cacheHints && !server.cacheHints) return changed('filled in: `ttlMs` 0, `cacheScope` private');
        if (!server.cacheHints) return nothing("the server's revision has none");
        return client.cacheHints ? carried : changed("left out; the client's revision has none");
      },
    },
    {
      id: 'result-type',
      title: '`resultType` of a complete result',
      group,
      between: byFact(({ resultTypes }) => resultTypes, {
        neither: nothing('neither revision has it'),
        both: carried,
        server: changed("left out; the client's revision has none"),
        client: changed('filled in: `complete`'),
      }),
    },
    {
      id: 'routing-headers',
      title: 'Method and name in `Mcp-Method` and `Mcp-Name` headers, over HTTP',
      group,
      between: (client, server) => mirrored(client, server, 'body'),
    },
    {
      id: 'parameter-headers',
      title: 'Arguments in `Mcp-Param-*` headers, over HTTP',
      group,
      between: (client, server) => mirrored(client, server, 'arguments'),
    },
    {
      id: 'batches',
      title: 'Batches',
      group,
      between: (client) =>
        client.batches
          ? changed('split: each message is sent alone, and the responses return in one batch')
          : refused('invalidRequest', `the client's revision has no batches${client.sessions ? noBatches : ''}`),
    },
  ];
}

const noBatches = '; a session over Streamable HTTP takes one, and warns';

function mirrored(client: Revision, server: Revision, what: string): Fidelity {
  const [wrote, reads] = [mirrors(client), mirrors(server)];
  if (wrote === reads) return wrote ? carried : nothing('neither revision has such headers');
  return reads
    ? changed(`written by the bridge, from the ${what}`)
    : changed("checked by the bridge, and left out; the server's revision has none");
}

function mirrors({ mirroredHeaders }: Revision): boolean {
  return mirroredHeaders;
}

function whatNobodyKnows(): readonly Feature[] {
  const group = 'Unknown fields and methods';
  const all = (id: string, title: string): Feature => ({ id, title, group, between: () => carried });
  return [
    all('unknown-fields', 'Unknown fields of requests and results'),
    {
      id: 'null-fields',
      title: 'Null in place of an optional field',
      group,
      between: () => changed('left out'),
    },
    {
      id: 'younger-fields',
      title: "Fields that are newer than the server's revision",
      group,
      between: (_, server) =>
        server === newestRevision
          ? nothing('no revision is newer')
          : changed('left out; they have no meaning in the negotiated revision'),
    },
    all('unknown-meta', 'Unknown keys of `_meta`'),
    all('unknown-content', 'Unknown kinds of content'),
    all('unknown-methods', 'Unknown methods'),
    all('unknown-notifications', 'Unknown notifications, in both directions'),
  ];
}

function errors(): readonly Feature[] {
  const group = 'Errors';
  const all = (id: string, title: string): Feature => ({ id, title, group, between: () => carried });
  return [
    all('tool-errors', 'Results of tools with `isError`'),
    all('unknown-tool', 'The error for an unknown tool'),
    all('invalid-params', 'Invalid params'),
    all('internal-error', 'Internal errors'),
    all('own-errors', 'Errors with codes of their own'),
    {
      id: 'resource-not-found',
      title: 'The error for a resource that is not found',
      group,
      between: (client, server) => codeCell('resourceNotFound', client, server),
    },
    {
      id: 'errors-of-the-hop',
      title: 'Errors about the request of the bridge: headers, versions, malformed messages',
      group,
      between: () => refused('internalError', "the error is not about the client's request"),
    },
  ];
}

/** The cell of an error that each revision has a code of its own for. */
export function codeCell(error: ErrorName, client: Revision, server: Revision): Fidelity {
  const [wrote, reads] = [server, client].map((revision) => errorToWire(revision, new McpError(error, '')).code);
  return wrote === reads ? carried : changed(`the code ${wrote} becomes ${reads}`);
}
