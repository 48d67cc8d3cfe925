/**
 * Calls everybody in a CSV or XLSX file, and prints the outcome of each call:
 *
 *     OUTDIAL_URL=http://localhost:3000 OUTDIAL_API_KEY=od_… OUTDIAL_AGENT_ID=… node main.ts people.xlsx
 *
 * It needs Node 24, which is `node_modules/.bin/node` in the repository after the first `npm start`. The service
 * must be started with WEBHOOK_ALLOW_PRIVATE_TARGETS=true, since this program listens on the same machine.
 */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { createOutdialClient } from '@outdial/client';
import { callSpreadsheet } from './spreadsheet-campaign.ts';

const { OUTDIAL_URL = 'http://localhost:3000', OUTDIAL_API_KEY = '', OUTDIAL_AGENT_ID = '' } = process.env;
const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('name a CSV or XLSX file');
const client = createOutdialClient({ baseUrl: OUTDIAL_URL, apiKey: OUTDIAL_API_KEY });
const report = await callSpreadsheet(client, {
  agentId: OUTDIAL_AGENT_ID,
  file: await openAsBlob(path),
  fileName: basename(path),
  config: { call_on_weekend: true },
  retry: ['no_answer', 'busy', 'failed'],
});
for (const { line, reason } of report.refused) process.stderr.write(`line ${line} ${reason}\n`);
for (const [number, { outcome, reason }] of report.heard.people) {
  process.stdout.write(`${number} ${outcome ?? reason}\n`);
}
