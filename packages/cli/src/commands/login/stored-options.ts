/** Options of a login that are stored beside its grant, so that the next login at the same server needs them no more. */

import { jsonOf } from '../../../../parley/src/auth/common/document.ts';
import { canonicalResource } from '../../../../parley/src/auth/common/resource-url.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { CredentialKey } from '../../../../parley/src/storage/credentials.ts';
import { environmentValue, type Io } from '../io.ts';
import { optionalStore, ownStore } from './own-store.ts';
import type { SignIn } from './sign-in.ts';

/** The stored options; of a client its id alone. */
interface StoredOptions extends Pick<
  SignIn,
  'issuer' | 'clientSecretEnv' | 'clientMetadataUrl' | 'metadata' | 'redirectPort' | 'omitsResource' | 'bound'
> {
  readonly clientId?: string | undefined;
}

/** Key of the options of the login of an account. */
export function optionsKey(server: URL, account: string | undefined): CredentialKey {
  return { kind: 'facts', issuer: canonicalResource(server), resource: 'parley login', account };
}

/**
 * Completes the options of a command by those of the last login at the server. If the command names an authorization server or
 * a client, it stays as it is.
 */
export async function withStoredOptions(wanted: SignIn, io: Io): Promise<SignIn> {
  if (names(wanted)) return wanted;
  const text = (await optionalStore(io).read(optionsKey(wanted.server, wanted.account)))?.text;
  const stored = text === undefined ? undefined : jsonOf(text);
  if (!isObject(stored)) return wanted;
  // Our own text.
  const { clientId: id, ...rest } = stored as StoredOptions;
  const { issuer, clientSecretEnv } = rest;
  const secret = clientSecretEnv === undefined ? undefined : environmentValue(io.env, clientSecretEnv);
  // Without its secret the client is of no use, and neither is what goes with it.
  if (clientSecretEnv !== undefined && (secret === undefined || secret === '')) return wanted;
  return {
    ...wanted,
    ...rest,
    ...(id === undefined || issuer === undefined
      ? {}
      : { client: { id, issuer, ...(secret === undefined ? {} : { secret }) } }),
    redirectPort: wanted.redirectPort ?? rest.redirectPort,
    omitsResource: wanted.omitsResource === true || rest.omitsResource === true,
    bound: wanted.bound === true || rest.bound === true,
  };
}

/** Stores the options of a login that succeeded. */
export async function storeOptions(wanted: SignIn, io: Io): Promise<void> {
  const { issuer, client, clientSecretEnv, clientMetadataUrl, metadata, redirectPort, omitsResource, bound } = wanted;
  // A secret or a key of a file is not stored.
  if (client?.key !== undefined || (client?.secret !== undefined && clientSecretEnv === undefined)) return;
  const options: StoredOptions = {
    issuer,
    clientId: client?.id,
    clientSecretEnv,
    clientMetadataUrl,
    metadata,
    redirectPort,
    omitsResource: omitsResource === true ? true : undefined,
    bound: bound === true ? true : undefined,
  };
  const text = JSON.stringify(options);
  await ownStore(io).write(optionsKey(wanted.server, wanted.account), text === '{}' ? undefined : text);
}

function names({ issuer, client, clientMetadataUrl, metadata }: SignIn): boolean {
  return [issuer, client, clientMetadataUrl, metadata].some((one) => one !== undefined);
}
