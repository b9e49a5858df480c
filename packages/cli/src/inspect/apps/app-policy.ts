/** Policy of an app, which says what it may load and whom it may reach: nothing that it did not declare, and of that what the person allowed. */

import { isObject } from '../../../../parley/src/jsonrpc/message.ts';

/** Kinds of domains that an app declares, by their names in `_meta.ui.csp`. (SEP-1865.) */
export const domainKinds = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const;
export type DomainKind = (typeof domainKinds)[number];

/** Domains that an app declares. */
export type AppDomains = Readonly<Record<DomainKind, readonly string[]>>;

/** Most domains of a kind that are read. */
const maxDomains = 50;

/** A source of a policy that names a host, and nothing that could end its directive or begin another. */
const source = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;

/** Domains that an app declares, without what is no source of a policy. */
export function domainsIn(meta: unknown): { readonly domains: AppDomains; readonly refused: readonly string[] } {
  const csp = isObject(meta) && isObject(meta['csp']) ? meta['csp'] : {};
  const refused: string[] = [];
  const of = (kind: DomainKind): readonly string[] => {
    const said = csp[kind];
    const texts = (Array.isArray(said) ? said : []).slice(0, maxDomains).map(String);
    refused.push(...texts.filter((text) => !source.test(text)).map((text) => text.slice(0, 200)));
    return [...new Set(texts.filter((text) => source.test(text)))];
  };
  return {
    domains: {
      connectDomains: of('connectDomains'),
      resourceDomains: of('resourceDomains'),
      frameDomains: of('frameDomains'),
      baseUriDomains: of('baseUriDomains'),
    },
    refused,
  };
}

/** The domains that the user allowed. */
export function allowedOf(domains: AppDomains, allowed: ReadonlySet<string>): AppDomains {
  const of = (kind: DomainKind): readonly string[] => domains[kind].filter((domain) => allowed.has(domain));
  return {
    connectDomains: of('connectDomains'),
    resourceDomains: of('resourceDomains'),
    frameDomains: of('frameDomains'),
    baseUriDomains: of('baseUriDomains'),
  };
}

/**
 * The policy of an app. It has no origin, also where its address is opened by itself, sends no form anywhere, and is the child of nothing
 * but frames.
 */
export function appPolicy({ connectDomains, resourceDomains, frameDomains, baseUriDomains }: AppDomains): string {
  const list = (domains: readonly string[]): string => (domains.length === 0 ? "'none'" : domains.join(' '));
  const loaded = ['', ...resourceDomains].join(' ');
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline'${loaded}`,
    `style-src 'unsafe-inline'${loaded}`,
    `img-src data: blob:${loaded}`,
    `font-src data:${loaded}`,
    `media-src data: blob:${loaded}`,
    `connect-src ${list(connectDomains)}`,
    `frame-src ${list(frameDomains)}`,
    `base-uri ${list(baseUriDomains)}`,
    "object-src 'none'",
    "form-action 'none'",
    'sandbox allow-scripts allow-forms',
  ].join('; ');
}
