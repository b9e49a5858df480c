/**
 * Definitions of a server's tools, resources and prompts as they are written down; every type that the user's code
 * infers is here.
 */

import type { CacheHint } from '../../protocol/features/envelope.ts';
import type { Annotations, Icon } from '../../protocol/features/common.ts';
import type { ContentBlock } from '../../protocol/features/content.ts';
import type { GetPromptResult, PromptArgument, PromptMessage } from '../../protocol/features/prompts.ts';
import type {
  BlobResourceContents,
  ReadResourceResult,
  Resource,
  TextResourceContents,
} from '../../protocol/features/resources.ts';
import type { CallToolResult, ToolAnnotations } from '../../protocol/features/tools.ts';
import type { ClientFlag } from '../../protocol/capability.ts';
import type { AuthInfo } from '../runtime/request-handler.ts';
import type { ExtensionResult } from '../runtime/extension-result.ts';
import type { AnySchema, InferInput, InferOutput, Written } from '../../schema/infer.ts';
import type { StandardSchema } from '../../schema/standard.ts';
import type { CompleterContext, ToolContext, RequestContext } from './tool-context.ts';
import type { InputRequired } from './input-required.ts';
import type { TaskSupport } from './task-definition.ts';
import type { VariableNames, VariablesOf } from '../uri-template/types.ts';

