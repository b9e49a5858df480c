/** The client that an authorization server is to know: one that it knows already, or that is registered there. */

import { meansIssuer } from '../../common/issuer-name.ts';
import { hasFields } from '../../common/fields.ts';
import { jsonOf } from '../../common/document.ts';
import { AuthorizationError } from '../../common/errors.ts';
import type { ServerMetadata } from '../../common/metadata.ts';
import type { CredentialKey, CredentialStore } from '../../../storage/credentials.ts';
import {
  methodFor,
  methodToRegister,
  usableMethod,
  type OAuthClient,
  type ClientAuthenticationMethod,
} from '../client-authentication.ts';
import { shownUrl } from '../discovery.ts';
import { clientMetadata, type ClientUse } from './client-metadata.ts';
import type { OAuthSettings, ManualRegistration } from './oauth-options.ts';
import type { Site } from '../site.ts';
import type { GrantEndpoints } from '../endpoints.ts';
import { registrationAnswer } from '../token-request.ts';
import { fieldsOf, textIn } from '../token-response.ts';

/** A client, with its origin. */
export interface RegisteredClient extends OAuthClient {
  /** True when it was registered by us, so that it can be again. */
  readonly dynamic: boolean;
  /** The registered redirect URIs; `undefined` if the client was not registered here. */
  readonly redirectUris?: readonly string[] | undefined;
  /** The grant type that was registered beside that of codes. */
  readonly grantType?: string | undefined;
  /** Time of the registration, in milliseconds since 1970. */
  readonly registeredAt?: number | undefined;
  /** True if the authorization server may have forgotten the registration. */
  readonly doubtful?: boolean | undefined;
}

/** Server and client of a grant. */
interface Granted {
  readonly endpoints: GrantEndpoints;
  readonly client: string;
  readonly isPublic?: boolean | undefined;
}

/** A registration in stored form. */
interface Kept {
  readonly id: string;
  readonly secret?: string | undefined;
  readonly method: ClientAuthenticationMethod;
  readonly redirectUris: readonly string[];
  readonly grantType?: string | undefined;
  readonly registeredAt: number;
  /** Time at which the secret ends, in milliseconds since 1970. */
  readonly secretExpiresAt?: number | undefined;
  /** True if no user came back from the last login with it. */
  readonly suspect?: boolean | undefined;
}

/** After this long a registration may have been pruned, in milliseconds. */
const trustedMs = 3_600_000;

/** Finds the client of an authorization server. */
export class Registration {
  readonly #site: Site;
  readonly #store: CredentialStore;
  readonly #settings: OAuthSettings;

  constructor(site: Site, settings: OAuthSettings) {
    this.#site = site;
    this.#store = settings.store;
    this.#settings = settings;
  }

  /**
   * The client for a login: one that was given, by the URL of its document, one that was registered before, or one that is registered
   * now. (Spec 2025-11-25, Client Registration Approaches.)
   *
   * @throws AuthorizationError `registration` when there is no way, or the authorization server refuses.
   */
  async client(server: ServerMetadata, use: ClientUse, signal: AbortSignal): Promise<RegisteredClient> {
    const known = this.given(server) ?? (await this.kept(server.issuer));
    if (known !== undefined && isFor(known, use)) return known;
    return await this.#register(server, use, signal);
  }

  /** The redirect URIs that the authorization server has for us, if any. */
  async redirectUris(server: ServerMetadata): Promise<readonly string[] | undefined> {
    return this.given(server) === undefined ? (await this.kept(server.issuer))?.redirectUris : undefined;
  }

  /** The client of a grant, if it is still known. */
  async find({ endpoints: { issuer, methods }, client: id, isPublic }: Granted): Promise<RegisteredClient | undefined> {
    const { clients, clientMetadataUrl } = this.#settings;
    const given = clients.find((client) => client.id === id && meansIssuer(client.issuer, issuer));
    if (given !== undefined) return manual(given, methods);
    if (id === clientMetadataUrl) return { id, method: 'none', dynamic: false };
    const kept = await this.kept(issuer);
    // A grant stays usable when another client was registered after it.
    const found = kept?.id === id ? kept : await this.kept(issuer, id);
    // A client without a secret is identified by its id alone.
    return found ?? (isPublic === true ? { id, method: 'none', dynamic: false } : undefined);
  }

