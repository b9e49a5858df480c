/** Being authorized at servers that want it: as a person who signs in, and as a machine. It runs anywhere. */

export { oauth, type GrantInfo, type LoginOptions, type OAuth } from './oauth/person/oauth.ts';
export type { DevicePrompt, ShowDevicePrompt } from './oauth/person/device.ts';
export { clientMetadataDocument } from './oauth/person/client-metadata.ts';
export type { ClientMetadata, OAuthOptions, RegisteredByHand } from './oauth/person/oauth-options.ts';
export {
  clientCredentials,
  type ClientCredentialsOptions,
  type MachineClient,
} from './oauth/machine/client-credentials.ts';
export {
  enterpriseManaged,
  type EnterpriseManagedOptions,
  type IdentityProvider,
  type SubjectToken,
} from './oauth/machine/enterprise-managed.ts';
export { workloadIdentity, type WorkloadIdentityOptions } from './oauth/machine/workload-identity.ts';
export type { AuthorizationOptions } from './oauth/options.ts';
export type { OAuthEvent } from './oauth/events.ts';
export type { ClientAuthenticationMethod } from './oauth/client-authentication.ts';
export type { KeySource, NamedKey, SigningKey } from './auth/signing-key.ts';
export { page, type PageRedirectOptions } from './oauth/person/page.ts';
export { popup, type PopupOpener, type PopupOptions, type PopupWindow } from './oauth/person/popup.ts';
export type { Identity } from './oauth/grant.ts';
export type { OpenRedirect, Redirect, RedirectHook, RedirectRequest } from './auth/redirect.ts';
export { AuthorizationError, type AuthorizationErrorOptions, type AuthorizationReason } from './auth/errors.ts';
export type { Authorization } from './auth/authorizer.ts';
export type { AuthorizationFetch, AuthorizationRequest, AuthorizationResponse } from './auth/document.ts';
export type { NetworkOptions } from './auth/network.ts';
export type { CredentialKey, CredentialStore, CredentialWrite, KeptCredential } from './store/credentials.ts';
export type { JsonWebKeyFields, WebKey, WebKeyPair } from './seal/web-crypto.ts';
export { memoryCredentialStore } from './store/memory-credentials.ts';
export { browserCredentialStore, type BrowserCredentialStoreOptions } from './store/browser-credentials.ts';
export { sealedCredentialStore, type SealedCredentialStoreOptions } from './store/sealed-credentials.ts';
export type { SealingKey } from './seal/sealing-key.ts';
