import type { Prompt } from '../../../../parley/src/protocol/features/prompts.ts';
import { renderBlock } from '../call/render-result.ts';
import { requestLimits } from '../call/time-limit.ts';
import { listedBefore, unknownName } from '../call/unknown-name.ts';
import { argumentHint, neededName, savingOptions, useServer } from '../call/use-server.ts';
import { argumentWords } from '../call/argument-words.ts';
import { UsageError, type Io } from '../io.ts';
import { printed, shownJson } from '../shown.ts';

/** Fills a prompt in, and prints its messages. */
export async function promptCommand(argv: readonly string[], io: Io): Promise<number> {
  return await useServer(
    argv,
    { io, options: savingOptions, hint: argumentHint },
    ({ parsed, words, json, mayBeCommand }, timed) => {
      const [first, ...rest] = words;
      const name = neededName(first, 'a prompt');
      const { pairs, input } = argumentWords(rest, json.input);
      const given = { ...textsOf(input), ...Object.fromEntries(pairs) };
      return {
        async run(client) {
          const prompts = await listedBefore('prompt', client.listPrompts(requestLimits(timed)), timed);
          const known = prompts?.find((one) => one.name === name);
          if (known === undefined && prompts !== undefined && client.supports('prompts'))
            throw new Error(unknownName('prompt', name, { known: prompts, mayBeCommand }));
          if (known !== undefined) requireArguments(known, given);
          const result = await client.getPrompt(name, given, requestLimits(timed));
          const output = parsed.text('output');
          const blocks = result.messages.map(({ content }) => content);
          const saved =
            output === undefined ? undefined : await (await import('../call/save.ts')).saveBlocks(blocks, output, name);
          const text = result.messages
            .map(({ role, content }) => `${role}: ${lineEnded(renderBlock(content, saved))}`)
            .join('');
          timed.stdout.write(json.output ? `${shownJson(result, 2)}\n` : printed(text, 'lines'));
          return 0;
        },
      };
    },
  );
}

function lineEnded(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Arguments of prompts are texts; JSON of another type is given as it would be typed. */
function textsOf(input: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  const texts = Object.entries(input).map(
    ([name, value]) => [name, typeof value === 'string' ? value : shownJson(value)] as const,
  );
  return Object.fromEntries(texts);
}

function requireArguments({ name, arguments: list = [] }: Prompt, given: Readonly<Record<string, string>>): void {
  const missing = list.filter((one) => one.required === true && !Object.hasOwn(given, one.name));
  if (missing.length === 0) return;
  const names = missing.map((one) => one.name).join(', ');
  throw new UsageError(`${name} needs ${names}; write ${missing.map((one) => `${one.name}=…`).join(' ')}`);
}
