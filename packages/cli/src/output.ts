import type { CliContext } from './cli-context.ts';

/** Prints the result of a command: a JSON document with `--json`, otherwise lines of text. */
export function say(
  context: CliContext,
  options: { json?: boolean },
  result: object,
  lines: string | readonly string[],
): void {
  const text = typeof lines === 'string' ? lines : lines.join('\n');
  context.out.write(options.json === true ? `${JSON.stringify(result)}\n` : text === '' ? '' : `${text}\n`);
}

export function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
