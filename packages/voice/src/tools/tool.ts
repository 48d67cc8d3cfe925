import { parseCleanJson } from '@outdial/core';
import { z } from 'zod';
import type { ToolDeclaration } from '../language-model/index.ts';

export interface ToolOutcome {
  /** The result for the model. */
  text: string;
  /** The person will not be called again: a fixed sentence says so, and the call ends. No model is asked any more. */
  hasOptedOut?: true;
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
  /** The tool runs before the others that the model calls with it. */
  runsFirst?: boolean;
  /** Takes the arguments as the model wrote them. Does not throw if they are invalid. */
  run(given: string, signal: AbortSignal): Promise<ToolOutcome>;
}

/** @param tool `otherwise`: the input to run with if the arguments do not fit. By default the tool does not run, and the model is told why */
export function defineTool<Input>(tool: {
  name: string;
  description: string;
  input: z.ZodType<Input>;
  otherwise?: Input;
  runsToEnd?: boolean;
  runsFirst?: boolean;
  run: (input: Input, signal: AbortSignal) => Promise<ToolOutcome>;
}): Tool {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    declaration: { name: tool.name, description: tool.description, parameters },
    runsToEnd: tool.runsToEnd ?? false,
    runsFirst: tool.runsFirst ?? false,
    async run(given, signal) {
      const value = readArguments(given);
      const input = tool.input.safeParse(value);
      if (input.success) return tool.run(input.data, signal);
      // Models write null for what they leave out.
      const others = tool.input.safeParse(withoutNulls(value));
      if (others.success) return tool.run(others.data, signal);
      if (tool.otherwise !== undefined) return tool.run(tool.otherwise, signal);
      const faults = input.error.issues
        .slice(0, 10)
        .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
      return { text: `Not done: the arguments are invalid. ${faults.join('; ')}` };
    },
  };
}

/** Some models write JSON into JSON. */
function readArguments(given: string): unknown {
  const value = parseCleanJson(given.trim() === '' ? '{}' : given);
  return typeof value === 'string' ? parseCleanJson(value) : (value ?? undefined);
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}
