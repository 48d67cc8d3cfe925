import type { Db, VoiceCall } from '@outdial/db';
import type { FileStore, TelephonyProvider } from '@outdial/core';
import type { CallReport } from '@outdial/engine';
import type { CallTokens, VoiceEndpoints } from '@outdial/runtime';
import type { Dispatcher } from 'undici';
import type { OpenedConversation } from '../conversation/conversation-call.ts';
import type { IsTwilio } from '../legs/twilio/handshake.ts';
import type { VoiceMetrics } from '../metrics/voice-metrics.ts';
import type { ModelEndpoints } from '../models/endpoints.ts';
import type { CallNote } from '../tools/index.ts';

export interface VoiceProcessDeps {
  db: Db;
  log: Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
  tokens: CallTokens;
  endpoints: VoiceEndpoints;
  files: FileStore;
  host: string;
  port: number;
  /** The address for carriers. Null: the host and port above. */
  url: string | null;
  /** The address for browsers, if it differs. */
  webUrl?: string | null;
  /** Origins of pages that may talk to agents. Null: all. */
  webOrigins?: readonly string[] | null;
  capacity: number;
  longestCallSeconds: number;
  /** How long the target of a transfer rings. */
  ringTimeoutSeconds: number;
  /** By the name of the row in `providers`. Undefined if this process does not know it. */
  providerOf: (name: string) => TelephonyProvider | undefined;
  record: (report: CallReport) => Promise<void>;
  openConversation: (args: {
    call: VoiceCall;
    models: ModelEndpoints;
    note: (note: CallNote) => void;
  }) => Promise<OpenedConversation>;
  nowMs: () => number;
  metrics?: VoiceMetrics;
  /** Connections to the endpoints, kept open between requests. */
  connections?: Dispatcher;
  /** Checks Twilio's signatures. Null or absent without an auth token. */
  isTwilio?: IsTwilio | null;
}
