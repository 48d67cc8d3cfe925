function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

export function allOf(lexemes: readonly string[]): string {
  return lexemes.map(quoted).join(' & ');
}

export function anyOf(lexemes: readonly string[]): string {
  return lexemes.map(quoted).join(' | ');
}

/** @param queries complete texts of queries; empty ones are ignored */
export function eitherOf(queries: readonly string[]): string {
  const given = queries.filter((query) => query !== '');
  return given.length < 2 ? (given[0] ?? '') : given.map((query) => `(${query})`).join(' | ');
}

/** The words in the text of a query, each as often as it occurs. */
export function lexemesOf(query: string): string[] {
  return [...query.matchAll(/'((?:[^']|'')*)'/g)].map(([, lexeme = '']) =>
    lexeme.replaceAll("''", "'").replaceAll('\\\\', '\\'),
  );
}
