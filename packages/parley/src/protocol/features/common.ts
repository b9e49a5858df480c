/** The small types that many features share. */

import { from } from '../lifetime.ts';
import { loggingLevels, type LoggingLevel } from './logging-level.ts';
import {
  array,
  hint,
  integer,
  literal,
  oneOf,
  optional,
  ref,
  shape,
  share,
  since,
  string,
  type Row,
  type ShapeOf,
} from '../shape.ts';

/** A JSON object whose fields are not known here. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The speaker in a conversation with a model. */
export type Role = 'user' | 'assistant';

/** The id of a request, as messages that speak about it name it. */
export type RequestId = string | number;

/** The token that ties progress notifications to their request. */
export type ProgressToken = string | number;

/** The audience of a thing, its priority and its age. */
export interface Annotations {
  /** The roles for which the content is meant. */
  readonly audience?: readonly Role[];
  /** From 0 (entirely optional) to 1 (effectively required). */
  readonly priority?: number;
  /** An ISO 8601 time. Since 2025-06-18. */
  readonly lastModified?: string;
}

/** An image that stands for something in a user interface. Since 2025-11-25. */
export interface Icon {
  /** An `https:` or `data:` URI. */
  readonly src: string;
  /** The media type of the image. */
  readonly mimeType?: string;
  /** Sizes such as `48x48`, or `any` for a scalable image. */
  readonly sizes?: readonly string[];
  /** The background that the icon is drawn for. */
  readonly theme?: 'light' | 'dark';
}

/** The name and version of a client or server; for display only. */
export interface Implementation {
  /** The name of the program. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
  /** The name for people. Since 2025-06-18. */
  readonly title?: string;
  /** Since 2025-11-25. */
  readonly description?: string;
  /** Since 2025-11-25. */
  readonly icons?: readonly Icon[];
  /** Since 2025-11-25. */
  readonly websiteUrl?: string;
}

export const role: Row<Role, 'required'> = literal('user', 'assistant');
export const requestId: Row<RequestId, 'required'> = oneOf(string, integer);
export const progressToken: Row<ProgressToken, 'required'> = oneOf(string, integer);

export const annotationsShape: ShapeOf<Annotations> = shape('Annotations', {
  audience: optional(array(role)),
  priority: optional(share),
  lastModified: since('2025-06-18', optional(string)),
});

export const iconShape: ShapeOf<Icon> = shape(
  'Icon',
  {
    src: string,
    mimeType: optional(string),
    sizes: optional(array(string)),
    theme: optional(hint('light', 'dark')),
  },
  from('2025-11-25'),
);

/** The field `icons`, as every type that has it has it. */
export const icons: Row<readonly Icon[], 'optional'> = since('2025-11-25', optional(array(ref(iconShape))));

export const implementationShape: ShapeOf<Implementation> = shape('Implementation', {
  name: string,
  version: string,
  title: since('2025-06-18', optional(string)),
  description: since('2025-11-25', optional(string)),
  icons,
  websiteUrl: since('2025-11-25', optional(string)),
});

export const loggingLevel: Row<LoggingLevel, 'required'> = literal(...loggingLevels);
