import type { DialingSettings } from '@outdial/engine';
import { onTestFinished } from 'vitest';
import { providerOf } from '../../support/provider.ts';
import {
  accountSid,
  authToken,
  startTwilioStandIn,
  type StandInOptions,
  type TwilioStandIn,
} from '../../support/twilio/stand-in.ts';
import { openProviderWorld, type ProviderWorld } from '../provider-contract/world.ts';

export const relay = { connect: 'conversation_relay', url: 'wss://voice.example.com/relay' };

export interface TwilioWorld extends ProviderWorld {
  twilio: TwilioStandIn;
}

export interface TwilioWorldOptions extends StandInOptions {
  settings?: Partial<DialingSettings>;
  /** The agent's `config.telephony`. */
  telephony?: Record<string, unknown>;
  voiceHosts?: string[];
  apiKey?: { sid: string; secret: string };
  /** How Twilio reaches the api if a proxy is in between. */
  publicUrl?: (baseUrl: string) => string;
}

/** The service and a Twilio account on a simulated Twilio, for one test. */
export async function useTwilioWorld(options: TwilioWorldOptions = {}): Promise<TwilioWorld> {
  const world = await openTwilioWorld(options);
  onTestFinished(() => world.close());
  return world;
}

export async function openTwilioWorld(options: TwilioWorldOptions = {}): Promise<TwilioWorld> {
  const {
    settings = {},
    telephony = { voice: relay },
    publicUrl = (url) => url,
    voiceHosts,
    apiKey,
    ...standIn
  } = options;
  const twilio = await startTwilioStandIn(standIn);
  const world = await openProviderWorld({
    providerName: 'twilio',
    settings,
    ...(voiceHosts && { voiceHosts }),
    agentConfig: { telephony },
    build: (baseUrl) =>
      providerOf('twilio', {
        twilio: { accountSid, authToken, from: '+15550009999', apiUrl: twilio.url, apiKey },
        publicUrl: publicUrl(baseUrl),
      }),
  });
  return {
    ...world,
    twilio,
    async close() {
      await world.close();
      await twilio.close();
    },
  };
}
