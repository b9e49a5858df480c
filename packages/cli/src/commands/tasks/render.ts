import type { TaskUpdate } from '../../../../parley/src/client/api/task-handle.ts';
import type { InputRequest } from '../../../../parley/src/protocol/features/rounds.ts';
import { clipped, table } from '../explain/text.ts';
import { shownJson } from '../shown.ts';

/** Width to which a task is written. */
const width = 110;

/** Writes how a task stands, for a person or as JSON. */
export function renderUpdate(
  update: TaskUpdate,
  { tool, json }: { readonly tool: string; readonly json: boolean },
): string {
  if (json) return `${shownJson(update, 2)}\n`;
  const { status, statusMessage, createdAt, lastUpdatedAt, ttlMs, inputRequests = {} } = update;
  const rows: (readonly [string, string])[] = [
    ['status', statusMessage === undefined ? status : `${status}: ${clipped(statusMessage, 1_000)}`],
    ...(tool === '' ? [] : [['tool', clipped(tool, 200)] as const]),
    ['created', `${clipped(createdAt, 40)}, last changed ${clipped(lastUpdatedAt, 40)}`],
    ['kept', keptWords(createdAt, ttlMs)],
    ...Object.entries(inputRequests).map(
      ([key, request]) => ['asks', `${clipped(key, 100)}: ${questionWords(request)}`] as const,
    ),
  ];
  return table(rows, width, 0);
}

/** Time until which a task is kept. */
export function keptWords(createdAt: string, ttlMs: number | null): string {
  if (ttlMs === null) return 'without limit';
  const until = new Date(Date.parse(createdAt) + ttlMs);
  const seconds = `${Math.round(ttlMs / 1000)} s`;
  return Number.isNaN(until.getTime()) ? seconds : `until ${until.toISOString()} (${seconds})`;
}

/** A question of a task, and the possible input. */
export function questionWords(request: InputRequest): string {
  if (request.method !== 'elicitation/create') return request.method;
  const { params } = request;
  const message = clipped(params.message, 1_000);
  if (params.mode === 'url') return `${message} (a page to visit: ${clipped(params.url, 1_000)})`;
  const { properties, required = [] } = params.requestedSchema;
  const fields = Object.entries(properties).map(
    ([name, { type }]) => `${clipped(name, 100)}${required.includes(name) ? '' : '?'}: ${type}`,
  );
  return fields.length === 0 ? message : `${message} (${fields.join(', ')})`;
}
