import { z } from 'zod';
import type { ChatMessage, ChatRequest } from './language-model.ts';

/**
 * A chunk of a streamed answer of `/chat/completions`. Servers omit, add and null different fields, so only the fields that we use are checked:
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
export const chatChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.object({
                  index: z.int().min(0).max(63).nullish(),
                  id: z.string().max(200).nullish(),
                  function: z
                    .object({ name: z.string().max(200).nullish(), arguments: z.string().nullish() })
                    .nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number().nullish(), completion_tokens: z.number().nullish() }).nullish(),
  /** Some servers report a failure within the stream. */
  error: z.unknown().optional(),
});

export type ChatChunk = z.output<typeof chatChunk>;

/** The body of a 400, in OpenAI's format. */
export const refusal = z.object({ error: z.object({ param: z.string().nullish() }) });

/** Differences between servers, learned from their refusals. */
export interface Dialect {
  /** OpenAI's newer models refuse `max_tokens`. */
  tokensField: 'max_tokens' | 'max_completion_tokens';
  answerFormat: boolean;
}

export function requestBody(
  request: ChatRequest,
  settings: { model: string | null; temperature: number | null },
  dialect: Dialect,
): object {
  const { tools, answerSchema } = request;
  return {
    ...(settings.model !== null && { model: settings.model }),
    ...(settings.temperature !== null && { temperature: settings.temperature }),
    [dialect.tokensField]: request.maxTokens,
    stream: true,
    stream_options: { include_usage: true },
    messages: request.messages.map(messageBody),
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(answerSchema !== undefined &&
      dialect.answerFormat && {
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: answerSchema } },
      }),
  };
}

function messageBody(message: ChatMessage): object {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      const calls = toolCalls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: call.arguments },
      }));
      return { role: 'assistant', content: content === '' ? null : content, tool_calls: calls };
    }
  }
}
