/** Rules about where a client has its id from, and what it says of itself. */

import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { inQuotes } from '../client-rule.ts';
import type { FoundClientDocument } from './documents.ts';
import { clientNamed, isUrl } from './issuer.ts';
import { each, isLocal, parameterOf, registrations, uses, type AuthorizationRule } from './rule.ts';
import { knownClient } from './scenarios.ts';
import { wholeText } from '../../whole-text.ts';
import type { AuthorizationLog, AuthorizationLogStep } from './authorization-log.ts';

const knownId: AuthorizationRule = {
  id: 'auth-060',
  message: 'A client has a client id before it starts an authorization',
  fix: 'register at the authorization server, and use the id that it gives',
  judge(authorizationLog) {
    // A client that continues without an id after a refused registration is checked for that.
    if (authorizationLog.scenario.refusesRegistration === true) return 'not-seen';
    return each(authorizationLog.at('authorize'), (step) => {
      const { client_id: id } = step.fields;
      if (isUrl(id) || authorizationLog.clients.has(wholeText(id)) || id === knownClient) return false;
      return `${parameterOf(step, 'client_id')}, which was not issued to it`;
    });
  },
};

const documentsOffered: AuthorizationRule = {
  id: 'auth-072',
  message: 'A client uses a URL as its id only if the authorization server supports that',
  fix: 'look for client_id_metadata_document_supported, and register where it is missing',
  judge: (authorizationLog) =>
    each(
      uses(authorizationLog).filter(
        ({ place }) => place !== 'register' && authorizationLog.scenario.takesDocuments !== true,
      ),
      (step) =>
        isUrl(step.fields['client_id']) ? `${parameterOf(step, 'client_id')}, and such ids are not offered` : false,
    ),
};

/** Pages that were asked for by the URL of a document. */
const byUrl = (authorizationLog: AuthorizationLog): readonly AuthorizationLogStep[] =>
  authorizationLog.at('authorize').filter(({ fields }) => isUrl(fields['client_id']));

const documentUrl: AuthorizationRule = {
  id: 'auth-062',
  message: 'A URL that serves as the id of a client is https and has a path',
  fix: 'use an https: URL with a path',
  judge: (authorizationLog) =>
    each(
      byUrl(authorizationLog),
      (step) => !/^https:\/\/[^/]+\/./i.test(wholeText(step.fields['client_id'])) && parameterOf(step, 'client_id'),
    ),
};

/** A rule about the document that lies at the URL, where it could be fetched. */
function documented(
  id: string,
  [words, fix]: readonly [words: string, fix: string],
  wrong: (found: FoundClientDocument, url: string) => string | false,
): AuthorizationRule {
  return {
    id,
    message: words,
    fix,
    in: ['document'],
    judge: (authorizationLog) =>
      each(
        byUrl(authorizationLog).filter(
          ({ fields: { client_id: url } }) => authorizationLog.documents.of(url) !== undefined,
        ),
        ({ fields: { client_id: url } }) => {
          const found = authorizationLog.documents.of(url);
          return found !== undefined && wrong(found, wholeText(url));
        },
      ),
  };
}

/** Statuses that say for certain that there is nothing; others may be a guard's. */
const isGone = (status: number): boolean => status === 404 || status === 410;

const hosted = documented(
  'auth-061',
  ['The metadata document of a client is hosted at its URL', 'serve the document as JSON at the URL that is the id'],
  ({ value, status, isPage }, url) =>
    (isGone(status) || (status === 200 && !isObject(value) && !isPage)) && `${url} has no JSON object: HTTP ${status}`,
);

const wanted = ['client_id', 'client_name', 'redirect_uris'] as const;

const whole = documented(
  'auth-063',
  [
    'The metadata document has client_id, client_name and redirect_uris',
    'write client_id, client_name and redirect_uris into the document',
  ],
  ({ value }) => {
    if (!isObject(value)) return false;
    const missing = wanted.find((name) =>
      name === 'redirect_uris' ? !Array.isArray(value[name]) : typeof value[name] !== 'string',
    );
    return missing !== undefined && `${missing} of the document is ${inQuotes(value[missing])}`;
  },
);

const namesItself = documented(
  'auth-064',
  ['client_id of the metadata document is its URL', 'write the very URL into the document'],
  ({ value }, url) =>
    isObject(value) &&
    typeof value['client_id'] === 'string' &&
    value['client_id'] !== url &&
    `the document at ${url} has the client_id ${inQuotes(value['client_id'])}`,
);

const order: AuthorizationRule = {
  id: 'auth-059',
  message: 'The client prefers a manual id, then a metadata document, then registration',
  fix: 'register only where there is neither an id by hand nor, where documents are taken, a URL',
  in: ['document'],
  judge(authorizationLog) {
    const has = authorizationLog
      .at('authorize')
      .find(({ fields: { client_id: id } }) => isUrl(id) || id === knownClient);
    if (has === undefined) return 'not-seen';
    const [step] = registrations(authorizationLog);
    return step === undefined
      ? 'holds'
      : { breaks: `it registered, and had the id ${inQuotes(has.fields['client_id'])}`, at: step };
  },
};

