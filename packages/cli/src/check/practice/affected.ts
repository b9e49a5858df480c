import type { Finding } from '../report.ts';

/** Rows about the security of a server and its users. */
const security =
  /^(?:auth|security|harden-form-post|harden-unknown-session)\b|^(?:http-00[3457]|http-042|http-106|sse-00[45]|elicit-003|elicit-010|elicit-047|logging-011)$/;

/** Areas whose faults only some clients see, and what those do. */
const features: Readonly<Record<string, string>> = {
  tools: 'use tools',
  resources: 'use resources',
  prompts: 'use prompts',
  compl: 'complete arguments',
  completion: 'complete arguments',
  logging: 'show log messages',
  page: 'read long lists',
  caching: 'cache',
  cancel: 'cancel requests',
  progress: 'show progress',
  elicit: 'answer questions',
  sampling: 'answer questions',
  roots: 'have roots',
  mrtr: 'answer questions',
  subs: 'subscribe',
  tasks: 'use tasks',
  icons: 'show icons',
};

/** Words for those who notice a finding, most important first. */
const order = ['every client', 'the security of the server', 'clients that'] as const;

/** Says who notices a finding: `every client`, `the security of the server` or `clients that use tools`. */
export function affectedBy({ id, where = '' }: Pick<Finding, 'id' | 'where'>): string {
  if (security.test(id)) return order[1];
  const area = id.slice(0, id.indexOf('-'));
  // A finding of the official schema has the method in its place.
  const feature = features[area === 'wire' ? where.slice(0, Math.max(where.indexOf('/'), 0)) : area];
  return feature === undefined ? order[0] : `${order[2]} ${feature}`;
}

/** Place of such words in a report. */
export function rankOf(affected: string): number {
  return order.findIndex((begin) => affected.startsWith(begin));
}
