/** What the compiler must refuse about shapes; it is type-checked and never run. */

import type { MethodTypes } from './catalogue.ts';
import { array, literal, number, optional, ref, shape, since, string, widened, type ShapeOf } from './shape.ts';
import { toWire } from './compile/to-wire.ts';
import { newestRevision } from './revision.ts';
import { completeResultShape, type CompleteResult } from './features/completion.ts';
import {
  emptyResultShape,
  notificationParamsShape,
  type EmptyResult,
  type NotificationParams,
} from './features/envelope.ts';
import { listRootsRequestParamsShape, type ListRootsRequestParams } from './features/roots.ts';
import { callToolResultShape, type CallToolResult } from './features/tools.ts';
import { always } from './lifetime.ts';
import type { MethodRowOf, MethodRows, NotificationOf, RequestOf } from './method.ts';
import { toolShape } from './features/tool.ts';

interface Thing {
  readonly name: string;
  readonly size?: number;
  readonly kind?: 'a' | 'b';
  readonly [other: string]: unknown;
}

export const right: ShapeOf<Thing> = shape('Thing', {
  name: string,
  size: since('2025-06-18', optional(number)),
  kind: optional(literal('a', 'b')),
});

// @ts-expect-error: a field has no row
export const tooFew: ShapeOf<Thing> = shape('Thing', { name: string, size: optional(number) });

// @ts-expect-error: a row has no field
export const tooMany: ShapeOf<Pick<Thing, 'name'>> = shape('Thing', { name: string, other: string });

// @ts-expect-error: an optional field is not required
export const required: ShapeOf<{ readonly size?: number }> = shape('Thing', { size: number });

// @ts-expect-error: a required field is not optional
export const lax: ShapeOf<{ readonly size: number }> = shape('Thing', { size: optional(number) });

// @ts-expect-error: the field is no string
export const wrongKind: ShapeOf<{ readonly size: number }> = shape('Thing', { size: string });

// @ts-expect-error: there is no value c
export const wrongValue: ShapeOf<{ readonly kind: 'a' | 'b' }> = shape('Thing', { kind: literal('a', 'c') });

export const nested: ShapeOf<{ readonly things: readonly Thing[] }> = shape('Things', { things: array(ref(right)) });

export const wider: ShapeOf<{ readonly size: number }> = shape('Thing', {
  // @ts-expect-error: what was narrower once is of the same type
  size: widened('2025-06-18', string, number),
});

export const result: MethodTypes['tools/call']['result'] = { content: [] } satisfies CallToolResult;

// @ts-expect-error: a tool has a name
toWire(newestRevision, toolShape, { inputSchema: { type: 'object' } });

/** The methods of a feature. */
interface Methods {
  readonly 'x/ask': RequestOf<ListRootsRequestParams, CompleteResult>;
  readonly 'notifications/x': NotificationOf<NotificationParams>;
}

const asked = { kind: 'request', from: 'client', lifetime: always, params: listRootsRequestParamsShape } as const;
const told = { kind: 'notification', from: 'server', lifetime: always, params: notificationParamsShape } as const;

export const rows: MethodRows<Methods> = {
  'x/ask': { ...asked, result: completeResultShape },
  'notifications/x': told,
};

// @ts-expect-error: the result is another
export const other: MethodRowOf<Methods['x/ask']> = { ...asked, result: callToolResultShape };

type Acknowledged = RequestOf<ListRootsRequestParams, EmptyResult>;
export const empty: MethodRowOf<Acknowledged> = { ...asked, result: emptyResultShape };
// @ts-expect-error: the result has fields that the type does not have
export const more: MethodRowOf<Acknowledged> = { ...asked, result: completeResultShape };

// @ts-expect-error: the type has fields that the result does not have
export const less: MethodRowOf<Methods['x/ask']> = { ...asked, result: emptyResultShape };

// @ts-expect-error: a request has a result
export const silent: MethodRowOf<Methods['x/ask']> = asked;

// @ts-expect-error: a notification has none
export const answered: MethodRowOf<Methods['notifications/x']> = { ...told, result: emptyResultShape };

// @ts-expect-error: a method of the feature has no row
export const fewer: MethodRows<Methods> = { 'notifications/x': told };
