export interface RenderedPrompt {
  text: string;
  /** Names of placeholders without a value, each once, in the order of their first appearance; they stay in the text as they are. */
  missing: string[];
}

/**
 * A prompt of 100,000 characters with values of 64 KiB stays below this limit. Without a limit, a value that is used ten thousand times would produce half a gigabyte
 * whenever a call is sent, looked up or listed.
 */
export const renderedCharactersAtMost = 262_144;

/**
 * Replaces `{{name}}` and `{{ name }}` in one pass. A value that contains `{{x}}` is not expanded, so a caller's value
 * cannot reach other values. Only own properties count, so `{{constructor}}` is a name like any other. Once a value would make the text longer than `renderedCharactersAtMost`, placeholders stay unreplaced,
 * and are reported like those without a value.
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

const namesAtMost = 20;

/**
 * Names in single braces, as `{name}`, which other systems use and `renderPrompt` leaves as they are: the person called would hear them. Each once, 20 at most. A name
 * begins with a letter, so that `{}`, `{"a": 1}` and `{1}` are none.
 */
export function singleBracedNames(template: string): string[] {
  const names = new Set<string>();
  for (const [, name = ''] of template.matchAll(
    /(?<!\{)\{[ \t]{0,4}(\p{L}[\p{L}\p{N}_.-]{0,63})[ \t]{0,4}\}(?!\})/gu,
  )) {
    names.add(name);
    if (names.size === namesAtMost) break;
  }
  return [...names];
}
