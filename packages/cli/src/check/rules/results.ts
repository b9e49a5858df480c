import type { JsonObject } from '../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import type { Harness } from '../harness/harness.ts';
import { problemOf, type CallableTool } from '../harness/allowed.ts';
import { completeIn, sendCall, type MadeCall } from '../harness/calls.ts';
import { errorCodeOf, type RawExchange } from '../harness/exchange.ts';
import { excerptOf } from '../harness/harness.ts';
import type { HeardMessage, ProbeRule, WatchRule } from '../rule.ts';
import { sortedText } from './common/canonical.ts';
import { uiAddress } from './common/ui-address.ts';
import {
  breaks,
  holds,
  NotAllowed,
  notApplicable,
  notJudged,
  type BrokenPlace,
  type RuleVerdict,
} from '../harness/verdict.ts';
import { wholeText } from '../whole-text.ts';

/** Rules about the results of tools, which are called where that is allowed. */

/** A result of a tool that did what it should. */
interface Success {
  readonly made: MadeCall;
  readonly result: JsonObject;
}

/** Results of all tools that could be called. @throws NotJudged where no tool may be. */
async function successes(harness: Harness): Promise<readonly Success[]> {
  const made = [...(await harness.made('mute')), ...(await harness.made('obliging'))];
  return made.flatMap((one) => (one.result === undefined || isError(one) ? [] : [{ made: one, result: one.result }]));
}

/** Most places at which one rule is told to be broken. */
const maxPlaces = 20;

function isError({ result }: MadeCall): boolean {
  return result?.['isError'] === true;
}

/** Judges each result; those that break it are told, by the names of their tools. `false` is said of one that says nothing of it. */
async function eachResult(
  harness: Harness,
  judge: (success: Success) => Promise<string | undefined | false> | string | undefined | false,
): Promise<RuleVerdict> {
  let judged = 0;
  const places: BrokenPlace[] = [];
  for (const success of await successes(harness)) {
    const found = await judge(success);
    if (found === false) continue;
    judged++;
    const { name } = success.made.of;
    const where = `tools/${name}`;
    const isKnown = places.some((place) => place.where === where);
    if (found !== undefined && !isKnown && places.length < maxPlaces)
      places.push({ exchange: success.made.last, why: `${name}: ${found}`, where });
  }
  const [first, ...more] = places;
  if (first !== undefined) return { verdict: 'breaks', ...first, more };
  return judged > 0 ? holds : notApplicable('no tool that was called gave such a result');
}

const fitsSchema: ProbeRule = {
  id: 'tools-011',
  message: 'The structured content of a result is valid by the outputSchema of its tool',
  fix: 'send structuredContent that is valid by outputSchema, or correct the schema',
  needs: 'tools',
  probe: (harness) =>
    eachResult(harness, async ({ made, result }) => {
      const { outputSchema } = made.of.tool;
      if (!isObject(outputSchema)) return false;
      if (result['structuredContent'] === undefined) return 'there is an outputSchema, and no structuredContent';
      const problem = await problemOf(outputSchema, result['structuredContent']);
      return problem?.startsWith('its schema cannot be used') === true ? false : problem;
    }),
};

/** Texts of a result. */
function textsOf({ content }: JsonObject): readonly string[] {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  return blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
}

const alsoAsText: ProbeRule = {
  id: 'tools-013',
  message: 'Structured content is also returned as JSON text',
  fix: 'add a text block with the JSON of structuredContent, for clients that only read text',
  needs: 'tools',
  probe: (harness) =>
    eachResult(harness, ({ result }) => {
      const { structuredContent } = result;
      if (structuredContent === undefined) return false;
      return textsOf(result).some((text) => isSame(text, structuredContent)) ? undefined : 'no text has it';
    }),
};

function isSame(text: string, value: unknown): boolean {
  try {
    return sortedText(JSON.parse(text)) === sortedText(JSON.parse(JSON.stringify(value)));
  } catch {
    return false;
  }
}

