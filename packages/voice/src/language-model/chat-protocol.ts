import { parseJson } from '@outdial/core';
import { z } from 'zod';
import type { Dialect } from './dialect.ts';
import type { ChatMessage, ChatRequest, ServerFields } from './language-model.ts';

const isSpoken = (type: string | null | undefined) =>
  type == null || type === 'text' || type === 'output_text';

/** A text, or parts of which only texts are spoken. */
const content = z
  .union([
    z.string(),
    z
      .array(z.object({ type: z.string().nullish(), text: z.unknown().optional() }))
      .transform((parts) =>
        parts.map(({ type, text }) => (isSpoken(type) && typeof text === 'string' ? text : '')).join(''),
      ),
  ])
  .nullish();

const message = z.looseObject({
  content,
  refusal: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        index: z.int().min(0).nullish(),
        id: z.string().max(2_000).nullish(),
        function: z
          .object({
            name: z.string().max(200).nullish(),
            arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
});

/**
 * A chunk of a streamed answer of `/chat/completions`, or an answer that is not streamed, which has `message`. Servers omit, add and null different
 * fields, so only the fields that we use are checked: https://platform.openai.com/docs/api-reference/chat-streaming
 */
export const chatChunk = z.object({
  choices: z
    .array(
      z.object({ delta: message.nullish(), message: message.nullish(), finish_reason: z.string().nullish() }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
  /** Some servers report a failure within the stream. */
  error: z.unknown().optional(),
});

export type ChatChunk = z.output<typeof chatChunk>;

/** A request with the settings of its endpoint, in the form that the server accepts. */
export function requestBody(
  request: ChatRequest,
  settings: { endpoint: string; model: string | null; temperature: number | null },
  dialect: Dialect,
): object {
  const { tools, answerSchema } = request;
  return {
    ...(settings.model !== null && { model: settings.model }),
    ...(settings.temperature !== null && dialect.temperature && { temperature: settings.temperature }),
    ...(dialect.tokensField !== null && { [dialect.tokensField]: request.maxTokens }),
    stream: true,
    ...(dialect.usage && { stream_options: { include_usage: true } }),
    messages: request.messages.map((each) => messageBody(each, dialect.ownFields ? settings.endpoint : null)),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(answerSchema !== undefined &&
      dialect.answerFormat && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: answerSchema } },
      }),
  };
}

/** @param endpoint gets its own fields back. Null: they are left out */
function messageBody(message: ChatMessage, endpoint: string | null): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      const own = message.own?.endpoint === endpoint ? message.own : null;
      const calls = toolCalls.map((call) => ({
        ...own?.calls[call.id],
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: jsonOf(call.arguments) },
      }));
      return {
        ...own?.message,
        role: 'assistant',
        content: content === '' ? null : content,
        tool_calls: calls,
      };
    }
  }
}

/** Servers refuse a history whose arguments are not JSON. */
function jsonOf(given: string): string {
  const value = parseJson(given);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? given : '{}';
}

const standardFields = new Set(['role', 'content', 'tool_calls', 'refusal', 'function_call', 'audio']);
const ownFieldsAtMost = 200_000;

/** Gathers the fields of a message that only its server knows, such as thoughts that it wants back after a tool. */
export function gatherOwnFields() {
  const fields: Record<string, unknown> = {};
  return {
    add(delta: z.output<typeof message>) {
      for (const [field, value] of Object.entries(delta)) {
        if (standardFields.has(field) || value == null) continue;
        fields[field] = joined(fields[field], value);
      }
    },
    of(
      endpoint: string,
      calls: ReadonlyArray<{ id: string; own: Record<string, unknown> }>,
    ): ServerFields | null {
      const ofCalls = calls
        .filter(({ own }) => Object.keys(own).length > 0)
        .map(({ id, own }) => [id, own] as const);
      if (ofCalls.length === 0 && Object.keys(fields).length === 0) return null;
      const own = { endpoint, message: fields, calls: Object.fromEntries(ofCalls) };
      return JSON.stringify(own).length <= ownFieldsAtMost ? own : null;
    },
  };
}

/** Texts and lists come in pieces. */
function joined(before: unknown, value: unknown): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return before.concat(value) as unknown[];
  return value;
}
