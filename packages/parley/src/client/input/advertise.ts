import type { ClientCapabilities, ClientTasksCapability } from '../../protocol/capability.ts';

/** The handlers that imply a capability each. */
export interface Installed {
  readonly form: boolean;
  readonly url: boolean;
  readonly sampling: boolean;
  readonly roots: boolean;
  /** Capability of answering as tasks. */
  readonly tasks?: ClientTasksCapability | undefined;
}

/** Adds the capabilities that installed handlers imply. Declared capabilities do not change. */
export function advertised(
  declared: ClientCapabilities,
  { form, url, sampling, roots, tasks }: Installed,
): ClientCapabilities {
  const elicitation = declared.elicitation ?? (form || url ? {} : undefined);
  const sayNothing = elicitation?.form === undefined && elicitation?.url === undefined;
  // Spec 2025-11-25, Elicitation, Capabilities: an empty object means forms, and must go on meaning that.
  const forms = form || (declared.elicitation !== undefined && sayNothing && url);
  return {
    ...declared,
    ...(elicitation && { elicitation: { ...(forms && { form: {} }), ...(url && { url: {} }), ...elicitation } }),
    ...(sampling && { sampling: declared.sampling ?? {} }),
    ...(tasks && { tasks: declared.tasks ?? tasks }),
    ...(roots && { roots: declared.roots ?? { listChanged: true } }),
  };
}