const textBesideValues: ProbeRule = {
  id: 'tools-014',
  message: 'A result whose structured content is not an object also has text',
  fix: 'add a text block',
  needs: 'tools',
  probe: (harness) =>
    eachResult(harness, ({ result }) => {
      const { structuredContent } = result;
      if (structuredContent === undefined || isObject(structuredContent)) return false;
      return textsOf(result).length > 0 ? undefined : 'it has none';
    }),
};

const textBesideApps: ProbeRule = {
  id: 'tools-046',
  message: 'A tool with an app also returns text for clients without apps',
  fix: 'add a text block, for clients that do not declare io.modelcontextprotocol/ui',
  needs: 'tools',
  probe: (harness) =>
    eachResult(harness, ({ made, result }) => {
      if (uiAddress(made.of.tool) === undefined) return false;
      return textsOf(result).some((text) => text.trim() !== '') ? undefined : 'it has none';
    }),
};

const declaresResources: ProbeRule = {
  id: 'tools-027',
  message: 'A server whose tools return resources declares resources',
  fix: 'declare it',
  needs: 'tools',
  probe: async (harness) => {
    const { capabilities } = await harness.offer();
    return await eachResult(harness, ({ result: { content } }) => {
      const has = Array.isArray(content) && content.some((block) => isObject(block) && block['type'] === 'resource');
      if (!has) return false;
      return isObject(capabilities['resources']) ? undefined : 'a result has a resource';
    });
  },
};

/** Arguments that do not fit, made of some that do: the first parameter of another type, else a required one left out. */
async function wrongArguments({ tool, args }: CallableTool): Promise<JsonObject | undefined> {
  const { inputSchema } = tool;
  const properties = isObject(inputSchema) && isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = isObject(inputSchema) && Array.isArray(inputSchema['required']) ? inputSchema['required'] : [];
  const candidates: JsonObject[] = [
    ...required.map((name) => Object.fromEntries(Object.entries(args).filter(([key]) => key !== name))),
    // What is mirrored in headers has to be there, and as it is.
    ...Object.entries(properties)
      .filter(([, schema]) => isObject(schema) && schema['x-mcp-header'] === undefined)
      .map(([name]) => ({ ...args, [name]: { 'parley-check': [name] } })),
  ];
  for (const candidate of candidates) if ((await problemOf(inputSchema, candidate)) !== undefined) return candidate;
  return undefined;
}

/** Calls each tool whose right call worked with wrong arguments, and gives the first verdict that is none of being kept. */
async function onWrongArguments(
  harness: Harness,
  judge: (exchange: RawExchange & { readonly code: unknown }, result: JsonObject | undefined) => string | undefined,
): Promise<RuleVerdict> {
  const right = (await harness.made('obliging')).filter((one) => one.result !== undefined && !isError(one));
  return await harness.asked(async (probeClient) => {
    let judged = 0;
    for (const { of } of right) {
      const args = await wrongArguments(of);
      if (args === undefined) continue;
      const answer = await sendCall(probeClient, of, { args });
      if (answer.response === undefined) return notJudged(`${of.name}: ${excerptOf(answer)}`);
      judged++;
      const found = judge({ ...answer, code: errorCodeOf(answer.response) }, completeIn(answer));
      if (found !== undefined) return breaks(answer, `${of.name}: ${found}`, `tools/${of.name}`);
    }
    return judged > 0 ? holds : notApplicable('no tool that works can be called with wrong arguments');
  });
}

const validates: ProbeRule = {
  id: 'tools-035',
  message: 'A call with arguments that do not match the inputSchema is not served',
  fix: 'validate arguments by inputSchema before the tool runs',
  needs: 'tools',
  probe: (harness) =>
    onWrongArguments(harness, (_, result) =>
      result === undefined || result['isError'] === true ? undefined : 'it was served',
    ),
};

const failsSoftly: ProbeRule = {
  id: 'tools-025',
  message: 'Wrong arguments get a result with isError, so the model can correct them',
  fix: 'answer with a result that has isError true and says what is wrong',
  needs: 'tools',
  probe: (harness) =>
    onWrongArguments(harness, ({ code }) =>
      code === undefined ? undefined : `it was refused with the error ${JSON.stringify(code)}`,
    ),
};

