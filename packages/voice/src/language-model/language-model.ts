export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[]; own?: ServerFields | null }
  | { role: 'tool'; toolCallId: string; content: string };

export interface ToolCall {
  id: string;
  name: string;
  /** As the model wrote them. They may not match the schema, or not even be JSON. */
  arguments: string;
}

/** Fields of an answer that only its endpoint knows. Some servers refuse to go on after a tool without them. */
export interface ServerFields {
  endpoint: string;
  message: Readonly<Record<string, unknown>>;
  /** By the id of a tool call. */
  calls: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
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
  /** The answer must be JSON that matches this schema. Servers that do not support schemas get the request without it. */
  answerSchema?: Record<string, unknown>;
}

export type ChatPart =
  | { kind: 'text'; text: string }
  /** The model wrote a tool call into its text that could not be read, or that names no tool that it was offered. */
  | { kind: 'tool_call_dropped' }
  /** Comes after all text. */
  | { kind: 'tool_calls'; calls: ToolCall[]; own?: ServerFields | null };

export interface ChatFigures {
  endpoint: string;
  firstPartMs: number;
  totalMs: number;
  promptTokens: number | null;
  answerTokens: number | null;
}

/** A chat model with its fallbacks. */
export interface LanguageModel {
  /**
   * Ends early, without an error, if the signal aborts.
   * @throws ModelFailedError if no endpoint gave a complete answer. Parts that were already yielded remain valid
   */
  answer(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
}
