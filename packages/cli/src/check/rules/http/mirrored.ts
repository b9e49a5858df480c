import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import { encodeHeaderValue, headerParametersOf, headerValueOf } from '../../../../../parley/src/connection/header.ts';
import type { CallableTool } from '../../harness/allowed.ts';
import type { Harness } from '../../harness/harness.ts';
import { sendCall } from '../../harness/calls.ts';
import { errorCodeIn } from '../../harness/exchange.ts';
import type { RequestExchange } from '../../harness/probe-client.ts';
import type { ProbeRule } from '../../rule.ts';
import { NotApplicable, NotJudged, unless } from '../../harness/verdict.ts';
import { refusedWith } from '../common/refusals.ts';

/** Rules about arguments that travel in headers too, of tools that are called where that is allowed. */

/** A tool with an argument of its own that travels in a header. */
interface Mirrored {
  readonly of: CallableTool;
  readonly header: string;
  readonly path: readonly string[];
  readonly value: string;
}

/** @throws NotApplicable where no tool has one. */
async function mirrored(harness: Harness): Promise<Mirrored> {
  for (const of of await harness.callables())
    for (const { name, path } of headerParametersOf(of.tool['inputSchema']).parameters) {
      const value = headerValueOf(of.args, path);
      if (value !== undefined) return { of, header: `Mcp-Param-${name}`, path, value };
    }
  throw new NotApplicable('no tool that may be called has an argument that travels in a header');
}

const mismatched = -32020;

/** Calls the tool with a header, after it was called with the right one. @param header The value; left out for none. */
async function calledWith(harness: Harness, header: (value: string) => string | undefined): Promise<RequestExchange> {
  const { of, header: name, value } = await mirrored(harness);
  const call = (said: string | undefined): Promise<RequestExchange> =>
    harness.asked((probeClient) => sendCall(probeClient, of, { headers: { [name]: said } }));
  const right = await call(encodeHeaderValue(value));
  if (errorCodeIn(right) === mismatched) throw new NotJudged('it refuses the right header');
  return await call(header(value));
}

const required: ProbeRule = {
  id: 'http-098',
  message: 'A call that lacks the header of one of its arguments is refused',
  fix: 'require Mcp-Param-<name> where the argument has a value, and answer HTTP 400 and -32020',
  over: 'http',
  needs: 'tools',
  probe: async (harness) => refusedWith(await calledWith(harness, () => undefined), { code: mismatched }),
};

const compared: ProbeRule = {
  id: 'http-100',
  message: 'A header that differs from the argument gets the status 400 and -32020',
  fix: 'compare Mcp-Param-<name> with the argument, and answer HTTP 400 and -32020 where they differ',
  over: 'http',
  needs: 'tools',
  probe: async (harness) =>
    refusedWith(await calledWith(harness, (value) => encodeHeaderValue(`${value}-other`)), {
      status: 400,
      code: mismatched,
    }),
};

const decoded: ProbeRule = {
  id: 'http-099',
  message: 'A header in base64 is decoded before it is compared with the argument',
  fix: 'decode =?base64?…?= before Mcp-Param-<name> is compared',
  over: 'http',
  needs: 'tools',
  async probe(harness) {
    const answer = await calledWith(harness, (value) => `=?base64?${Buffer.from(value).toString('base64')}?=`);
    return unless(errorCodeIn(answer) === mismatched, answer, 'it was taken for another value');
  },
};

const absent: ProbeRule = {
  id: 'http-097',
  message: 'An argument that a call does not have needs no header',
  fix: 'want Mcp-Param-<name> only where the argument has a value',
  over: 'http',
  needs: 'tools',
  async probe(harness) {
    const { of, path } = await mirrored(harness);
    const [first = ''] = path;
    const schema = of.tool['inputSchema'];
    const wanted = isObject(schema) ? schema['required'] : undefined;
    if (path.length > 1 || (Array.isArray(wanted) && wanted.includes(first)))
      throw new NotApplicable('the argument is required');
    const rest = Object.fromEntries(Object.entries(of.args).filter(([key]) => key !== first));
    const answer = await harness.asked((probeClient) => sendCall(probeClient, of, { args: rest }));
    return unless(errorCodeIn(answer) === mismatched, answer, 'it wants a header for a missing argument');
  },
};

/** Values of a mirrored argument of a type, where its schema takes any; a call with one is served before a header is altered. */
async function calledAs(
  harness: Harness,
  {
    type,
    value,
    right,
    said,
  }: { readonly type: string; readonly value: unknown; readonly right: string; readonly said: string },
): Promise<RequestExchange> {
  for (const of of await harness.callables())
    for (const { name, path } of headerParametersOf(of.tool['inputSchema']).parameters) {
      const [key = ''] = path;
      const schema = of.tool['inputSchema'];
      const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
      const own = properties[key];
      // Others may be refused for their value.
      if (
        path.length > 1 ||
        !isObject(own) ||
        own['type'] !== type ||
        Object.keys(own).some((word) => !plain.has(word))
      )
        continue;
      const call = (header: string): Promise<RequestExchange> =>
        harness.asked((probeClient) =>
          sendCall(probeClient, of, { args: { ...of.args, [key]: value }, headers: { [`Mcp-Param-${name}`]: header } }),
        );
      if (errorCodeIn(await call(right)) === mismatched) throw new NotJudged('it refuses the right header');
      return await call(said);
    }
  throw new NotApplicable(`no tool that may be called takes any ${type} that travels in a header`);
}

const plain: ReadonlySet<string> = new Set(['type', 'description', 'title', 'default', 'x-mcp-header']);

const characters: ProbeRule = {
  id: 'http-101',
  message: 'An argument header with non-ASCII characters is refused',
  fix: 'refuse Mcp-Param-<name> with bytes beyond 0x7E: such values travel in base64',
  over: 'http',
  needs: 'tools',
  async probe(harness) {
    const value = 'parley-\u00e9';
    const right = `=?base64?${Buffer.from(value).toString('base64')}?=`;
    return refusedWith(await calledAs(harness, { type: 'string', value, right, said: value }), { code: mismatched });
  },
};

const numerically: ProbeRule = {
  id: 'http-102',
  message: 'The header of an integer is compared as a number: 42.0 equals 42',
  fix: 'read the header as a number before it is compared',
  over: 'http',
  needs: 'tools',
  async probe(harness) {
    const answer = await calledAs(harness, { type: 'integer', value: 42, right: '42', said: '42.0' });
    return unless(errorCodeIn(answer) === mismatched, answer, 'it was taken for another number');
  },
};

/** Rules about them. */
export const mirroredRules: readonly ProbeRule[] = [required, compared, decoded, absent, characters, numerically];
