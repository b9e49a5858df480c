/** Being authorized at servers that want it: as a person who signs in, and as a machine. It runs anywhere. */

export type { Fetch, FetchRequest, FetchResponse } from './jsonrpc/fetch.ts';
export { oauth, type GrantInfo, type LoginOptions, type OAuth } from './auth/client/interactive/oauth.ts';
export type { DevicePrompt, ShowDevicePrompt } from './auth/client/interactive/device.ts';
export { clientMetadataDocument } from './auth/client/interactive/client-metadata.ts';
export type { ClientMetadata, OAuthOptions, ManualRegistration } from './auth/client/interactive/oauth-options.ts';
export {
  clientCredentials,
  type ClientCredentialsOptions,
  type MachineClient,
} from './auth/client/non-interactive/client-credentials.ts';
export {
  enterpriseManaged,
  type EnterpriseManagedOptions,
  type IdentityProvider,
  type SubjectToken,
} from './auth/client/non-interactive/enterprise-managed.ts';
export { workloadIdentity, type WorkloadIdentityOptions } from './auth/client/non-interactive/workload-identity.ts';
export type { AuthorizationOptions } from './auth/client/options.ts';
export type { OAuthEvent } from './auth/client/events.ts';
export type { ClientAuthenticationMethod } from './auth/client/client-authentication.ts';
export type { KeySource, NamedKey, SigningKey } from './auth/common/signing-key.ts';
export { page, type PageRedirectOptions } from './auth/client/interactive/page.ts';
export { popup, type PopupOpener, type PopupOptions, type PopupWindow } from './auth/client/interactive/popup.ts';
export type { Identity } from './auth/client/grant.ts';
export type { OpenRedirect, Redirect, RedirectHook, RedirectRequest } from './auth/common/redirect.ts';
export { AuthorizationError, type AuthorizationReason } from './auth/common/errors.ts';
export type { Authorization } from './auth/common/authorizer.ts';
export type { NetworkOptions } from './auth/common/network.ts';
export type { CredentialKey, CredentialStore, CredentialWrite, StoredCredential } from './storage/credentials.ts';
export type { WebKey, WebKeyPair } from './sealing/web-crypto.ts';
export { memoryCredentialStore } from './storage/memory-credentials.ts';
export { browserCredentialStore, type BrowserCredentialStoreOptions } from './storage/browser-credentials.ts';
export { sealedCredentialStore, type SealedCredentialStoreOptions } from './storage/sealed-credentials.ts';
export type { SealingKey } from './sealing/sealing-key.ts';
