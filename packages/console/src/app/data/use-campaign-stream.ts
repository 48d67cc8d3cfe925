import { useEffect, useRef, useState } from 'preact/hooks';
import type { Progress } from './campaigns.ts';

export interface StreamedCall {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, unknown>;
}

/**
 * Follows a campaign by its event stream; the browser reconnects automatically and continues after the last event that it has seen. Returns whether it is
 * connected.
 */
export function useCampaignStream(
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