/** Parts that every definition may have, for people and for clients. */
export interface CommonDefinition {
  /** The name that people read. */
  readonly title?: string;
  /** A description, for the model or the user. */
  readonly description?: string;
  /** Icons to show. */
  readonly icons?: readonly Icon[];
  /**
   * Tells whether a caller may see it. For other callers it is neither listed nor found. It runs for each list and each
   * use, and must return synchronously. `auth` is `undefined` without authorization. If its outcome changes without a
   * new token, call `server.changed`. By default every caller sees it.
   */
  readonly visible?: (auth: AuthInfo | undefined) => boolean;
  /** Sent as `_meta`; keys are names, with a prefix such as `com.example/` unless they are yours and the client's. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A tool, apart from its name and its handler. */
export interface ToolDefinition<
  I extends AnySchema | undefined = undefined,
  O extends AnySchema | undefined = undefined,
> extends CommonDefinition {
  /** Schema of the arguments; a tool without it takes none. The root must be an object. */
  readonly input?: I & NoFields<I>;
  /**
   * Schema of the value that the handler returns; it then travels as `structuredContent` and is checked before it is
   * sent.
   */
  readonly output?: O & NoFields<O>;
  /** Hints about what the tool does, such as `readOnlyHint`. */
  readonly annotations?: ToolAnnotations;
  /**
   * Use of tasks. With `'optional'`, clients that support tasks get a task if a call takes long. With `'required'`,
   * only these clients can call it. The handler is the same for a call and a task, in every revision. By default a call
   * is never a task.
   */
  readonly task?: TaskSupport;
  /**
   * The scopes that a caller needs, for all calls or by their arguments. A caller that lacks one gets a 403 that names
   * all of them. They are checked over HTTP, where a caller without authorization has none, and wherever there is
   * authorization.
   */
  readonly scopes?: ScopesFor<InferArgs<I>>;
}

/** Required scopes: a fixed list, or a function of the arguments, which returns synchronously. */
export type ScopesFor<Args> = readonly string[] | { by(args: Args): readonly string[] }['by'];

/**
 * Rejects fields that are schemas of a library, if a schema is expected. They belong in its object, as in
 * `z.object({ … })`.
 */
type NoFields<S> = S extends { readonly '~standard': unknown }
  ? unknown
  : [keyof S] extends [never]
    ? unknown
    : S extends Readonly<Record<string, { readonly '~standard': unknown }>>
      ? 'wrap the fields, as in z.object({ … })'
      : unknown;

/** The arguments of a tool without `input`. */
export type NoArguments = Readonly<Record<never, never>>;

/** The arguments of a tool's handler: the output of the input schema, with defaults filled in. */
export type InferArgs<I> = [I] extends [undefined]
  ? NoArguments
  : unknown extends InferOutput<I>
    ? Readonly<Record<string, unknown>>
    : InferOutput<I>;

/**
 * The return value of a tool's handler. With an output schema: a value of it, or a whole result. Without: text, content
 * blocks, a whole result, or nothing.
 */
export type ToolReturn<O> =
  | Written<CallToolResult>
  | InputRequired
  | ExtensionResult
  | OutputValue<O>
  // Intersections, instead of one conditional type, let TypeScript infer literal types in a handler.
  | (PlainReturn & WithoutOutput<O>);

/** Value that the handler of a tool without an output schema may return beside a whole result. */
export type PlainReturn = string | Written<ContentBlock> | readonly Written<ContentBlock>[] | undefined | void;

type WithoutOutput<O> = [O] extends [undefined] ? unknown : never;
type OutputValue<O> = [O] extends [undefined] ? never : Written<InferInput<O>>;

/**
 * Runs a tool. An error that it throws becomes a failed call, and the model reads only that it failed. Throw a
 * `ToolError` for a message that the model may read, or set `exposeErrors` of the server. An `McpError` is a protocol
 * error.
 */
export type ToolHandler<I, O> = (args: InferArgs<I>, ctx: ToolContext) => ToolReturn<O> | Promise<ToolReturn<O>>;

/** A resource at a fixed URI. */
export interface ResourceDefinition extends CommonDefinition {
  /** The name of the resource. */
  readonly name: string;
  /** The media type, if known. */
  readonly mimeType?: string;
  /** Its size in bytes, before any encoding. */
  readonly size?: number;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** The cache hint for reads whose result has none. Sent in 2026-07-28 and later. */
  readonly cache?: CacheHint;
  /** The scopes that reading and watching it needs; the terms are those of a tool's. */
  readonly scopes?: readonly string[];
}

/**
 * The return value of reading a resource: text, bytes, contents, or a whole result. Text and bytes get the URI that was asked
 * for and the MIME type of the definition.
 */
export type ReadReturn =
  | string
  | Uint8Array
  | Written<TextResourceContents | BlobResourceContents>
  | readonly Written<TextResourceContents | BlobResourceContents>[]
  | Written<ReadResourceResult>
  | InputRequired
  | ExtensionResult;

/** Reads a resource. */
export type ResourceReader = (uri: string, ctx: ToolContext) => ReadReturn | Promise<ReadReturn>;

/** Resources whose URIs follow a template (RFC 6570, levels 1 to 4). */
export interface ResourceTemplateDefinition<Template extends string = string> extends CommonDefinition {
  /** The name of the template. */
  readonly name: string;
  /** The media type, if known. */
  readonly mimeType?: string;
  /** Hints for the reader: audience, priority, last change. */
  readonly annotations?: Annotations;
  /** The cache hint for reads whose result has none. Sent in 2026-07-28 and later. */
  readonly cache?: CacheHint;
  /**
   * True if variables may contain path traversal; false by default. Then a reader that builds paths from them stays
   * inside its folder, with `path.resolve` as with `path.join`. A URI is not found if a variable has a segment `..`
   * (also `..;`), begins with a slash, a backslash or a drive (`c:/`), or has a null character. That includes
   * percent-encoded forms at any depth. The reader must check symbolic links and device names itself.
   */
  readonly allowTraversal?: boolean;
  /**
   * The scopes that reading or subscribing needs, by its variables. For completions, only the variables that are
   * already filled in are passed. The rules are those of a tool's `scopes`.
   */
  readonly scopes?: ScopesFor<VariablesOf<Template>>;
  /** Suggests values of variables. */
  readonly complete?: { readonly [Name in VariableNames<Template>]?: Completer };
  /** Names the resources of the template that exist, for `resources/list`. */
  readonly list?: (ctx: RequestContext) => readonly Resource[] | Promise<readonly Resource[]>;
}

/**
 * Reads a resource of a template; `undefined` means that there is none. The variables are decoded. Their values are
 * only checked as `allowTraversal` says.
 */
export type ResourceTemplateReader<Template extends string> = (
  uri: string,
  variables: VariablesOf<Template>,
  ctx: ToolContext,
) => ReadReturn | undefined | Promise<ReadReturn | undefined>;

/** The arguments of a prompt: a schema of an object of strings, or a list. */
export type PromptArguments = StandardSchema | readonly PromptArgument[];

/** A prompt, apart from its name and its handler. */
export interface PromptDefinition<A extends PromptArguments | undefined = undefined> extends CommonDefinition {
  /** The arguments, as a Standard Schema or by name. */
  readonly arguments?: A;
  /** The scopes that it needs; for completions by the arguments that are settled, of which any may be missing. The terms are those of a tool's. */
  readonly scopes?: ScopesFor<InferPromptArgs<A>>;
  /** Suggests values of arguments. */
  readonly complete?: { readonly [Name in ArgumentNames<A>]?: Completer };
}

/** The names of a prompt's arguments. */
export type ArgumentNames<A> = A extends readonly { readonly name: infer Name extends string }[]
  ? Name
  : A extends StandardSchema
    ? keyof InferInput<A> & string
    : string;

/** The arguments that a prompt's handler gets. */
export type InferPromptArgs<A> = [A] extends [undefined]
  ? NoArguments
  : A extends readonly (infer Argument)[]
    ? Flat<
        { readonly [Row in Argument as Row extends { readonly required: true } ? NameOf<Row> : never]: string } & {
          readonly [Row in Argument as Row extends { readonly required: true } ? never : NameOf<Row>]?: string;
        }
      >
    : InferOutput<A>;

type NameOf<Row> = Row extends { readonly name: infer Name extends string } ? Name : never;
type Flat<T> = { [Key in keyof T]: T[Key] };

/** The return value of a prompt: text (one message of the user), messages, or a whole result. */
export type PromptReturn =
  | string
  | Written<PromptMessage>
  | readonly Written<PromptMessage>[]
  | Written<GetPromptResult>
  | InputRequired
  | ExtensionResult;

/** Writes a prompt out. */
export type PromptHandler<A> = (args: InferPromptArgs<A>, ctx: ToolContext) => PromptReturn | Promise<PromptReturn>;

/** Suggests values for the text that the user has typed so far. At most 100 of them are sent. */
export type Completer = (value: string, ctx: CompleterContext) => Completions | Promise<Completions>;

/** Suggested values, best first. */
export type Completions =
  | readonly string[]
  | { readonly values: readonly string[]; readonly total?: number; readonly hasMore?: boolean };

/**
 * A method of the server's own, apart from its name and its handler. A client calls it with `client.request`; names have a prefix
 * that is yours, such as `com.example/`.
 */
export interface MethodDefinition<
  P extends AnySchema | undefined = undefined,
  R extends AnySchema | undefined = undefined,
> {
  /**
   * Schema of the parameters, without `_meta`; without it any are handed on as they came. The root must be an object.
   */
  readonly params?: P & NoFields<P>;
  /** Schema of the value that the handler returns, an object; it is checked before it is sent. */
  readonly result?: R & NoFields<R>;
  /**
   * Capability that a client must have declared, such as `'elicitation.form'`; others are refused with
   * `missingRequiredClientCapability`.
   */
  readonly capability?: ClientFlag;
  /** The extension that it belongs to: the server declares it, and so must a client that calls it. */
  readonly extension?: string;
  /**
   * Tells whether a caller may see it. For other callers the method does not exist. The rules are those of a tool's
   * `visible`. A method with `visible` is not among the capabilities, since every client sees those.
   */
  readonly visible?: (auth: AuthInfo | undefined) => boolean;
  /** The scopes that a caller needs, of all calls or by their parameters; the terms are those of a tool's. */
  readonly scopes?: ScopesFor<InferParams<P>>;
}

/** The parameters that the handler of a method gets. */
export type InferParams<P> = [P] extends [undefined] ? Readonly<Record<string, unknown>> : InferArgs<P>;

/** The return value of a method's handler: a value of its schema, or any object of JSON, or nothing, without one. */
export type MethodReturn<R> =
  | ExtensionResult
  | ([R] extends [undefined] ? object | undefined | void : Written<InferInput<R>>);

/**
 * Answers a method. An error that it throws becomes an internal error without its message, except for an `McpError`. It
 * cannot ask its client. Only tools, prompts and reads of resources can, in every revision.
 */
export type MethodHandler<P, R> = (
  params: InferParams<P>,
  ctx: RequestContext,
) => MethodReturn<R> | Promise<MethodReturn<R>>;

/** A registered item, which can be changed while the server runs. Clients are notified of every change. */
export interface Handle<Definition> {
  /** True when clients see it. */
  readonly enabled: boolean;
  /**
   * Replaces the given parts of the definition.
   *
   * @throws TypeError for parts that it does not have or that cannot be used, and when it was removed; nothing changes then.
   */
  update(changes: Partial<Definition>): void;
  /** Shows it to clients again; nothing happens when it is shown already. */
  enable(): void;
  /** Hides it from clients: it is neither listed nor usable. */
  disable(): void;
  /** Removes it permanently. Its name is free again. Removing twice is fine. */
  remove(): void;
}

/** The part of a server that defines what it offers. Every method throws a TypeError if the name is taken. */
export interface Definitions {
  /**
   * Defines a tool. The model does not see errors that it throws, except for a `ToolError`, whose message is meant for
   * it. See also `exposeErrors`.
   *
   * @throws TypeError when a schema cannot be used, or `input` is not an object at its root.
   *
   * @example server.tool('forecast', { input: z.object({ city: z.string() }) }, ({ city }) => `sunny in ${city}`);
   */
  tool<const I extends AnySchema | undefined = undefined, const O extends AnySchema | undefined = undefined>(
    name: string,
    definition: ToolDefinition<I, O>,
    handler: NoInfer<ToolHandler<I, O>>,
  ): Handle<ToolDefinition<I, O>>;

