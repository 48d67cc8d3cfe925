import { call as callSchema, type Call } from '@outdial/contracts';
import { z } from 'zod';
import type { TrunkService } from './trunk-service.ts';

export interface RecordedCall {
  number: string;
  outcome: string | null;
  conversationId: string | null;
  /** The keys that the person pressed. */
  digits: string;
  recording: { seconds: number; peak: number } | null;
}

const page = z.object({ data: z.object({ calls: z.array(callSchema) }) });

/** The records of a campaign's calls, as the API returns them. */
export async function readRecords(service: TrunkService, campaignId: string): Promise<RecordedCall[]> {
  const headers = { 'X-API-Key': service.viewerKey };
  const calls: Call[] = [];
  for (let number = 1; ; number += 1) {
    const url = `${service.baseUrl}/api/v1/agents/${service.organization.agentId}/calls?page=${number}&size=100`;
    const answer = page.parse(await (await fetch(url, { headers })).json());
    calls.push(...answer.data.calls);
    if (answer.data.calls.length < 100) break;
  }
  const records: RecordedCall[] = [];
  for (const call of calls.filter((one) => one.meta?.['campaign_id'] === campaignId)) {
    records.push({
      number: call.phone_number ?? '',
      outcome: z.string().nullish().parse(call.meta?.['outcome']) ?? null,
      conversationId: call.conversation_id ?? null,
      digits: (call.events ?? []).map((event) => (event['type'] === 'dtmf' ? event['digit'] : '')).join(''),
      recording: call.recording_url == null ? null : await listen(call.recording_url, headers),
    });
  }
  return records;
}

/** The length and the peak of a WAV file with 8,000 16-bit samples a second. */
async function listen(
  url: string,
  headers: Record<string, string>,
): Promise<{ seconds: number; peak: number }> {
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const wav = Buffer.from(await response.arrayBuffer());
  const first = wav.indexOf('data') + 8;
  let peak = 0;
  for (let at = first; at + 1 < wav.length; at += 2) peak = Math.max(peak, Math.abs(wav.readInt16LE(at)));
  return { seconds: (wav.length - first) / 16_000, peak };
}
