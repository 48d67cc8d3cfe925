import { parseCleanJson } from '@outdial/core';
import { z } from 'zod';
import type { ConversationStep } from '../conversation/conversation.ts';
import type { ToolDeclaration } from '../language-model/index.ts';

/** What a tool has to say: to the model, to the call, and to the call's record. */
export interface ToolOutcome {
  /** For the model. */
  text: string;
  /** What the call does next. */
  step?: Exclude<ConversationStep, { kind: 'say' | 'working' }>;
  note?: CallNote;
}

/** An entry of the call's `events`. Holds no phone number. */
export interface CallNote {
  type: string;
  [detail: string]: unknown;
}

export interface Tool {
  declaration: ToolDeclaration;
  /** What it has begun is finished when the person speaks meanwhile. */
  isFinished: boolean;
  /** Takes what the model wrote; never throws for that. */
  run(given: string, signal: AbortSignal): Promise<ToolOutcome>;
}

export function defineTool<Input>(tool: {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  isFinished?: boolean;
  run: (input: Input, signal: AbortSignal) => Promise<ToolOutcome>;
}): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    declaration: { name: tool.name, description: tool.description, parameters },
    isFinished: tool.isFinished ?? false,
    async run(given, signal) {
      const input = tool.input.safeParse(parseCleanJson(given.trim() === '' ? '{}' : given));
      if (input.success) return tool.run(input.data, signal);
      const faults = input.error.issues
        .slice(0, 10)
        .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
      return { text: `Not done, since the arguments are not right. ${faults.join('; ')}` };
    },
  };
}