  /**
   * Defines the resource at a URI.
   *
   * @throws TypeError when the URI is not absolute, or a template: that is for `resourceTemplate`.
   */
  resource(uri: string, definition: ResourceDefinition, read: ResourceReader): Handle<ResourceDefinition>;

  /**
   * Defines the resources whose URIs follow a template.
   *
   * @throws TypeError when the template is malformed.
   *
   * @example
   * server.resourceTemplate('user://{id}', { name: 'user' }, (uri, { id }) => JSON.stringify(users.get(id)));
   */
  resourceTemplate<Template extends string>(
    template: Template,
    definition: ResourceTemplateDefinition<Template>,
    read: ResourceTemplateReader<Template>,
  ): Handle<ResourceTemplateDefinition<Template>>;

  /**
   * Defines a method of your own, for clients of every revision. The protocol has no list of such methods. So the
   * server declares their names in the experimental capability `parley-mcp/methods`.
   *
   * @throws TypeError when a schema cannot be used, the name is one of the protocol, or the extension is not declared.
   *
   * @example server.method('com.example/search', { params: z.object({ text: z.string() }) }, ({ text }) => ({ hits:
   * find(text) }));
   */
  method<const P extends AnySchema | undefined = undefined, const R extends AnySchema | undefined = undefined>(
    name: string,
    definition: MethodDefinition<P, R>,
    handler: NoInfer<MethodHandler<P, R>>,
  ): Handle<MethodDefinition<P, R>>;

  /** Defines a prompt. */
  prompt<const A extends PromptArguments | undefined = undefined>(
    name: string,
    definition: PromptDefinition<A>,
    get: PromptHandler<A>,
  ): Handle<PromptDefinition<A>>;
}
