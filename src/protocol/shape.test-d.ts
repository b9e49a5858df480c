/** What the compiler must refuse about shapes; it is type-checked and never run. */

import type { MethodTypes } from './methods.ts';
import { array, literal, number, optional, ref, shape, since, string, widened, type ShapeOf } from './shape.ts';
import { toWire } from './compile/to-wire.ts';
import { newestRevision } from './revision.ts';
import type { CallToolResult } from './features/tools.ts';

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
toWire(newestRevision, 'Tool', { inputSchema: { type: 'object' } });
