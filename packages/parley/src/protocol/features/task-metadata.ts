/** The wish that a request runs as a task. */

import { coreTasks } from '../capability.ts';
import { integer, optional, shape, type ShapeOf } from '../shape.ts';

/** Asks that a request runs as a task. Within 2025-11-25. */
export interface TaskMetadata {
  /** Time that the task should be kept from its creation, in milliseconds. */
  readonly ttl?: number;
}

export const taskMetadataShape: ShapeOf<TaskMetadata> = shape('TaskMetadata', { ttl: optional(integer) }, coreTasks);
