/** Top-level domains, and parts that do not name a company. */
const ends: ReadonlySet<string> = new Set([
  'com',
  'org',
  'net',
  'io',
  'dev',
  'app',
  'ai',
  'co',
  'gov',
  'edu',
  'mil',
  'int',
  'info',
  'biz',
]);
const lastly: ReadonlySet<string> = new Set(['com', 'org', 'net']);

/** Tells whether labels are certainly a domain as it is spoken, `example.com`, and not reversed: they end as one, and begin as none does. */
export function isForwardDomain(labels: readonly string[]): boolean {
  const [first = '', last = ''] = [labels[0]?.toLowerCase(), labels.at(-1)?.toLowerCase()];
  // The shortest ends are those of countries, and the longest of brands have a domain of their own.
  return labels.length > 1 && lastly.has(last) && !ends.has(first) && first.length > 2 && !brands.has(first);
}

/** Ends that belong to one company, so that even google.com could be a domain reversed. */
const brands: ReadonlySet<string> = new Set([
  'google',
  'amazon',
  'aws',
  'apple',
  'microsoft',
  'azure',
  'oracle',
  'sap',
  'cloud',
  'tech',
  'xyz',
  'tools',
  'systems',
]);
