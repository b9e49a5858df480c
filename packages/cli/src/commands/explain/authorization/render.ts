import { clipped, table } from '../text.ts';
import { textField, textsField, type JsonDocument } from './document.ts';
import type {
  AuthorizationExplained,
  BrokenRule,
  ExplainedClient,
  ExplainedLook,
  ExplainedRefusal,
  ExplainedResource,
  ExplainedServer,
  RegistrationWay,
} from './report.ts';

type TableRow = readonly string[];

/** The widest that lines are made, in characters; a URL that is longer stays whole. */
const widest = 100;

/** Writes the authorization requirements of a server, for people. */
export function renderAuthorization(explained: AuthorizationExplained, columns: number): string {
  const width = Math.min(columns, widest);
  const { refusals, resourceMetadata, servers, moreServers, root, clients, broken } = explained;
  const section = (title: string, rows: readonly TableRow[]): string => `  ${title}\n${table(rows, width, 4)}`;
  const rootRows = servers.some(({ namedBy }) => namedBy === 'server-root') ? [] : [lookRow(root)];
  const count = broken.length;
  return [
    'authorization, without a sign-in\n',
    ...refusals.map((refusal) => section(titleOf(refusal), challengeRows(refusal))),
    section('resource metadata', resourceRows(resourceMetadata)),
    ...servers.flatMap((server) => [
      section(clipped(`authorization server ${server.issuer}`, 200), serverRows(server)),
      ...(server.registration.length === 0
        ? []
        : [section(clipped(`ways to register at ${server.issuer}`, 200), server.registration.map(wayRow))]),
    ]),
    moreServers === 0 ? '' : `  … and ${moreServers} more authorization servers\n`,
    rootRows.length === 0 ? '' : section('metadata at the root of the origin, for the oldest clients', rootRows),
    section('a client of each revision finds the authorization server', clients.map(clientRow)),
    count === 0
      ? '  no rule is broken, as far as can be seen without signing in\n'
      : section(`${count} rule${count === 1 ? ' is' : 's are'} broken`, broken.flatMap(brokenRows)),
  ].join('');
}

function titleOf({ status, withCredentials }: ExplainedRefusal): string {
  return `HTTP ${status} to a request with${withCredentials ? '' : 'out'} credentials`;
}

function challengeRows({ challenges, header }: ExplainedRefusal): readonly TableRow[] {
  if (header === undefined) return [['no challenge']];
  if (challenges.length === 0) return [[`no challenge can be read of: ${clipped(header, 300)}`]];
  return challenges.flatMap(({ scheme, token68, parameters }) => {
    const written = Object.entries(parameters).map(([name, value]) => `${name}="${clipped(value, 300)}"`);
    const [first = clipped(token68 ?? '', 100), ...rest] = written;
    return [[nameOf(scheme), first], ...rest.map((one) => ['', one])];
  });
}

/** A scheme as people write it. */
function nameOf(scheme: string): string {
  return scheme === 'dpop' ? 'DPoP' : `${scheme.slice(0, 1).toUpperCase()}${clipped(scheme.slice(1), 40)}`;
}

function lookRow({ url, outcome, status, problem, redirects = [], beyond }: ExplainedLook): TableRow {
  const told = problem === undefined ? (status === undefined || status === 200 ? [] : [`HTTP ${status}`]) : [problem];
  const notes = [
    ...told.map((text) => clipped(text, 300)),
    ...redirects.map((to) => `redirected to ${clipped(to, 200)}`),
    ...(beyond === true ? ['where no client looks'] : []),
  ];
  return [outcome, `${clipped(url, 300)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`];
}

function resourceRows({ looked, foundBy, document }: ExplainedResource): readonly TableRow[] {
  const rows = looked.map(lookRow);
  if (document === undefined) return rows;
  const isBound = document['dpop_bound_access_tokens_required'] === true;
  return [
    ...rows,
    ['found by', foundBy === 'challenge' ? 'the challenge, and no other URL is tried' : 'the well-known URLs'],
    ...fact('resource', textField(document, 'resource') ?? 'not said'),
    ...fact('authorization servers', listed(document, 'authorization_servers') ?? 'none'),
    ...fact('scopes', listed(document, 'scopes_supported') ?? 'not listed'),
    ...(isBound ? fact('DPoP', 'required') : []),
  ];
}

function serverRows({ looked, document }: ExplainedServer): readonly TableRow[] {
  const rows = looked.map(lookRow);
  if (document === undefined) return rows;
  const text = (name: string): string => textField(document, name) ?? 'none';
  const namesItself = document['authorization_response_iss_parameter_supported'] === true;
  return [
    ...rows,
    ...fact('issuer', text('issuer')),
    ...fact('signs people in at', text('authorization_endpoint')),
    ...fact('gives tokens at', text('token_endpoint')),
    ...fact('grant types', listed(document, 'grant_types_supported') ?? 'not listed: authorization_code, implicit'),
    ...fact('scopes', listed(document, 'scopes_supported') ?? 'not listed'),
    ...fact('PKCE', listed(document, 'code_challenge_methods_supported') ?? 'not listed'),
    ...fact('DPoP', listed(document, 'dpop_signing_alg_values_supported') ?? 'not offered'),
    ...fact('iss in answers', namesItself ? 'yes' : 'not promised'),
    ...fact(
      'client authentication',
      listed(document, 'token_endpoint_auth_methods_supported') ?? 'not listed: client_secret_basic',
    ),
  ];
}

function fact(name: string, value: string): readonly TableRow[] {
  return [[name, clipped(value, 600)]];
}

function listed(document: JsonDocument, name: string): string | undefined {
  const texts = textsField(document, name);
  return texts === undefined ? undefined : texts.length === 0 ? 'none' : texts.join(' ');
}

const waysInWords: Readonly<Record<RegistrationWay['way'], string>> = {
  'pre-registered': 'pre-registered',
  'client-id-metadata-document': 'client id metadata document',
  'dynamic-registration': 'dynamic registration',
  'by-hand': 'by hand',
};

function wayRow({ way, open, how }: RegistrationWay): TableRow {
  return [waysInWords[way], open ? 'yes' : 'no', clipped(how, 300)];
}

const marks: Readonly<Record<ExplainedClient['outcome'], string>> = {
  found: 'yes',
  perhaps: '?',
  'not-found': 'no',
  none: '-',
};

function clientRow({ revision, outcome, why }: ExplainedClient): TableRow {
  return [revision, marks[outcome], clipped(why, 400)];
}

function brokenRows({ rule, what, stops, client, source }: BrokenRule): readonly TableRow[] {
  return [
    [stops ? 'stop' : 'note', `${clipped(what, 500)} (${rule})`],
    ['', `a client ${client}`],
    ['', source],
  ];
}
