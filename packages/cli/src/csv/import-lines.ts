import type { ImportLine, RefusedLine } from '@outdial/contracts';
import type { FileFault } from '../cli-error.ts';
import type { CliContext } from '../cli-context.ts';
import { openFile } from '../open-file.ts';
import { readRows } from './read-rows.ts';

const chunkLength = 5_000;

/** Imports the rows of a file in chunks, each by one `keep`, which commits. Returns how many were added, and the fault of each other row. */
export async function importLines(
  context: CliContext,
  file: string,
  args: {
    itemOf: (cells: ReadonlyMap<string, string>) => ImportLine['item'];
    keep: (lines: readonly ImportLine[]) => Promise<{ added: number; refused: readonly RefusedLine[] }>;
  },
): Promise<{ added: number; faults: FileFault[] }> {
  const faults: FileFault[] = [];
  let added = 0;
  let chunk: ImportLine[] = [];

  async function saveChunk(): Promise<void> {
    const kept = await args.keep(chunk);
    added += kept.added;
    for (const { line, field, reason } of kept.refused) {
      faults.push({ line, message: `${field ?? 'row'}: ${reason}` });
    }
    chunk = [];
  }

  for await (const { line, cells } of readRows(openFile(context, file), (fault) => faults.push(fault))) {
    chunk.push({ line, item: args.itemOf(cells) });
    if (chunk.length === chunkLength) await saveChunk();
  }
  if (chunk.length > 0) await saveChunk();
  return { added, faults: faults.toSorted((one, other) => one.line - other.line) };
}

/** The output of the command. */
export const importedLines = ({
  added,
  faults,
}: {
  added: number;
  faults: readonly FileFault[];
}): string[] => [
  ...faults.map((fault) => `line ${fault.line} ${fault.message}; skipped`),
  `${added} added, ${faults.length} skipped`,
];
