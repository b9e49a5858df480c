import { renderContents } from '../call/render-result.ts';
import { requestLimits } from '../call/time-limit.ts';
import { noMoreWords, outputOf, savingOptions, useServer } from '../call/use-server.ts';
import { UsageError, type Io } from '../io.ts';
import { printed, shownJson } from '../shown.ts';

/** Reads a resource, and prints its contents. */
export async function readCommand(argv: readonly string[], io: Io): Promise<number> {
  return await useServer(argv, { io, options: savingOptions }, ({ parsed, words, json: given }, timed) => {
    const json = outputOf(given);
    const [uri, ...extra] = words;
    if (uri === undefined)
      throw new UsageError('name a resource by its URI: after the URL, or before the -- of a command');
    noMoreWords(extra);
    return {
      async run(client) {
        const result = await client.readResource(uri, requestLimits(timed));
        const output = parsed.text('output');
        const saved =
          output === undefined
            ? undefined
            : await (await import('../call/save.ts')).saveContents(result.contents, output, uri);
        const [only, ...others] = result.contents;
        // A text alone is printed as it is, so that it can be written to a file.
        const isText = saved === undefined && only !== undefined && 'text' in only && others.length === 0;
        const parts = isText ? [only.text] : result.contents.map((contents) => renderContents(contents, saved));
        const text = parts.map((part) => (part.endsWith('\n') ? part : `${part}\n`)).join('');
        timed.stdout.write(json ? `${shownJson(result, 2)}\n` : printed(text, 'lines'));
        return 0;
      },
    };
  });
}
