import { afterAll, describe } from 'vitest';
import { startAriProxy } from '../../support/asterisk/ari-proxy.ts';
import { watchChannels } from '../../support/asterisk/channel-watch.ts';
import { startCarrier } from '../../support/asterisk/carrier/start-carrier.ts';
import { freeUdpPort, startAsterisk, type RunningAsterisk } from '../../support/asterisk/start-asterisk.ts';
import { quickDetection, trunkForTests } from '../../support/asterisk/trunk-programs.ts';
import { providerOf } from '../../support/provider.ts';
import { describeProviderContract } from './contract.ts';

const trunk = await trunkForTests();

describe.skipIf(trunk.isMissing)('on a real Asterisk', () => {
  /** One Asterisk for the file. Each test has a separate carrier. */
  let shared: Promise<{ asterisk: RunningAsterisk; carrierPort: number }> | undefined;
  const open = () =>
    (shared ??= (async () => {
      const carrierPort = await freeUdpPort();
      const { system } = trunk.programs();
      return { asterisk: await startAsterisk({ system, carrierPort }), carrierPort };
    })());
  afterAll(async () => (await shared)?.asterisk.close());

  describeProviderContract({
    name: 'asterisk',
    hasEvents: true,
    hasBackPressure: true,
    hasTranscripts: false,
    hasPeopleWhoHangUp: true,
    // The restart ends the call and deletes its records, so its outcome is unknown.
    afterRestart: 'unknown',
    async open({ ringMs, talkMs, sendsEvents = true, maxLines }) {
      const { asterisk, carrierPort } = await open();
      // Long enough to pass as a person.
      const times = { ringMs, talkMs: Math.max(talkMs, 1_500) };
      const carrier = await startCarrier({ sipp: trunk.programs().sipp, port: carrierPort, times });
      let watch = await watchChannels(asterisk);
      const proxy = await startAriProxy(asterisk);
      if (!sendsEvents) proxy.loseEvents((text) => /"ChannelDestroyed"|"OUTDIAL_END_/.test(text));
      return {
        build() {
          const { user, password } = asterisk;
          return providerOf(
            'asterisk',
            { asterisk: { url: proxy.url, user, password } },
            {
              endpoint: 'PJSIP/{number}@trunk',
              runtime: 'talk@agents',
              machine_detection: quickDetection,
            },
          );
        },
        // A trunk does not report that it is full. The provider's row counts its calls.
        ...(maxLines !== undefined && { lines: maxLines }),
        taken: () => watch.taken(),
        live: () => watch.live(),
        async restart() {
          const before = watch.taken();
          await asterisk.kill();
          await asterisk.startAgain();
          watch.close();
          const after = await watchChannels(asterisk);
          watch = { ...after, taken: () => [...before, ...after.taken()] };
        },
        async close() {
          await asterisk.cli('channel request hangup all');
          watch.close();
          await proxy.close();
          await carrier.close();
        },
      };
    },
  });
});