const anyCase: ProbeRule = {
  id: 'tools-017',
  message: 'Tool names are case-sensitive',
  fix: 'compare names of tools letter by letter',
  needs: 'tools',
  once: true,
  async probe(harness) {
    const right = (await harness.made('obliging')).filter((one) => one.result !== undefined && !isError(one));
    // A server that tells no case would run the tool: who judges says by the name that it may.
    const unlisted = (await harness.allowed()).filter((one) => 'why' in one && one.isUnlisted === true);
    for (const { of } of right) {
      const other = unlisted.find(({ name }) => name.toLowerCase() === of.name.toLowerCase());
      if (other === undefined || harness.destructive.has(of.name)) continue;
      harness.calledAnyway(other.name);
      const answer = await harness.asked((probeClient) => sendCall(probeClient, { ...of, name: other.name }));
      const isServed = answer.result !== undefined && answer.result['isError'] !== true;
      return isServed ? breaks(answer, `${of.name} was called as ${other.name}`, `tools/${of.name}`) : holds;
    }
    throw new NotAllowed('it needs a tool that works, and its name in another case: --calls sum,SUM');
  },
};

/** Makes a rule about each block of content of one type, wherever content comes. */
function aboutBlocks(
  rule: Omit<WatchRule, 'watch'>,
  type: string,
  fault: (block: JsonObject) => string | undefined,
): WatchRule {
  return {
    ...rule,
    watch({ message: { result }, request }: HeardMessage) {
      const content = request?.['method'] === 'tools/call' && isObject(result) ? result['content'] : undefined;
      const blocks = Array.isArray(content) ? content.filter((one) => isObject(one) && one['type'] === type) : [];
      if (blocks.length === 0) return 'not-seen';
      const params = request?.['params'];
      const name = isObject(params) ? wholeText(params['name']) : '?';
      const [first, ...more] = blocks.flatMap((block) => {
        const found = isObject(block) ? fault(block) : undefined;
        const at = (content as readonly unknown[]).indexOf(block);
        return found === undefined ? [] : [{ breaks: `${name}: ${found}`, where: `tools/${name}/content[${at}]` }];
      });
      if (first !== undefined) return { ...first, more };
      return 'holds';
    },
  };
}

function mediaFault({ data, mimeType }: JsonObject): string | undefined {
  if (typeof mimeType !== 'string') return 'it has no mimeType';
  return isBase64(data) ? undefined : 'its data is no base64';
}

/** Tells whether a value is text in base64. */
export function isBase64(value: unknown): boolean {
  return typeof value === 'string' && value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
}

const blocks: readonly WatchRule[] = [
  aboutBlocks(
    {
      id: 'tools-028',
      fields: ['content[].text'],
      message: 'A text block has text',
      fix: 'send {"type": "text", "text": "…"}',
    },
    'text',
    ({ text }) => (typeof text === 'string' ? undefined : 'its text is none'),
  ),
  aboutBlocks(
    {
      id: 'tools-029',
      fields: ['content[].data', 'content[].mimeType'],
      message: 'An image has data in base64 and a mimeType',
      fix: 'send both',
    },
    'image',
    mediaFault,
  ),
  aboutBlocks(
    {
      id: 'tools-030',
      fields: ['content[].data', 'content[].mimeType'],
      message: 'Audio has data in base64 and a mimeType',
      fix: 'send both',
    },
    'audio',
    mediaFault,
  ),
  aboutBlocks(
    {
      id: 'tools-031',
      fields: ['content[].resource'],
      message: 'An embedded resource has a URI, and text or base64',
      fix: 'send uri, and text or blob',
    },
    'resource',
    ({ resource }) =>
      isObject(resource) &&
      typeof resource['uri'] === 'string' &&
      (typeof resource['text'] === 'string' || isBase64(resource['blob']))
        ? undefined
        : 'it has no uri, or neither text nor base64',
  ),
];

/** Rules about what tools give. */
export const resultRules: readonly (ProbeRule | WatchRule)[] = [
  fitsSchema,
  alsoAsText,
  textBesideValues,
  textBesideApps,
  anyCase,
  declaresResources,
  validates,
  failsSoftly,
  ...blocks,
];
