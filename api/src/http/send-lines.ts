import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { cutOffStalledCaller } from './answer-pieces.ts';
import { callerGone, answerEnded, isCallerGone } from './caller-gone.ts';
import { csvHeader, csvLines } from './csv-lines.ts';
import { sent } from './define-route.ts';
import type { Pace } from './long-answers.ts';

export interface Table {
  columns: readonly string[];
  batches: AsyncGenerator<readonly object[]>;
}

const chunkBytes = 64 * 1024;

/** Reads the next rows when it is the organization's turn. */
type InTurn = <Value>(read: () => Promise<Value>, left: AbortSignal) => Promise<Value>;

/** Answers 200 with rows as CSV or NDJSON, read as fast as the caller reads them and `pace` allows. An error after the first batch cuts the connection. */
export async function sendLines(
  res: Response,
  {
    rows,
    format,
    hasBom = false,
    fileName,
    pace,
    inTurn,
  }: {
    rows: Table;
    format: 'csv' | 'ndjson';
    /** Whether a CSV begins with a byte order mark, without which Excel reads names in another encoding. */
    hasBom?: boolean;
    fileName: string;
    pace: Pace;
    inTurn: InTurn;
  },
): Promise<typeof sent> {
  const texts = format === 'csv' ? csvOf(rows, hasBom) : jsonOf(rows);
  const left = answerEnded(res);
  const next = () => inTurn(() => texts.next(), left);
  // An error before the first write still gets a proper answer.
  const first = await next();
  res.status(200);
  res.setHeader('Content-Type', format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson');
  res.setHeader('Content-Disposition', `attachment; filename="${fileName}.${format}"`);
  res.setHeader('Cache-Control', 'private, no-store');
  if (res.req.method === 'HEAD') {
    await texts.return(undefined);
    res.end();
    return sent;
  }
  cutOffStalledCaller(res);
  const gone = callerGone(res);
  async function* all(): AsyncGenerator<Buffer> {
    for (let read = first; read.done !== true; read = await next()) {
      // In chunks, because a batch of large rows could take longer than the limit for a stalled caller.
      const bytes = Buffer.from(read.value);
      for (let from = 0; from < bytes.length; from += chunkBytes) {
        const chunk = bytes.subarray(from, from + chunkBytes);
        await pace(chunk.length, gone);
        yield chunk;
      }
    }
  }
  try {
    await pipeline(Readable.from(all()), res);
  } catch (error) {
    if (!isCallerGone(error)) throw error;
  }
  return sent;
}

async function* csvOf({ columns, batches }: Table, hasBom: boolean): AsyncGenerator<string, void> {
  let header = (hasBom ? '\uFEFF' : '') + csvHeader(columns);
  for await (const batch of batches) {
    yield header + csvLines(columns, batch);
    header = '';
  }
  if (header !== '') yield header;
}

async function* jsonOf({ batches }: Table): AsyncGenerator<string, void> {
  for await (const batch of batches) yield batch.map((row) => `${JSON.stringify(row)}\n`).join('');
}
