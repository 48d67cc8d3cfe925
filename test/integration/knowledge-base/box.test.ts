import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExtractionPool, defaultExtractionLimits, openBox } from '@outdial/providers/extraction';
import { plainBox, possibleBoxes, probeBox } from '@outdial/providers/extraction-box';
import { afterAll, describe, expect, test } from 'vitest';
import { isLongRun } from '../../support/full-run.ts';
import { drawPdf } from './draw-pdf.ts';
import { extractPdf } from './extract-pdf.ts';
import { patientMs } from './time-limits.ts';

const folder = await mkdtemp(join(tmpdir(), 'outdial-box-test-'));
const secrets = join(folder, 'secrets.json');
await writeFile(secrets, '{"password": "of the database"}');
const environmentOfWorker = `/proc/${process.pid}/environ`;

const bomb = await readFile(new URL('../../fixtures/documents/decompression-bomb.pdf', import.meta.url));
const opened = await openBox();
const hasWalls = opened.box.kind !== 'permissions_only';

// Runs the probe with the reader's flags and in its box, so it can do what code in a document could do.
describe('code in a document', () => {
  test('finds no environment and no files, whichever box it is in', async () => {
    const files = [secrets, environmentOfWorker, '/proc/self/environ', '/etc/passwd'];
    const reports = [];
    for (const box of possibleBoxes(folder)) reports.push(await probeBox(box, files));
    // If a platform lacks what a box needs, the probe does not run in it. The last box works everywhere.
    expect(reports.at(-1)).not.toBeNull();
    for (const report of reports.filter((one) => one !== null)) {
      expect(report).toMatchObject({ environment: [], files: [] });
    }
  });

  test.runIf(hasWalls)(
    'cannot reach the database or signal the worker if the system supports sandboxes',
    async () => {
      expect(await probeBox(opened.box)).toMatchObject({ network: false, signals: false });
    },
  );

  test.runIf(process.getuid?.() === 0 && hasWalls)('is another user than root', async () => {
    expect(opened.box.kind).toBe('own_user');
    expect((await probeBox(opened.box))?.user).not.toBe(0);
  });

  test('could do all of that without the box, as the probe shows', async () => {
    expect(await probeBox(plainBox)).toMatchObject({ network: true, signals: true });
  });
});

// Otherwise only the box that workers use on this machine, because an attack in each box takes seconds of CPU time.
const boxes = isLongRun ? possibleBoxes(folder) : [opened.box];

describe.each(boxes.map((box) => [box.kind, box] as const))('documents in the box %s', (_, box) => {
  const pool = createExtractionPool({
    concurrency: 1,
    limits: { ...defaultExtractionLimits, timeoutMs: patientMs, memoryMb: 300 },
    box,
  });
  afterAll(() => pool.close());

  test('are read with built-in fonts, within the limits', async ({ skip }) => {
    skip((await probeBox(box)) === null, 'this machine lacks what the box needs');
    const good = drawPdf({ pages: ['All is well'] });
    const isGood = { kind: 'extracted', text: { pages: ['All is well'] } };
    expect(await extractPdf(pool, good)).toMatchObject(isGood);
    expect(await extractPdf(pool, bomb)).toMatchObject({ kind: 'failed', failure: { code: 'memory_limit' } });
    expect(await extractPdf(pool, good)).toMatchObject(isGood);
  });
});
