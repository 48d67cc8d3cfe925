const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The `highlight` of a passage (HTML with `<mark>` and nothing else) as text: it never becomes HTML of the page. */
export function highlightPieces(html: string): Array<{ text: string; isFound: boolean }> {
  return html
    .split(/(<mark>.*?<\/mark>)/s)
    .filter((part) => part !== '')
    .map((part) => ({
      text: part
        .replace(/^<mark>|<\/mark>$/g, '')
        .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? ''),
      isFound: part.startsWith('<mark>'),
    }));
}
