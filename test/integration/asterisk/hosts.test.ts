import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { watchChannels } from '../../support/asterisk/channel-watch.ts';
import { startCarrier } from '../../support/asterisk/carrier/start-carrier.ts';
import { freeUdpPort, startAsterisk, type RunningAsterisk } from '../../support/asterisk/start-asterisk.ts';
import { trunkForTests } from '../../support/asterisk/trunk-programs.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runCampaign } from '../engine/campaign.ts';

const trunk = await trunkForTests();

describe.skipIf(trunk.isMissing)('several Asterisk hosts', () => {
  const hosts: Array<{ asterisk: RunningAsterisk; carrierPort: number }> = [];
  beforeAll(async () => {
    for (let n = 0; n < 2; n++) {
      const carrierPort = await freeUdpPort();
      hosts.push({
        asterisk: await startAsterisk({ system: trunk.programs().system, carrierPort }),
        carrierPort,
      });
    }
  });
  afterAll(async () => {
    for (const { asterisk } of hosts) await asterisk.close();
  });

  test('have separate lines, and calls use the named one', { timeout: 90_000 }, async () => {
    const stack = await useStack({ backend: 'postgres', workers: 2 });
    const plans = [
      { name: 'hamburg', lines: 3, areaCode: '40' },
      { name: 'berlin', lines: 1, areaCode: '30' },
    ];
    const running = await Promise.all(
      plans.map(async ({ name, lines, areaCode }, at) => {
        const host = hosts[at];
        if (!host) throw new Error('no host');
        const { asterisk, carrierPort } = host;
        const times = { ringMs: 100, talkMs: 2_000 };
        const carrier = await startCarrier({ sipp: trunk.programs().sipp, port: carrierPort, times });
        const watch = await watchChannels(asterisk);
        onTestFinished(async () => {
          watch.close();
          await carrier.close();
        });
        const variable = `ASTERISK_PASSWORD_${name.toUpperCase()}`;
        process.env[variable] = asterisk.password;
        await stack.setProvider(name, {
          adapter: 'asterisk',
          maxLines: lines,
          settings: {
            url: asterisk.url,
            user: asterisk.user,
            password_env: variable,
            endpoint: 'PJSIP/{number}@trunk',
            runtime: 'talk@agents',
          },
        });
        const organization = await stack.organization({ default_provider: name });
        const numbers = Array.from({ length: 6 }, (_, n) => `+49${areaCode}5550${n}00`);
        const campaign = await runCampaign(
          stack,
          organization,
          { phone_numbers: numbers, status: 'paused' },
          { max_concurrent_calls: 6 },
        );
        return { numbers, lines, carrier, watch, campaign, client: organization.clients.manager };
      }),
    );
    for (const { numbers, lines, carrier, watch, campaign, client } of running) {
      await waitFor(
        'the campaign to finish',
        async () => (await client.readCampaign(campaign.id)).status === 'finished',
        { withinMs: 60_000 },
      );
      expect(carrier.invited().toSorted()).toEqual(numbers);
      expect(watch.mostAtOnce()).toBe(lines);
    }
  });
});
