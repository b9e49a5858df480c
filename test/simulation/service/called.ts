/** What may be a call of a tool. */
interface Posted {
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly key?: number } };
}

/** A call of a client of ours: nearly all are, and need not be parsed. */
const asClientsSayIt =
  /^\{"jsonrpc":"2\.0","id":\d+,"method":"tools\/call","params":\{"name":"([^"\\]+)","arguments":\{"key":(\d+)\}/;

/** The calls of tools in a request, each by its tool and key. */
export function callsIn(method: string, body: string | undefined): readonly string[] {
  if (method !== 'POST' || body?.includes('"tools/call"') !== true) return [];
  const [, tool, key] = asClientsSayIt.exec(body) ?? [];
  if (tool !== undefined) return [`${tool} ${key}`];
  return [JSON.parse(body) as Posted | Posted[]]
    .flat()
    .flatMap(({ method: called, params }) =>
      called === 'tools/call' ? [`${params?.name} ${params?.arguments?.key}`] : [],
    );
}
