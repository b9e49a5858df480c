/** Verbs by which a person answers a server. */

import { parseJson, JsonError } from '../../../../parley/src/json/parse.ts';
import { isObject } from '../../../../parley/src/jsonrpc/message.ts';
import { VerbError } from '../http/body.ts';
import type { Verb } from '../http/listen.ts';
import { problemsOf } from '../servers/calls.ts';
import type { Questions } from '../servers/questions.ts';
import { verb } from './verb.ts';

/** Makes the verbs of questions. @param openPage Opens a page in the browser of the person. */
export function askingVerbs(
  questions: Questions,
  openPage: (url: string) => Promise<void>,
): readonly (readonly [string, Verb])[] {
  return [
    [
      'answer',
      verb({ question: 'number', action: 'text', text: 'text?' }, ({ question, action, text }) => {
        if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
          throw new VerbError(400, `${action} is not a valid answer`);
        const content = text === undefined ? {} : { content: contentOf(text) };
        questions.answer(question, { action, ...content });
        return {};
      }),
    ],
    [
      'validate-answer',
      verb({ question: 'number', text: 'text', tool: 'text?' }, async ({ question, text, tool }) => {
        try {
          // It may have been answered since the last key, which is no mistake of the page.
          const { params } = questions.question(question);
          const schema = tool === undefined ? params['requestedSchema'] : schemaOfTool(params['tools'], tool);
          return { problems: await problemsOf(schema ?? {}, contentOf(text)) };
        } catch (error) {
          if (error instanceof VerbError) return { problems: [{ path: '', message: error.message }] };
          throw error;
        }
      }),
    ],
    [
      'visit',
      verb({ question: 'number' }, async ({ question }) => {
        const { kind, params } = questions.question(question);
        if (kind !== 'url' || typeof params['url'] !== 'string') throw new VerbError(400, 'this question has no page');
        await openPage(params['url']);
        return {};
      }),
    ],
  ];
}

/** Schema of the arguments of a tool that a model may use. */
function schemaOfTool(tools: unknown, name: string): unknown {
  const tool: unknown = Array.isArray(tools) ? tools.find((one) => isObject(one) && one['name'] === name) : undefined;
  return isObject(tool) ? tool['inputSchema'] : undefined;
}

function contentOf(text: string): unknown {
  try {
    return text.trim() === '' ? {} : parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new VerbError(400, `this is not JSON: ${error.message}`, { cause: error });
    throw error;
  }
}
