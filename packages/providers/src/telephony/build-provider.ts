import type { TelephonyProvider } from '@outdial/core';
import { z } from 'zod';
import { createAsterisk } from './asterisk/asterisk.ts';
import { asteriskSettings, type EnvironmentAsterisk } from './asterisk/settings.ts';
import { createGateway } from './gateway/gateway.ts';
import { gatewaySettings, type EnvironmentGateway } from './gateway/settings.ts';
import { createSimulator } from './simulator/simulator.ts';
import type { SimulatorTimes } from './simulator/timeline.ts';
import { twilioSettings, type EnvironmentTwilio } from './twilio/settings.ts';
import { createTwilio } from './twilio/twilio.ts';

/** What the installation's environment says about carriers. */
export interface TelephonySettings {
  simulator: SimulatorTimes;
  gateway?: EnvironmentGateway | undefined;
  asterisk?: EnvironmentAsterisk | undefined;
  twilio?: EnvironmentTwilio | undefined;
  /** How providers reach the api, without a trailing slash. */
  publicUrl?: string;
}

/** A row of `providers`, as far as its adapter goes. */
export interface ProviderRow {
  name: string;
  adapter: string;
  settings: Record<string, unknown>;
}

export const adapters = ['simulator', 'gateway', 'asterisk', 'twilio'] as const;

/** What a new provider is held to until somebody says otherwise: an account at Twilio dials one call a second, and queues the rest. */
export function firstCallsPerSecond(adapter: string): number | null {
  return adapter === 'twilio' ? 1 : null;
}

const simulatorSettings = z.object({
  ring_ms: z.int().min(0).optional(),
  talk_ms: z.int().min(0).optional(),
});

/** The adapter of a provider; null where this build has none of that name, or the row's settings do not fit. */
export function buildProvider(
  row: ProviderRow,
  settings: TelephonySettings,
  /** Holds the secrets that rows name. */
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TelephonyProvider | null {
  switch (row.adapter) {
    case 'simulator': {
      const own = simulatorSettings.safeParse(row.settings);
      if (!own.success) return null;
      return createSimulator({
        name: row.name,
        times: {
          ringMs: own.data.ring_ms ?? settings.simulator.ringMs,
          talkMs: own.data.talk_ms ?? settings.simulator.talkMs,
        },
      });
    }
    case 'gateway': {
      const { gateway, publicUrl = 'http://localhost:3000' } = settings;
      const own = gatewaySettings(row, { gateway, publicUrl }, environment);
      return own && createGateway(own);
    }
    case 'asterisk': {
      const own = asteriskSettings(row, settings.asterisk, environment);
      return own && createAsterisk(own);
    }
    case 'twilio': {
      const { twilio, publicUrl = 'http://localhost:3000' } = settings;
      const own = twilioSettings(row, { twilio, publicUrl }, environment);
      return own && createTwilio(own);
    }
    default:
      return null;
  }
}
