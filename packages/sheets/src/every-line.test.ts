import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyList } from './any-list.fixture.ts';
import { readRows, TableError, type TableFault } from './index.ts';

/** `npm run long` reads a million. */
const lines = Number(process.env['CSV_LINES'] ?? 20_000);

const list = anyList({
  header: ['id', 'name', 'note', ''],
  idOf: (line) => `<${line}>`,
  cellsOf: { min: 0, max: 4 },
});

async function* inPieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

test(
  `each of ${lines} lines is part of a row that is taken, part of a row that is named, or blank`,
  { timeout: Math.max(300_000, lines) },
  async () => {
    let seen = 0;
    let taken = 0;
    const property = fc.asyncProperty(list, fc.integer({ min: 1, max: 70_000 }), async (given, length) => {
      const faults: TableFault[] = [];
      const rows: string[] = [];
      const report = (fault: TableFault) => void faults.push(fault);
      try {
        for await (const row of readRows(inPieces(given.bytes, length), { report })) {
          rows.push([...row.cells.values()].join(' '));
        }
      } catch (error) {
        // Refused as a whole.
        if (error instanceof TableError) return;
        throw error;
      }
      seen += given.lines.length;
      taken += rows.length;
      const named = new Set(faults.map(({ line }) => line));
      const read = new Set(rows.join(' ').match(/<\d+>/g));
      for (const [index, text] of given.lines.entries()) {
        const [id] = /<\d+>/.exec(text) ?? [];
        if (id !== undefined && !read.has(id) && !named.has(index + 1)) {
          throw new Error(`line ${index + 1} is lost: ${JSON.stringify(text)}`);
        }
      }
      expect(named.size).toBe(faults.length);
      expect(rows.length).toBeLessThanOrEqual(given.lines.length);
    });
    // Other lists in each round.
    let { seed = Date.now() } = { ...fc.readConfigureGlobal() };
    for (; seen < lines; seed += 1) {
      await fc.assert(property, { numRuns: 50, seed });
    }
    // Most rows have no fault.
    expect(taken).toBeGreaterThan(seen / 3);
  },
);
