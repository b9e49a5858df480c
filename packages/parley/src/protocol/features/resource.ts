/** Resources and what they hold, apart from how they are asked for. */

import { annotationsShape, icons, type Annotations, type Icon } from './common.ts';
import { meta } from './envelope.ts';
import type { MetaObject } from '../meta.ts';
import { choice, integer, optional, ref, shape, since, string, type Row, type RowsOf, type ShapeOf } from '../shape.ts';

/** Something that a server lets be read. */
export interface Resource {
  /** The URI of the resource. */
  readonly uri: string;
  /** The name of the resource. */
  readonly name: string;
  /** The name for people. Since 2025-06-18. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The media type, if known. */
  readonly mimeType?: string;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** The size of the content in bytes, before any encoding. */
  readonly size?: number;
  /** Since 2025-11-25. */
  readonly icons?: readonly Icon[];
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** A family of resources whose URIs follow a template (RFC 6570). */
export interface ResourceTemplate {
  /** The URI template (RFC 6570). */
  readonly uriTemplate: string;
  /** The name of the template. */
  readonly name: string;
  /** The name for people. Since 2025-06-18. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** The type of all resources that match, if they share one. */
  readonly mimeType?: string;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** Since 2025-11-25. */
  readonly icons?: readonly Icon[];
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** The content of a resource that is text. */
export interface TextResourceContents {
  /** The URI of the resource. */
  readonly uri: string;
  /** The media type, if known. */
  readonly mimeType?: string;
  /** The text of the resource. */
  readonly text: string;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** The content of a resource that is bytes, in base64. */
export interface BlobResourceContents {
  /** The URI of the resource. */
  readonly uri: string;
  /** The media type, if known. */
  readonly mimeType?: string;
  /** The bytes of the resource in Base64. */
  readonly blob: string;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

export const resourceRows: RowsOf<Resource> = {
  uri: string,
  name: string,
  title: since('2025-06-18', optional(string)),
  description: optional(string),
  mimeType: optional(string),
  annotations: optional(ref(annotationsShape)),
  size: optional(integer),
  icons,
  _meta: meta,
};

export const resourceShape: ShapeOf<Resource> = shape('Resource', resourceRows);

export const resourceTemplateShape: ShapeOf<ResourceTemplate> = shape('ResourceTemplate', {
  uriTemplate: string,
  name: string,
  title: since('2025-06-18', optional(string)),
  description: optional(string),
  mimeType: optional(string),
  annotations: optional(ref(annotationsShape)),
  icons,
  _meta: meta,
});

export const textResourceContentsShape: ShapeOf<TextResourceContents> = shape('TextResourceContents', {
  uri: string,
  mimeType: optional(string),
  text: string,
  _meta: meta,
});

export const blobResourceContentsShape: ShapeOf<BlobResourceContents> = shape('BlobResourceContents', {
  uri: string,
  mimeType: optional(string),
  blob: string,
  _meta: meta,
});

/** The content of one resource, text or bytes. */
export type AnyResourceContents = TextResourceContents | BlobResourceContents;

export const resourceContents: Row<AnyResourceContents, 'required'> = choice(
  'AnyResourceContents',
  textResourceContentsShape,
  blobResourceContentsShape,
);
