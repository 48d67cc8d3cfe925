/** A message of a conversation, as chat models take it. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string };

export interface ToolCall {
  id: string;
  name: string;
  /** JSON, as the model wrote it: it may not be what was asked for, nor JSON at all. */
  arguments: string;
}

export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  tools: readonly ToolDeclaration[];
  maxTokens: number;
  /** The answer must be JSON of this schema; servers that cannot hold a model to it are asked without. */
  answerSchema?: Record<string, unknown>;
}

export type ChatPart =
  | { kind: 'text'; text: string }
  /** Whole, and after all text. */
  | { kind: 'tool_calls'; calls: ToolCall[] };

/** What one answer took, for the record of the call. */
export interface ChatFigures {
  endpoint: string;
  firstPartMs: number;
  totalMs: number;
  promptTokens: number | null;
  answerTokens: number | null;
}

/** Writes answers. Where one endpoint fails the next one is asked. */
export interface LanguageModel {
  /**
   * @throws ModelFailedError where no endpoint gave a whole answer; parts that came before it stand. Ends without an error where the
   * signal aborts.
   */
  answer(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
}

/** No endpoint answered, or the answer broke off. The message names no content. */
export class ModelFailedError extends Error {
  readonly code = 'model_failed';
  readonly endpoint: string;
  readonly reason: ModelFailure;
  /** How long the agent lets it be silent; null if that had no part in it. */
  readonly silentMs: number | null;

  constructor(
    endpoint: string,
    reason: ModelFailure,
    { silentMs = null, ...options }: { cause?: unknown; silentMs?: number | null } = {},
  ) {
    super(`the endpoint ${endpoint} failed: ${reason}`, options);
    this.name = 'ModelFailedError';
    this.endpoint = endpoint;
    this.reason = reason;
    this.silentMs = silentMs;
  }
}

export type ModelFailure =
  | 'silent_too_long'
  | 'unreachable'
  | 'broke_off'
  | 'not_understood'
  | 'too_long'
  | `status_${number}`;
