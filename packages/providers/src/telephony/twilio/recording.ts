import type { CallReference, DeleteRecordingResult, Recording } from '@outdial/core';
import { openAudio } from '../gateway/recording/open-audio.ts';
import { openRangedAudio } from '../gateway/recording/ranged-audio.ts';
import { isNotFound, type TwilioClient } from './client.ts';
import type { TwilioSettings } from './settings.ts';

function sidOf({ recordingUrl }: Pick<CallReference, 'recordingUrl'>): string | undefined {
  const path = URL.parse(recordingUrl ?? '')?.pathname ?? '';
  return /\/Recordings\/(RE[0-9a-fA-F]{32})(?:\.[a-z0-9]+)?$/.exec(path)?.[1];
}

/**
 * Opens a recording as WAV. Takes only the recording's id from the URL that Twilio sent: credentials go to Twilio's own host only, and redirects are
 * not followed. Null if there is no recording yet.
 */
export async function openTwilioRecording(
  settings: TwilioSettings,
  call: Pick<CallReference, 'recordingUrl'>,
  signal: AbortSignal,
): Promise<Recording | null> {
  const sid = sidOf(call);
  if (sid === undefined) return null;
  const url = new URL(
    `${mediaOrigin(settings)}/2010-04-01/Accounts/${settings.accountSid}/Recordings/${sid}.wav`,
  );
  const user = settings.apiKey?.sid ?? settings.accountSid;
  const password = settings.apiKey?.secret ?? settings.authToken;
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return openRangedAudio((range) =>
    openAudio({
      url,
      signal,
      publicOnly: false,
      headers: { authorization, ...(range !== null && { range }) },
    }),
  );
}

/** Deletes the recording at Twilio: https://www.twilio.com/docs/voice/api/recording#delete-a-recording-resource */
export async function deleteTwilioRecording(
  client: TwilioClient,
  call: Pick<CallReference, 'recordingUrl'>,
  signal: AbortSignal,
): Promise<DeleteRecordingResult> {
  const sid = sidOf(call);
  if (sid === undefined) return { kind: 'refused', reason: 'the address names no recording of Twilio' };
  const answer = await client.ask((twilio) => twilio.recordings(sid).remove(), signal);
  if (answer.kind === 'ok' || isNotFound(answer)) {
    return { kind: 'deleted' };
  }
  if (answer.kind !== 'refused') return { kind: 'unreachable', reason: answer.reason };
  const reason = `http_${answer.status}`;
  const isBusy = answer.status === 429 || answer.status === 404 || answer.status >= 500;
  return { kind: isBusy ? 'unreachable' : 'refused', reason };
}

/** https://www.twilio.com/docs/global-infrastructure/understanding-twilio-regions: `{product}.{edge}.{region}.twilio.com`. */
function mediaOrigin({ apiUrl, region, edge }: Pick<TwilioSettings, 'apiUrl' | 'region' | 'edge'>): string {
  if (apiUrl !== null) return apiUrl;
  if (region === null && edge === null) return 'https://api.twilio.com';
  return `https://${['api', edge, region ?? 'us1', 'twilio.com'].filter((part) => part !== null).join('.')}`;
}

/**
 * The URL of the recording of a call that is over, whose callback was lost; null if it has none. Twilio may still process it: its id exists at once. The end
 * of a call is told once, so without an answer the call has to be looked up again.
 */
export async function findRecordingUrl(
  client: TwilioClient,
  settings: TwilioSettings,
  callSid: string,
  signal: AbortSignal,
): Promise<{ kind: 'found'; url: string | null } | { kind: 'unreachable'; reason: string }> {
  const answer = await client.ask((twilio) => twilio.calls(callSid).recordings.list({ limit: 20 }), signal);
  if (answer.kind === 'refused' && answer.status < 500 && answer.status !== 429) {
    return { kind: 'found', url: null };
  }
  if (answer.kind === 'refused') return { kind: 'unreachable', reason: `twilio_http_${answer.status}` };
  if (answer.kind !== 'ok') return { kind: 'unreachable', reason: answer.reason };
  const made = answer.value.find(({ status }) => !['absent', 'failed'].includes(status));
  const url = made
    ? `${mediaOrigin(settings)}/2010-04-01/Accounts/${settings.accountSid}/Recordings/${made.sid}`
    : null;
  return { kind: 'found', url };
}
