import type { InputContext, InputHandlers } from '../../../../parley/src/client/api/input-handlers.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { JsonView, QuestionView } from '../view.ts';
import { oddities } from './odd-hosts.ts';
import type { AskedQuestion, PersonsAnswer, Questions } from './questions.ts';

/** Surroundings of a question. */
export interface PersonsAsking {
  readonly server: string;
  readonly questions: Questions;
  /** Time of the question, the row of the message that asks, and the call during which it does. */
  about(context: InputContext): Pick<QuestionView, 't' | 'row' | 'during' | 'isRound'>;
  /** A value as the page may see it. */
  shown<T>(value: T): T;
}

/** Handlers that ask the person at the page. */
export function askingHandlers({
  server,
  questions,
  about,
  shown,
}: PersonsAsking): Required<Pick<InputHandlers, 'onElicit' | 'onElicitUrl' | 'onSample'>> {
  // Other fields from the server are shown too.
  const plain = (params: object): JsonView => ({ ...params });
  const ask = (asked: AskedQuestion, signal: AbortSignal): Promise<PersonsAnswer> =>
    questions.ask(asked, { signal, shown });
  return {
    async onElicit(params, context) {
      const asked = { server, kind: 'form' as const, params: plain(params), ...about(context) };
      const { action, content } = await ask(asked, context.signal);
      // The person may send anything, so that a server can be seen to refuse it.
      return action === 'accept' ? { action, content: (content ?? {}) as Record<string, never> } : { action };
    },
    async onElicitUrl(params, context) {
      const { host, url } = params;
      const asked = {
        server,
        kind: 'url' as const,
        params: plain(params),
        host,
        odd: oddities(url),
        ...about(context),
      };
      const { action } = await ask(asked, context.signal);
      return { action };
    },
    async onSample(params, context) {
      const asked = { server, kind: 'sampling' as const, params: plain(params), ...about(context) };
      const { action, content } = await ask(asked, context.signal);
      if (action !== 'accept') throw new McpError(-1, 'User rejected sampling request');
      return content as never;
    },
  };
}
