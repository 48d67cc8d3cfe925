import { parseJson } from '@outdial/core';
import { z } from 'zod';
import type { ToolCall } from './language-model.ts';

export type TextToolCall = Omit<ToolCall, 'id'>;

const callsAtMost = 16;
const given = z.union([z.string(), z.record(z.string(), z.unknown())]).nullish();
/** The forms in which models write tool calls as JSON. */
const jsonCall = z.object({
  name: z.string().nullish(),
  tool: z.string().nullish(),
  tool_name: z.string().nullish(),
  function: z.union([z.string(), z.object({ name: z.string(), arguments: given })]).nullish(),
  arguments: given,
  parameters: given,
  args: given,
  input: given,
});

/**
 * Reads the tool calls that a model wrote as text.
 * @param tools the tools that the model was offered. If only the name of one can be read, its arguments are the JSON in the text, or else the text
 */
export function toolCallsIn(text: string, tools: readonly string[]): TextToolCall[] {
  const calls = [...functionsIn(text), ...jsonIn(text).flatMap((value) => readCall(value, tools))];
  if (calls.length > 0) return calls.slice(0, callsAtMost);
  const words = text.split(/\W+/);
  const named = tools.find((name) => words.includes(name));
  if (named === undefined) return [];
  const from = text.indexOf('{');
  const end = from < 0 ? null : endOfJson(text, from);
  return [{ name: named, arguments: end === null ? text : text.slice(from, end) }];
}

/** Whether JSON that stands among spoken words is a tool call. */
export function isToolCall(json: string, tools: readonly string[]): boolean {
  return jsonIn(json).some((value) => readCall(value, tools).length > 0);
}

function readCall(value: unknown, tools: readonly string[]): TextToolCall[] {
  const call = jsonCall.safeParse(value).data;
  if (call === undefined) return [];
  const inner = typeof call.function === 'object' ? call.function : null;
  const called = typeof call.function === 'string' ? call.function : inner?.name;
  const name = call.name ?? call.tool ?? call.tool_name ?? called ?? '';
  const args = call.arguments ?? call.parameters ?? call.args ?? call.input ?? inner?.arguments;
  if (name === '' || (args == null && !tools.includes(name))) return [];
  return [{ name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) }];
}

/** `<function=name>` with JSON, or with a tag for each parameter. */
function functionsIn(text: string): TextToolCall[] {
  return [...text.matchAll(/<function=([\w.-]+)>(.*?)(?:<\/function>|$)/gs)].map(
    ([, name = '', body = '']) => {
      const parameters = [...body.matchAll(/<parameter=([\w.-]+)>(.*?)<\/parameter>/gs)];
      const read = parameters.map(
        ([, key = '', value = '']) => [key, parseJson(value) ?? value.trim()] as const,
      );
      return {
        name,
        arguments: parameters.length > 0 ? JSON.stringify(Object.fromEntries(read)) : body.trim(),
      };
    },
  );
}

/** The JSON objects in a text, also those of lists. */
function jsonIn(text: string): unknown[] {
  const found: unknown[] = [];
  for (let from = text.search(/[[{]/); from >= 0 && found.length < callsAtMost;) {
    const end = endOfJson(text, from);
    if (end === null) break;
    const value = parseJson(text.slice(from, end));
    found.push(...(Array.isArray(value) ? (value as unknown[]) : [value]));
    const next = text.slice(end).search(/[[{]/);
    from = next < 0 ? -1 : end + next;
  }
  return found;
}

/** Where the object or list that begins at `from` ends. Null if it does not. */
export function endOfJson(text: string, from: number): number | null {
  let depth = 0;
  let isText = false;
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (isText) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isText = false;
      continue;
    }
    if (letter === '"') isText = true;
    if ('[{'.includes(letter)) depth += 1;
    if (']}'.includes(letter)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return null;
}
