/** Tools, apart from how they are called. */

import { coreTasks } from '../capability.ts';
import { icons, type Icon } from './common.ts';
import { meta } from './envelope.ts';
import { from } from '../lifetime.ts';
import type { MetaObject } from '../meta.ts';
import {
  array,
  between,
  boolean,
  hint,
  literal,
  looseString,
  map,
  object,
  optional,
  ref,
  shape,
  since,
  string,
  widened,
  type ShapeOf,
} from '../shape.ts';

/** Promises of a tool about itself; hints from an untrusted server prove nothing. Since 2025-03-26. */
export interface ToolAnnotations {
  /** The name to show. */
  readonly title?: string;
  /** It changes nothing. Absent means false. */
  readonly readOnlyHint?: boolean;
  /** It may destroy, not only add. Absent means true. */
  readonly destructiveHint?: boolean;
  /** Calling it again changes nothing more. Absent means false. */
  readonly idempotentHint?: boolean;
  /** It deals with the world outside. Absent means true. */
  readonly openWorldHint?: boolean;
}

/** The use of tasks for a tool. Within 2025-11-25. */
export interface ToolExecution {
  /** Absent means forbidden. */
  readonly taskSupport?: 'forbidden' | 'optional' | 'required';
}

/** The JSON Schema of a tool's arguments: an object at its root. */
export interface ToolInputSchema {
  /** The dialect; absent means 2020-12. */
  readonly $schema?: string;
  /** Arguments are an object. */
  readonly type: 'object';
  /** The schemas of the arguments, by name. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** The names of the arguments that must be given. */
  readonly required?: readonly string[];
  /** Any other keyword of JSON Schema. */
  readonly [keyword: string]: unknown;
}

/** The JSON Schema of a tool's structured content; before 2026-07-28 an object at its root. */
export interface ToolOutputSchema {
  /** The dialect; absent means 2020-12. */
  readonly $schema?: string;
  /** Any keyword of JSON Schema. */
  readonly [keyword: string]: unknown;
}

/** A function that a model can call. */
export interface Tool {
  /** The name by which the tool is called. */
  readonly name: string;
  /** The name for people. Since 2025-06-18. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The JSON Schema of the arguments. */
  readonly inputSchema: ToolInputSchema;
  /** Since 2025-06-18; a root that is no object is wrapped before 2026-07-28. */
  readonly outputSchema?: ToolOutputSchema;
  /** Since 2025-03-26. */
  readonly annotations?: ToolAnnotations;
  /** Within 2025-11-25. */
  readonly execution?: ToolExecution;
  /** Since 2025-11-25. */
  readonly icons?: readonly Icon[];
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

export const toolAnnotationsShape: ShapeOf<ToolAnnotations> = shape(
  'ToolAnnotations',
  {
    title: optional(string),
    readOnlyHint: optional(boolean),
    destructiveHint: optional(boolean),
    idempotentHint: optional(boolean),
    openWorldHint: optional(boolean),
  },
  from('2025-03-26'),
);

export const toolExecutionShape: ShapeOf<ToolExecution> = shape(
  'ToolExecution',
  { taskSupport: optional(hint('forbidden', 'optional', 'required')) },
  coreTasks,
);

export const toolInputSchemaShape: ShapeOf<ToolInputSchema> = shape('ToolInputSchema', {
  $schema: optional(looseString),
  type: literal('object'),
  // Booleans are schemas since 2026-07-28.
  properties: optional(widened('2026-07-28', map(object), object)),
  required: optional(array(string)),
});

export const toolOutputSchemaShape: ShapeOf<ToolOutputSchema> = shape(
  'ToolOutputSchema',
  { $schema: optional(looseString) },
  from('2025-06-18'),
);

export const toolShape: ShapeOf<Tool> = shape('Tool', {
  name: string,
  title: since('2025-06-18', optional(string)),
  description: optional(string),
  inputSchema: ref(toolInputSchemaShape),
  outputSchema: since(
    '2025-06-18',
    optional(widened('2026-07-28', ref(toolInputSchemaShape), ref(toolOutputSchemaShape))),
  ),
  annotations: since('2025-03-26', optional(ref(toolAnnotationsShape))),
  execution: between('2025-11-25', '2026-07-28', optional(ref(toolExecutionShape))),
  icons,
  _meta: meta,
});
