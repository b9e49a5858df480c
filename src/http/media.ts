/** The media types of a request, read by their grammar and not by what they look like. (RFC 9110, 8.3.1 and 12.5.1.) */

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const parameter = `[ \\t]*;[ \\t]*(?:(${token})=(${token}|"[^"\\\\\\x00-\\x1f]*"))?`;
const mediaType = new RegExp(`^(${token}/${token})((?:${parameter})*)[ \\t]*$`);
const parameters = new RegExp(parameter, 'g');

/** Whether a `Content-Type` says JSON in UTF-8; one that is missing, repeated or malformed does not. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  const parsed = contentType === undefined || contentType.length > 256 ? null : mediaType.exec(contentType);
  if (parsed?.[1]?.toLowerCase() !== 'application/json') return false;
  for (const [, name, value] of (parsed[2] ?? '').matchAll(parameters)) {
    if (name?.toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value ?? '')) return false;
  }
  return true;
}

/** The kinds of answer that a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

const both: Accepted = { json: true, stream: true };

/** Reads an `Accept` header; without one everything is acceptable. */
export function acceptedBy(accept: string | undefined): Accepted {
  if (accept === undefined || accept === '' || accept === 'application/json, text/event-stream' || accept === '*/*')
    return both;
  const ranges = new Map<string, boolean>();
  for (const range of accept.toLowerCase().slice(0, 4096).split(',')) {
    const [type = '', ...rest] = range.split(';').map((part) => part.trim());
    ranges.set(type, !rest.some((part) => /^q=0(?:\.0*)?$/.test(part)));
  }
  return { json: takes(ranges, 'application', 'json'), stream: takes(ranges, 'text', 'event-stream') };
}

/** The most specific range decides. */
function takes(ranges: ReadonlyMap<string, boolean>, type: string, subtype: string): boolean {
  return ranges.get(`${type}/${subtype}`) ?? ranges.get(`${type}/*`) ?? ranges.get('*/*') ?? false;
}
