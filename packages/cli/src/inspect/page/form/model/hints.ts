/** Demands of a schema on a value, in words. */

type KeywordMap = ReadonlyMap<string, unknown>;

/** Formats, each with how a value of it looks. */
const formats: Readonly<Record<string, string>> = {
  date: 'a date, as 2026-11-23',
  'date-time': 'a date with time and zone, as 2026-11-23T09:30:00Z',
  time: 'a time with zone, as 09:30:00Z',
  duration: 'a duration, as P1DT2H',
  email: 'an e-mail address',
  'idn-email': 'an e-mail address',
  hostname: 'a host name',
  ipv4: 'an address of IPv4',
  ipv6: 'an address of IPv6',
  uri: 'a URI, as https://example.com/a',
  'uri-reference': 'a URI or a part of one',
  'uri-template': 'a template of URIs, as /a/{id}',
  uuid: 'a UUID',
  regex: 'a regular expression',
  'json-pointer': 'a JSON pointer, as /a/0',
};

/** Hints for a text. */
export function textHints(keywords: KeywordMap, patterns: readonly string[]): readonly string[] {
  const format = keywords.get('format');
  const known = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined;
  return [
    ...(known === undefined ? (typeof format === 'string' ? [`format ${shortText(format)}`] : []) : [known]),
    ...counted(keywords, ['minLength', 'maxLength'], 'character'),
    ...patterns.map((pattern) => `matches ${shortText(pattern)}`),
  ];
}

/** Hints for a number. */
export function numberHints(keywords: KeywordMap, whole: boolean): readonly string[] {
  const [low, high] = [numberOf(keywords, 'minimum'), numberOf(keywords, 'maximum')];
  const [over, under] = [numberOf(keywords, 'exclusiveMinimum'), numberOf(keywords, 'exclusiveMaximum')];
  const multiple = numberOf(keywords, 'multipleOf');
  const range =
    low !== undefined && high !== undefined
      ? [`from ${low} to ${high}`]
      : [...(low === undefined ? [] : [`at least ${low}`]), ...(high === undefined ? [] : [`at most ${high}`])];
  return [
    ...(whole ? ['a whole number'] : []),
    ...range,
    ...(over === undefined ? [] : [`more than ${over}`]),
    ...(under === undefined ? [] : [`less than ${under}`]),
    ...(multiple === undefined ? [] : [`a multiple of ${multiple}`]),
  ];
}

/** Hints for a list. */
export function listHints(keywords: KeywordMap): readonly string[] {
  return [
    ...counted(keywords, ['minItems', 'maxItems'], 'item'),
    ...(keywords.get('uniqueItems') === true ? ['no item twice'] : []),
  ];
}

/** Hints for an object. */
export function objectHints(keywords: KeywordMap): readonly string[] {
  return counted(keywords, ['minProperties', 'maxProperties'], 'property');
}

/** A text of a stranger, no longer than a line or two. */
export function shortText(text: string, most = 200): string {
  const shown = text.slice(0, most).replaceAll(odd, marked);
  return text.length <= most ? shown : `${shown}… (${text.length.toLocaleString('en')} characters)`;
}

/** Characters that hide, or turn what stands around them: a person is to see that they are there. */
const odd =
  // oxlint-disable-next-line no-control-regex -- those are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

function marked(character: string): string {
  return `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`;
}

function counted(keywords: KeywordMap, names: readonly [string, string], unit: string): readonly string[] {
  const [low, high] = [numberOf(keywords, names[0]) ?? 0, numberOf(keywords, names[1])];
  if (high !== undefined && low === high) return [`exactly ${plural(low, unit)}`];
  if (high !== undefined && low > 0) return [`${low} to ${plural(high, unit)}`];
  if (high !== undefined) return [`at most ${plural(high, unit)}`];
  return low > 0 ? [`at least ${plural(low, unit)}`] : [];
}

/** A count with its unit: "1 item", "2 properties". */
export function plural(count: number, unit: string): string {
  const units = unit.endsWith('y') ? `${unit.slice(0, -1)}ies` : `${unit}s`;
  return `${count.toLocaleString('en')} ${count === 1 ? unit : units}`;
}

function numberOf(keywords: KeywordMap, name: string): number | undefined {
  const value = keywords.get(name);
  return typeof value === 'number' ? value : undefined;
}