  /** A client that needs no registration here. */
  given(server: ServerMetadata): RegisteredClient | undefined {
    const { clients, clientMetadataUrl } = this.#settings;
    const given = clients.find((client) => meansIssuer(client.issuer, server.issuer));
    if (given !== undefined) return manual(given, server.tokenEndpointAuthMethodsSupported);
    if (clients.length > 0)
      throw new AuthorizationError(
        'registration',
        `the option client is for ${clients.map(({ issuer }) => shownUrl(issuer)).join(', ')}, and the server has the authorization server ${shownUrl(server.issuer)}: nothing is sent to it`,
        { issuer: server.issuer },
      );
    if (clientMetadataUrl === undefined || !server.clientIdMetadataDocumentSupported) return undefined;
    return { id: clientMetadataUrl, method: 'none', dynamic: false };
  }

  /** Finds an earlier registration that is still valid, as far as known. */
  async kept(issuer: string, client?: string): Promise<RegisteredClient | undefined> {
    const found = await this.#store.read(keyOf(issuer, client));
    const kept = readKept(found?.text);
    if (kept === undefined || (kept.secretExpiresAt ?? Number.POSITIVE_INFINITY) <= this.#site.now()) return undefined;
    const { id, secret, method, redirectUris, grantType, registeredAt, suspect } = kept;
    const doubtful = suspect === true || this.#site.now() - registeredAt > trustedMs;
    return { id, secret, method, redirectUris, grantType, registeredAt, dynamic: true, doubtful };
  }

  /** Marks a registration for a check before its next use: perhaps no user came back because of an error page. */
  async suspect(issuer: string, id: string): Promise<void> {
    const found = await this.#store.read(keyOf(issuer));
    const kept = readKept(found?.text);
    if (found === undefined || kept?.id !== id) return;
    const text = JSON.stringify({ ...kept, suspect: true } satisfies Kept);
    await this.#store.write(keyOf(issuer), text, { ifGeneration: found.generation });
  }

  /** Forgets a registration that the authorization server does not know; another one that there is by now stays. */
  async forget(issuer: string, id: string, message?: string): Promise<void> {
    let isForgotten = false;
    for (const key of [keyOf(issuer, id), keyOf(issuer)]) {
      const found = await this.#store.read(key);
      if (found === undefined || readKept(found.text)?.id !== id) continue;
      if (await this.#store.write(key, undefined, { ifGeneration: found.generation })) isForgotten = true;
    }
    if (isForgotten) this.#site.tell({ kind: 'lost', what: 'registration', issuer, message });
  }

  async #register(server: ServerMetadata, use: ClientUse, signal: AbortSignal): Promise<RegisteredClient> {
    const { issuer, registrationEndpoint } = server;
    if (registrationEndpoint === undefined)
      throw new AuthorizationError(
        'registration',
        `${shownUrl(issuer)} does not let clients register themselves: register this one there, and give its id with the option client${server.clientIdMetadataDocumentSupported ? ', or the URL of its metadata document with clientMetadataUrl' : ''}`,
        { issuer },
      );
    const method = methodToRegister(server);
    const { redirectUris: wanted, grantType } = use;
    const register = (redirectUris: readonly string[]): Promise<Kept> =>
      this.#ask({ issuer, endpoint: registrationEndpoint, method, use: { redirectUris, grantType }, signal });
    let kept: Kept;
    try {
      kept = await register(wanted);
    } catch (error) {
      const named = wanted.map(byName);
      // RFC 8252, section 7.3, wants the address; there are servers that take the name alone.
      if (!isRedirectRefused(error) || named.every((uri, at) => uri === wanted[at])) throw error;
      kept = await register(named);
    }
    // Others may have registered meanwhile, and been granted something: each finds its own.
    await this.#store.write(keyOf(issuer, kept.id), JSON.stringify(kept));
    await this.#store.write(keyOf(issuer), JSON.stringify(kept));
    this.#site.tell({ kind: 'registered', issuer, client: kept.id });
    return { ...kept, dynamic: true };
  }

  async #ask({ issuer, endpoint, method, use, signal }: Asking): Promise<Kept> {
    const metadata = clientMetadata(this.#settings, use, method);
    const answer = await registrationAnswer(this.#site, { issuer, endpoint, metadata, signal });
    let fields: Readonly<Record<string, unknown>>;
    try {
      fields = fieldsOf(answer, issuer, 'the registration of this client');
    } catch (cause) {
      if (!(cause instanceof AuthorizationError) || (cause.reason === 'server-error' && cause.code === undefined))
        throw cause;
      const { code, status } = cause;
      throw new AuthorizationError(
        'registration',
        `${cause.message}; register this client there by hand, and give its id with the option client`,
        { cause, issuer, code, status },
      );
    }
    const id = textIn(fields['client_id']);
    // RFC 6749, appendix A.1, allows no other characters.
    if (id === undefined || !/^[\x20-\x7e]+$/.test(id))
      throw new AuthorizationError(
        'invalid-response',
        `${shownUrl(issuer)} registered this client without a client_id of plain characters`,
        { issuer },
      );
    const given = textIn(fields['client_secret']);
    const ends = Number(fields['client_secret_expires_at'] ?? 0);
    const used =
      usableMethod(textIn(fields['token_endpoint_auth_method']), given) ?? (given === undefined ? 'none' : method);
    return {
      id,
      ...(used === 'none' ? {} : { secret: given }),
      method: used,
      ...use,
      registeredAt: this.#site.now(),
      ...(ends > 0 && used !== 'none' ? { secretExpiresAt: ends * 1000 } : {}),
    };
  }
}

interface Asking {
  readonly issuer: string;
  readonly endpoint: string;
  readonly method: ClientAuthenticationMethod;
  readonly use: ClientUse;
  readonly signal: AbortSignal;
}

function manual(
  { id, secret, key, method }: ManualRegistration,
  listed: ServerMetadata['tokenEndpointAuthMethodsSupported'],
): RegisteredClient {
  return { id, secret, key, method: method ?? methodFor({ secret, key }, listed), dynamic: false };
}

/** The key of a registration: of the last one, or of the one of that id. */
function keyOf(issuer: string, client?: string): CredentialKey {
  return { kind: 'client', issuer, client };
}

function readKept(text: string | undefined): Kept | undefined {
  const value = text === undefined ? undefined : jsonOf(text);
  if (!hasFields(value) || typeof value['id'] !== 'string' || !Array.isArray(value['redirectUris'])) return undefined;
  // Our own text, whose main fields were just checked.
  return value as unknown as Kept;
}

/** True if a client supports this kind of sign-in. A manually registered one is assumed to. */
function isFor(client: RegisteredClient, { redirectUris: [wanted], grantType }: ClientUse): boolean {
  return grantType === undefined ? knows(client, wanted) : !client.dynamic || client.grantType === grantType;
}

/** True when a client may be sent back to a redirect URI, in one of the spellings of this machine. */
function knows({ redirectUris }: RegisteredClient, wanted: string | undefined): boolean {
  return redirectUris === undefined || wanted === undefined || spelling(wanted, redirectUris) !== undefined;
}

/** The spelling under which a redirect URI is registered. */
export function spelling(uri: string, registered: readonly string[]): string | undefined {
  return registered.find((one) => one === uri || one === byName(uri));
}

function byName(uri: string): string {
  return uri.replace(/^http:\/\/(?:127\.0\.0\.1|\[::1\])(?=[:/])/, 'http://localhost');
}

/** RFC 7591, section 3.2.2: a server may refuse a redirect URI as metadata like any other. */
function isRedirectRefused(error: unknown): boolean {
  if (!(error instanceof AuthorizationError) || error.reason !== 'registration') return false;
  return error.code === 'invalid_redirect_uri' || error.code === 'invalid_client_metadata';
}
