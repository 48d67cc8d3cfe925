import { randomUUID } from 'node:crypto';
import type { DialingSettings } from '@outdial/engine';
import { Webhook } from 'standardwebhooks';
import { afterAll, onTestFinished } from 'vitest';
import { providerOf } from '../../support/provider.ts';
import { openProviderWorld, type ProviderWorld } from '../provider-contract/world.ts';
import { secret, startScriptedGateway, type Script, type ScriptedGateway } from './scripted-gateway.ts';

export interface EventToSend {
  call_id: string;
  type: string;
  data?: object;
  event_id?: string;
  occurred_at?: string;
}

/** How an event is tampered with. */
export interface Spoilt {
  secret?: string;
  sentMinutesAgo?: number;
  provider?: string;
  headers?: Record<string, string>;
  /** Replaces the body after it was signed. */
  body?: string;
  /** Another text of the event, which is signed. */
  signed?: string;
}

export interface GatewayWorld extends ProviderWorld {
  gateway: ScriptedGateway;
  /** Sends an event as the gateway would; returns the status of the answer. */
  send(event: EventToSend, spoilt?: Spoilt): Promise<number>;
}

/** The service and a scripted gateway, for one test. */
export async function useGatewayWorld(
  script: Script,
  settings: Partial<DialingSettings> = {},
): Promise<GatewayWorld> {
  const world = await openGatewayWorld(script, settings);
  onTestFinished(() => world.close());
  return world;
}

/** The same for all tests of a file, each of which makes its own calls. */
export async function useFileGatewayWorld(script: Script): Promise<GatewayWorld> {
  const world = await openGatewayWorld(script, {});
  afterAll(() => world.close());
  return world;
}

async function openGatewayWorld(script: Script, settings: Partial<DialingSettings>): Promise<GatewayWorld> {
  const gateway = await startScriptedGateway(script);
  const world = await openProviderWorld({
    providerName: 'gateway',
    settings,
    build: (publicUrl) => providerOf('gateway', { gateway: { url: gateway.url, secret }, publicUrl }),
  });
  return {
    ...world,
    gateway,
    async close() {
      await world.close();
      await gateway.close();
    },
    async send(event, spoilt = {}) {
      const full = { event_id: randomUUID(), occurred_at: new Date().toISOString(), ...event };
      const body = spoilt.signed ?? JSON.stringify(full);
      const sentAt = new Date(Date.now() - (spoilt.sentMinutesAgo ?? 0) * 60_000);
      const answer = await fetch(`${world.baseUrl}/provider-events/${spoilt.provider ?? 'gateway'}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': full.event_id,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': new Webhook(spoilt.secret ?? secret).sign(full.event_id, sentAt, body),
          ...spoilt.headers,
        },
        body: spoilt.body ?? body,
      });
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}