/**
 * Number of times that a rejected registration may be repeated unchanged, for each wanted token: a client that
 * reconnects tries again.
 */
const maxAlike = 4;

const takesRefusal: AuthorizationRule = {
  id: 'auth-077',
  message: 'The client handles a registration error for its redirect URIs',
  fix: 'say so, or register with other redirect URIs; go to no page without an id, and do not send the same again and again',
  in: ['unregistered'],
  judge(authorizationLog) {
    const refused = registrations(authorizationLog);
    if (refused.length === 0) return 'not-seen';
    const page = authorizationLog
      .at('authorize')
      .find(({ fields: { client_id: id } }) => id !== knownClient && !isUrl(id));
    if (page !== undefined)
      return { breaks: `it was refused, and went to the page: ${parameterOf(page, 'client_id')}`, at: page };
    const counts = new Map<string, number>();
    for (const { fields } of refused) counts.set(wholeText(fields), (counts.get(wholeText(fields)) ?? 0) + 1);
    const times = Math.max(...counts.values());
    const wanted = authorizationLog.at('endpoint').filter(({ status }) => status === 401).length;
    return times > maxAlike * Math.max(1, wanted)
      ? { breaks: `it sent the same registration ${times} times`, at: refused.at(-1) }
      : 'holds';
  },
};

const applicationType: AuthorizationRule = {
  id: 'auth-075',
  message: 'A registration has an application_type',
  fix: 'send application_type with the registration: native or web',
  judge: (authorizationLog) =>
    each(
      registrations(authorizationLog),
      (step) =>
        !['native', 'web'].includes(wholeText(step.fields['application_type'])) &&
        parameterOf(step, 'application_type'),
    ),
};

/** Redirect URIs of a registration, or of a document. */
function redirectsIn({ redirect_uris: uris }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(uris) ? uris.map(wholeText) : [];
}

const native: AuthorizationRule = {
  id: 'auth-076',
  message: 'An application on the machine of its user is native',
  fix: 'send application_type=native where the redirect URI is one of this machine',
  judge: (authorizationLog) =>
    each(
      registrations(authorizationLog).filter(({ fields }) => redirectsIn(fields).some(isLocal)),
      (step) =>
        step.fields['application_type'] === 'web' &&
        `${parameterOf(step, 'application_type')}, and it returns to this machine`,
    ),
};

/** Registered redirect URIs of a client, any port of a loopback address being as good as another. (RFC 8252, section 7.3.) */
const anyPort = (uri: string): string => (isLocal(uri) ? uri.replace(/:\d+(?=\/|$)/, '') : uri);

/** Redirect URIs that a client said before, by its registration or its document. */
function knownRedirects(
  { fields: { client_id: id }, issuer = '' }: AuthorizationLogStep,
  authorizationLog: AuthorizationLog,
): readonly string[] {
  const value = authorizationLog.documents.of(id)?.value;
  return isObject(value) ? redirectsIn(value) : (clientNamed(id, issuer, authorizationLog)?.redirectUris ?? []);
}

const registeredRedirect: AuthorizationRule = {
  id: 'auth-102',
  message: 'The redirect URI is one that was registered',
  fix: 'register the redirect URI that is used',
  judge: (authorizationLog) =>
    each(authorizationLog.at('authorize'), (step) => {
      const known = knownRedirects(step, authorizationLog);
      if (known.length === 0) return undefined;
      const isKnown = known.map(anyPort).includes(anyPort(wholeText(step.fields['redirect_uri'])));
      return !isKnown && `${parameterOf(step, 'redirect_uri')}, and ${known.join(', ')} was registered`;
    }),
};

const safeRedirect: AuthorizationRule = {
  id: 'auth-108',
  message: 'Redirect URIs are https, or of this machine',
  fix: 'be sent back to https:, or to http: of localhost or a loopback address',
  judge: (authorizationLog) =>
    each(authorizationLog.at('register', 'authorize'), (step) => {
      const given = step.place === 'register' ? redirectsIn(step.fields) : [wholeText(step.fields['redirect_uri'])];
      const wrong = given.find((uri) => !isLocal(uri) && !/^https:\/\//i.test(uri));
      return wrong !== undefined && `${inQuotes(wrong)} is neither`;
    }),
};

/** Rules about the ids of clients. */
export const registrationRules: readonly AuthorizationRule[] = [
  knownId,
  documentsOffered,
  documentUrl,
  hosted,
  whole,
  namesItself,
  order,
  takesRefusal,
  applicationType,
  native,
  registeredRedirect,
  safeRedirect,
];
