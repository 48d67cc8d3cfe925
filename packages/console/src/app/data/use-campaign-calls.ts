import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { CallSpans } from '../plots/call-spans.ts';
import { api, ok } from './api.ts';
import { type Call, isInProgress, spanOf } from './calls.ts';
import type { Progress } from './campaigns.ts';

const seededCalls = 400;
/** Several events within this time cause one reload of the calls in progress. */
const lookMs = 1_500;
const inProgressShown = 100;

interface CampaignCalls {
  /** When each call that is known began and ended, for the plots. */
  spans: CallSpans;
  /** Null until they were read. */
  inProgress: Call[] | null;
  /** Whether the stream is connected. */
  connected: boolean;
}

/** The calls of a campaign for the live screen: the newest, then those of the event stream. */
export function useCampaignCalls(
  campaignId: string,
  onProgress: (progress: Progress) => void,
): CampaignCalls {
  const spans = useRef(new CallSpans());
  const [inProgress, setInProgress] = useState<Call[] | null>(null);
  const [round, setRound] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const onEvent = useCallback(({ type, created_at: at, data }: StreamedCall) => {
    const id = data['call_id'];
    if (typeof id !== 'string') return;
    spans.current.note({ id, type, at: Date.parse(at) / 1_000 });
    if (type === 'call.ended') setInProgress((list) => list?.filter((call) => call.id !== id) ?? null);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setRound((count) => count + 1);
    }, lookMs);
  }, []);
  const connected = useCampaignStream(campaignId, { progress: onProgress, call: onEvent });

  // Loaded once to show calls soon, and again once the stream is connected, because the stream does not report earlier events.
  useEffect(() => {
    let current = true;
    async function seed(): Promise<void> {
      const calls = await listCalls(campaignId, { limit: seededCalls }).catch(() => null);
      if (!current) return;
      if (calls === null) {
        setInProgress((before) => before ?? []);
        return;
      }
      for (const call of calls) {
        const span = spanOf(call);
        if (call.id !== null && span !== null) spans.current.add(call.id, span);
      }
      setInProgress(calls.filter(isInProgress));
    }
    void seed();
    return () => {
      current = false;
    };
  }, [campaignId, connected]);

  useEffect(() => {
    if (round === 0) return undefined;
    let current = true;
    void Promise.all(
      (['start', 'init'] as const).map((status) => listCalls(campaignId, { limit: inProgressShown, status })),
    ).then(
      // A call that was answered between the two loads is in both.
      (lists) => current && setInProgress([...new Map(lists.flat().map((call) => [call.id, call])).values()]),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [campaignId, round]);
  useEffect(() => () => clearTimeout(timer.current), []);

  return { spans: spans.current, inProgress, connected };
}

async function listCalls(
  campaignId: string,
  query: { limit: number; status?: 'init' | 'start' },
): Promise<Call[]> {
  const { data } = await ok(
    api.GET('/api/v1/campaigns/{campaign_id}/calls', {
      params: { path: { campaign_id: campaignId }, query },
    }),
  );
  return data.items;
}

interface StreamedCall {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

/** Follows a campaign by its event stream; the browser reconnects automatically and continues after the last event that it has seen. Returns whether it is connected. */
function useCampaignStream(
  campaignId: string,
  on: { progress: (progress: Progress) => void; call: (event: StreamedCall) => void },
): boolean {
  const [connected, setConnected] = useState(false);
  const handlers = useRef(on);
  handlers.current = on;
  useEffect(() => {
    // The browser makes this request, so it is the one operation that does not go through the client.
    const source = new EventSource(`/api/v1/campaigns/${encodeURIComponent(campaignId)}/stream`);
    source.addEventListener('open', () => setConnected(true));
    source.addEventListener('error', () => setConnected(false));
    source.addEventListener('progress', ({ data }: MessageEvent<string>) =>
      handlers.current.progress(JSON.parse(data) as Progress),
    );
    source.addEventListener('call', ({ data }: MessageEvent<string>) =>
      handlers.current.call(JSON.parse(data) as StreamedCall),
    );
    return () => source.close();
  }, [campaignId]);
  return connected;
}
