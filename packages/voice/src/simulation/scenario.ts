import { z } from 'zod';

const words = z.string().trim().min(1).max(2_000);
/** A text to find, case-insensitive; or a regular expression between slashes. */
const pattern = z.string().min(1).max(500).refine(isPattern, { error: 'is not a regular expression' });
const patterns = z.array(pattern).max(50).default([]);
const toolName = z.string().min(1).max(100);

function isPattern(text: string): boolean {
  try {
    patternOf(text);
    return true;
  } catch {
    return false;
  }
}

export function patternOf(text: string): RegExp {
  const [, expression] = /^\/(.+)\/$/s.exec(text) ?? [];
  return new RegExp(expression ?? text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`), 'iu');
}

const line = z.union(
  [
    z.strictObject({ says: words }),
    z.strictObject({ interrupts: words, after_words: z.int().min(0).max(500).default(3) }),
    z.strictObject({ is_silent_seconds: z.number().min(0.1).max(300) }),
  ],
  { error: 'must be one of `says`, `interrupts`, `is_silent_seconds`' },
);

export type CallerLine = z.output<typeof line>;

const caller = z.union(
  [
    z.array(line).max(200),
    z.strictObject({
      prompt: z.string().min(1).max(20_000),
      endpoint: z.string().default('llm'),
      turns_at_most: z.int().min(1).max(50).default(10),
    }),
  ],
  { error: 'must be a list of lines, or an object with a `prompt`' },
);

const expectation = z.strictObject({
  said: patterns.describe('Words that the agent must say and the person must hear'),
  not_said: patterns,
  tools: z.array(toolName).max(50).default([]).describe('Tools that must be used, in this order'),
  not_tools: z.array(toolName).max(50).default([]),
  extract: z.record(z.string(), z.unknown()).optional().describe('Fields of the extract, and their values'),
  ended_by: z.enum(['agent', 'person', 'transfer']).optional(),
  interruptions: z.int().min(0).optional().describe('Answers that were cut off'),
  turns_at_most: z.int().min(1).optional(),
  seconds_at_most: z.number().min(1).optional(),
});

export type Expectation = z.output<typeof expectation>;

export const scenario = z.strictObject({
  name: z.string().min(1).max(200),
  caller,
  prompt_params: z.record(z.string(), z.string()).default({}),
  tools: z
    .record(toolName, z.string().max(20_000))
    .default({})
    .describe('Fixed answers of tools, in place of real ones'),
  expect: expectation.prefault({}),
});

export type Scenario = z.output<typeof scenario>;

/** The file that `outdial agent test` reads. */
export const scenarioFile = z.strictObject({
  agent: z.string().min(1).describe('The name or id of the agent'),
  prompt_params: z.record(z.string(), z.string()).default({}),
  scenarios: z.array(scenario).min(1).max(500),
});
