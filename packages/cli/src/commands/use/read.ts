import { renderContents } from '../call/render-result.ts';
import type { Client } from '../../../../parley/src/client/api/client.ts';
import { nearestWords } from '../../../../parley/src/options/nearest.ts';
import { McpError } from '../../../../parley/src/protocol/error.ts';
import type { Resource } from '../../../../parley/src/protocol/features/resource.ts';
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
        await refuseName(uri, client);
        const result = await client.readResource(uri, requestLimits(timed)).catch(async (error: unknown) => {
          throw error instanceof McpError ? await withNames(error, uri, client) : error;
        });
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

/** The error of a URI, with those of the server that may have been meant. */
async function withNames(error: McpError, uri: string, client: Client): Promise<Error> {
  const resources = await client.listResources().catch(() => []);
  const near = nearestWords(uri, uris(resources));
  return near === '' ? error : new Error(`${error.message}${near}`, { cause: error });
}

/** @throws UsageError for a name in the place of a URI, with the URI that was meant. */
async function refuseName(word: string, client: Client): Promise<void> {
  if (/^[a-z][a-z\d+.-]*:/i.test(word)) return;
  const resources = await client.listResources().catch(() => []);
  // Some servers use names as URIs.
  if (uris(resources).includes(word)) return;
  const named = resources.find(({ name, title }) => name === word || title === word);
  const meant =
    named === undefined ? nearestWords(word, uris(resources)) : `; that of ${JSON.stringify(word)} is ${named.uri}`;
  throw new UsageError(`${JSON.stringify(word)} is no URI of a resource, such as file:///a.txt${meant}`);
}

function uris(resources: readonly Resource[]): readonly string[] {
  return resources.map(({ uri }) => uri);
}
