export interface RenderedPrompt {
  text: string;
  /** Names of placeholders without a value, each once, in the order of their first appearance; they stay in the text as they are. */
  missing: string[];
}

/**
 * Replaces `{{name}}` and `{{ name }}` in one pass: a value that holds `{{x}}` is not expanded, so what a caller sends as a value
 * cannot reach other values. Only own properties count, so that `{{constructor}}` is a name like any other.
 */
export function renderPrompt(template: string, params: Readonly<Record<string, string>>): RenderedPrompt {
  const missing = new Set<string>();
  const text = template.replace(/\{\{([^{}]*)\}\}/g, (placeholder, inner: string) => {
    const name = inner.trim();
    if (name === '') return placeholder;
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value !== undefined) return value;
    missing.add(name);
    return placeholder;
  });
  return { text, missing: [...missing] };
}
