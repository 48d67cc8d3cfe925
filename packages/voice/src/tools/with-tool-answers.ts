import type { Tool } from './tool.ts';

/** Replaces tools with fixed answers, by name. */
export function withToolAnswers(
  tools: readonly Tool[],
  answers: Readonly<Record<string, string>>,
): readonly Tool[] {
  return tools.map((tool) => {
    const { name } = tool.declaration;
    const text = Object.hasOwn(answers, name) ? answers[name] : undefined;
    return text === undefined ? tool : { ...tool, run: () => Promise.resolve({ text }) };
  });
}
