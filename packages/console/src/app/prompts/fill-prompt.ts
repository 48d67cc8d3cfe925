/** A piece of a prompt: literal text, or a placeholder with or without its value. */
export type PromptPiece =
  | { kind: 'text'; text: string }
  | { kind: 'value'; name: string; text: string }
  | { kind: 'missing'; name: string };

const placeholder = /\{\{([^{}]+)\}\}/g;

/** The names of a prompt's placeholders, without duplicates, in order. */
export function placeholdersOf(prompt: string): string[] {
  const names = [...prompt.matchAll(placeholder)].map(([, name = '']) => name.trim());
  return [...new Set(names)].filter((name) => name !== '');
}

export function fillPrompt(prompt: string, values: Readonly<Record<string, string>>): PromptPiece[] {
  const pieces: PromptPiece[] = [];
  let at = 0;
  for (const match of prompt.matchAll(placeholder)) {
    const name = match[1]?.trim() ?? '';
    if (name === '') continue;
    if (match.index > at) pieces.push({ kind: 'text', text: prompt.slice(at, match.index) });
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    pieces.push(value === undefined ? { kind: 'missing', name } : { kind: 'value', name, text: value });
    at = match.index + match[0].length;
  }
  if (at < prompt.length) pieces.push({ kind: 'text', text: prompt.slice(at) });
  return pieces;
}
