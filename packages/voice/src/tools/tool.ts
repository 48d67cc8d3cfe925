import { parseCleanJson } from '@outdial/core';
import { z } from 'zod';
import type { ToolDeclaration } from '../language-model/index.ts';

export interface ToolOutcome {
  /** The result for the model. */
  text: string;
  /** The next step of the call. */
  step?: ToolStep;
  note?: CallNote;
}

export type ToolStep =
  | { kind: 'end_call'; reason: string }
  /** `target`: the agent's name for the number. */
  | { kind: 'transfer'; target: string; to: string; mode: 'warm' | 'cold' }
  | { kind: 'send_dtmf'; digits: string };

/** An entry of the call's `events`. Must contain no phone number. */
export interface CallNote {
  type: string;
  [detail: string]: unknown;
}

export interface Tool {
  declaration: ToolDeclaration;
  /** The tool completes even if the person speaks meanwhile. */
  runsToEnd: boolean;
  /** Takes the arguments as the model wrote them. Does not throw if they are invalid. */
  run(given: string, signal: AbortSignal): Promise<ToolOutcome>;
}

export function defineTool<Input>(tool: {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  runsToEnd?: boolean;
  run: (input: Input, signal: AbortSignal) => Promise<ToolOutcome>;
}): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    declaration: { name: tool.name, description: tool.description, parameters },
    runsToEnd: tool.runsToEnd ?? false,
    async run(given, signal) {
      const input = tool.input.safeParse(parseCleanJson(given.trim() === '' ? '{}' : given));
      if (input.success) return tool.run(input.data, signal);
      const faults = input.error.issues
        .slice(0, 10)
        .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
      return { text: `Not done: the arguments are invalid. ${faults.join('; ')}` };
    },
  };
}
