export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls?: readonly ToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string };

export interface ToolCall {
  id: string;
  name: string;
  /** As the model wrote them. They may not match the schema, or not even be JSON. */
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
  /** The answer must be JSON that matches this schema. Servers that do not support schemas get the request without it. */
  answerSchema?: Record<string, unknown>;
}

export type ChatPart =
  | { kind: 'text'; text: string }
  /** Comes after all text. */
  | { kind: 'tool_calls'; calls: ToolCall[] };

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
