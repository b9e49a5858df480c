/** The part of `fetch` that is used; that of every runtime fits. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchResponse>;

/** One request as a `fetch` gets it: the part of `RequestInit` that is used. */
export interface FetchRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The headers, with names in any case. */
  readonly headers: Record<string, string>;
  /** The body; left out for a request without one. */
  readonly body?: string;
  /** Handling of redirects. A `fetch` may return a redirect itself in place of following it. */
  readonly redirect: 'manual' | 'follow' | 'error';
  /** `omit` if no cookies may be sent. */
  readonly credentials?: 'omit';
  /** Ends the request, and the reading of its body. */
  readonly signal: AbortSignal;
}

/** The answer of a `fetch`: the part of `Response` that is used. */
export interface FetchResponse {
  /** The HTTP status; 0 for a redirect that a browser does not show. */
  readonly status: number;
  /** The URL after redirects. */
  readonly url?: string;
  /** The headers. */
  readonly headers: {
    get(name: string): string | null;
    /** Lists all headers, with names in lower case, for recorders. The headers of every runtime support it. */
    [Symbol.iterator]?(): Iterator<[string, string]>;
  };
  /** The body; null if there is none. */
  readonly body: ByteStream | null;
}

/** A stream of bytes, such as a body. */
export interface ByteStream {
  /** Reads the body: the part of a `ReadableStreamDefaultReader` that is used. */
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel(reason?: unknown): Promise<void>;
  };
  /** The whole body, if it has arrived and was not read yet. Most bodies here arrive with their heads. */
  whole?(): Uint8Array | undefined;
}
