/** The blocks that tool results and messages are made of. */

import { annotationsShape, type Annotations } from './common.ts';
import { meta } from './envelope.ts';
import { from } from '../lifetime.ts';
import type { MetaObject } from '../meta.ts';
import { resourceContents, resourceRows, type AnyResourceContents, type Resource } from './resource.ts';
import { literal, optional, ref, shape, string, tagged, type Row, type ShapeOf } from '../shape.ts';

/** Text. */
export interface TextContent {
  /** Names the kind of content. */
  readonly type: 'text';
  /** The text. */
  readonly text: string;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** An image, in base64. */
export interface ImageContent {
  /** Names the kind of content. */
  readonly type: 'image';
  /** The image in Base64. */
  readonly data: string;
  /** The media type of the image. */
  readonly mimeType: string;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** Sound, in base64. Since 2025-03-26; before, it travels as a text that says what it was. */
export interface AudioContent {
  /** Names the kind of content. */
  readonly type: 'audio';
  /** The audio data in Base64. */
  readonly data: string;
  /** The media type of the audio data. */
  readonly mimeType: string;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** A resource that the client may read. Since 2025-06-18; before, it travels as a text that names it. */
export interface ResourceLink extends Resource {
  /** Names the kind of content. */
  readonly type: 'resource_link';
}

/** The content of a resource, as part of a message. */
export interface EmbeddedResource {
  /** Names the kind of content. */
  readonly type: 'resource';
  /** The contents of the resource. */
  readonly resource: AnyResourceContents;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** Since 2025-06-18. */
  readonly _meta?: MetaObject;
}

/** One block of a tool result or of a prompt's message. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

const blockRows: { readonly annotations: Row<Annotations, 'optional'>; readonly _meta: Row<MetaObject, 'optional'> } = {
  annotations: optional(ref(annotationsShape)),
  _meta: meta,
};

export const textContentShape: ShapeOf<TextContent> = shape('TextContent', {
  type: literal('text'),
  text: string,
  ...blockRows,
});

export const imageContentShape: ShapeOf<ImageContent> = shape('ImageContent', {
  type: literal('image'),
  data: string,
  mimeType: string,
  ...blockRows,
});

export const audioContentShape: ShapeOf<AudioContent> = shape(
  'AudioContent',
  { type: literal('audio'), data: string, mimeType: string, ...blockRows },
  from('2025-03-26'),
);

export const resourceLinkShape: ShapeOf<ResourceLink> = shape(
  'ResourceLink',
  { type: literal('resource_link'), ...resourceRows },
  from('2025-06-18'),
);

export const embeddedResourceShape: ShapeOf<EmbeddedResource> = shape('EmbeddedResource', {
  type: literal('resource'),
  resource: resourceContents,
  ...blockRows,
});

export const contentBlock: Row<ContentBlock, 'required'> = tagged('ContentBlock', 'type', {
  text: textContentShape,
  image: imageContentShape,
  audio: audioContentShape,
  resource_link: resourceLinkShape,
  resource: embeddedResourceShape,
});
