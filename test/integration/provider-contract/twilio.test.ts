import { buildProvider } from '@outdial/providers';
import { accountSid, authToken, startTwilioStandIn } from '../../support/twilio/stand-in.ts';
import { describeProviderContract } from './contract.ts';

describeProviderContract({
  name: 'twilio',
  hasEvents: true,
  hasBackPressure: true,
  hasTranscripts: false,
  hasPeopleWhoHangUp: true,
  async open({ sendsEvents, ...options }) {
    const standIn = await startTwilioStandIn({
      ...options,
      callbacks: sendsEvents === false ? 'lost' : 'in_order',
    });
    return {
      build(baseUrl) {
        const row = { name: 'twilio', adapter: 'twilio', settings: {} };
        const provider = buildProvider(row, {
          simulator: { ringMs: 0, talkMs: 0 },
          twilio: { accountSid, authToken, from: '+15550009999', apiUrl: standIn.url },
          publicUrl: baseUrl,
        });
        if (provider === null) throw new Error('no twilio');
        return provider;
      },
      agentConfig: {
        telephony: {
          voice: { connect: 'conversation_relay', url: 'wss://voice.example.com/relay' },
          record: true,
        },
      },
      taken: () => standIn.callIds(),
      live: () => standIn.live(),
      restart: () => standIn.restart(),
      close: () => standIn.close(),
    };
  },
});
