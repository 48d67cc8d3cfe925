import type { Tool } from './tool.ts';

/** The agent's tools, with what those are to answer that are named; they do nothing then. */
export function rehearsedTools(
  tools: readonly Tool[],
  answers: Readonly<Record<string, string>>,
): readonly Tool[] {
  return tools.map((tool) => {
    const { name } = tool.declaration;
    const text = Object.hasOwn(answers, name) ? answers[name] : undefined;
    return text === undefined ? tool : { ...tool, run: () => Promise.resolve({ text }) };
  });
}
