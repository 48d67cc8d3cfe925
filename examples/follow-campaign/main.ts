/**
 * Calls the given numbers, and prints the outcome of each:
 *
 *     OUTDIAL_URL=http://localhost:3000 OUTDIAL_API_KEY=od_… OUTDIAL_AGENT_ID=… node main.ts +15551230000 +15551230091
 *
 * It needs Node 24, which is `node_modules/.bin/node` in the repository after the first `npm start`. The service
 * must be started with WEBHOOK_ALLOW_PRIVATE_TARGETS=true, since this program listens on the same machine.
 */
import { createOutdialClient } from '@outdial/client';
import { callEverybody } from './follow-campaign.ts';

const { OUTDIAL_URL = 'http://localhost:3000', OUTDIAL_API_KEY = '', OUTDIAL_AGENT_ID = '' } = process.env;
const client = createOutdialClient({ baseUrl: OUTDIAL_URL, apiKey: OUTDIAL_API_KEY });
const outcomes = await callEverybody(client, {
  agentId: OUTDIAL_AGENT_ID,
  people: process.argv.slice(2).map((phoneNumber) => ({ phoneNumber, promptParams: {} })),
});
for (const [number, outcome] of outcomes) process.stdout.write(`${number} ${outcome}\n`);
