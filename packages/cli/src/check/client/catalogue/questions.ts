import type { JsonObject } from '../../../../../parley/src/protocol/features/common.ts';
import { isObject } from '../../../../../parley/src/jsonrpc/message.ts';
import type { Revision } from '../../../../../parley/src/protocol/revision.ts';
import type { Prompted } from '../client-session.ts';

/** State that a client has to send back as it is: it has all that one could be tempted to change. */
export const opaqueState = ' eyJzdGVwIjoxfQ==.%2B+/"\\é\u2028 ';

const form = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

/** A form. */
export const elicitation: Prompted = {
  method: 'elicitation/create',
  params: { message: 'What is your name?', requestedSchema: form },
};
const roots: Prompted = { method: 'roots/list', params: {} };
/** A question for the model. */
export const sampling: Prompted = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }], maxTokens: 20 },
};

/** Questions for a client, by the capabilities that it declared. */
export function questionsFor(revision: Revision, capabilities: JsonObject): readonly Prompted[] {
  const has = (name: string): boolean => isObject(capabilities[name]);
  const { elicitation: declared } = capabilities;
  const asksForms = isObject(declared) && (Object.keys(declared).length === 0 || isObject(declared['form']));
  return [
    ...(asksForms && revision.elicitation !== 'none' ? [elicitation] : []),
    ...(has('roots') ? [roots] : []),
    ...(has('sampling') ? [sampling] : []),
  ];
}

/** Words of the result: for how many things was asked. */
export function askedWords({ length }: readonly Prompted[]): string {
  return length === 0 ? 'This client declares nothing that it could be asked for.' : `asked for ${length} things`;
}
