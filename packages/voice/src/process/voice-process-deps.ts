import type { Db, VoiceCall } from '@outdial/db';
import type { FileStore, TelephonyProvider } from '@outdial/core';
import type { CallReport } from '@outdial/engine';
import type { CallTokens, VoiceEndpoints } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import type { OpenedConversation } from '../conversation/open-conversation.ts';
import type { IsTwilio } from '../legs/twilio/handshake.ts';
import type { VoiceMetrics } from '../metrics/voice-metrics.ts';
import type { ModelEndpoints } from '../models/endpoints.ts';
import type { CallNote } from '../tools/index.ts';

/** What a voice process is started with. */
export interface VoiceProcessDeps {
  db: Db;
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  tokens: CallTokens;
  endpoints: VoiceEndpoints;
  /** Where recordings are kept. */
  files: FileStore;
  host: string;
  port: number;
  /** Where carriers reach this process; null: its own host and port. */
  url: string | null;
  /** Where browsers do, if that is another address. */
  webUrl?: string | null;
  /** Whose pages may talk to agents; null: all. */
  webOrigins?: readonly string[] | null;
  capacity: number;
  longestCallSeconds: number;
  /** How long the target of a transfer rings. */
  ringTimeoutSeconds: number;
  /** Of the row that carries a call; undefined if this process does not know it. */
  providerOf: (name: string) => TelephonyProvider | undefined;
  /** Records what has become of a call. */
  record: (report: CallReport) => Promise<void>;
  openConversation: (args: {
    call: VoiceCall;
    models: ModelEndpoints;
    note: (note: CallNote) => void;
  }) => Promise<OpenedConversation>;
  nowMs: () => number;
  metrics?: VoiceMetrics;
  /** To the endpoints; kept open between requests. */
  connections?: Dispatcher;
  /** Checks signatures of Twilio; null or absent if no auth token is known. */
  isTwilio?: IsTwilio | null;
}
