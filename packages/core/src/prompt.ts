export interface RenderedPrompt {
  text: string;
  /** Names of placeholders without a value, each once, in the order of their first appearance; they stay in the text as they are. */
  missing: string[];
}

/**
 * A prompt of 100,000 characters, whose values have 64 KiB, stays below it. Without a limit a value that is named ten thousand times would make half a gigabyte
 * of both, wherever a call is sent, looked up or listed.
 */
export const renderedCharactersAtMost = 262_144;

/**
 * Replaces `{{name}}` and `{{ name }}` in one pass: a value that holds `{{x}}` is not expanded, so what a caller sends as a value
 * cannot reach other values. Only own properties count, so that `{{constructor}}` is a name like any other. Values stop where they would make the text longer than `renderedCharactersAtMost`: placeholders stay as they
 * are then, and are told of like those without a value.
 */
export function renderPrompt(template: string, params: Readonly<Record<string, string>>): RenderedPrompt {
  const missing = new Set<string>();
  let characters = template.length;
  const text = template.replace(/\{\{([^{}]*)\}\}/g, (placeholder, inner: string) => {
    const name = inner.trim();
    if (name === '') return placeholder;
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value !== undefined && characters + value.length <= renderedCharactersAtMost) {
      characters += value.length - placeholder.length;
      return value;
    }
    missing.add(name);
    return placeholder;
  });
  return { text, missing: [...missing] };
}
