import { providerOf } from '../../support/provider.ts';
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
      build: (publicUrl) =>
        providerOf('twilio', {
          twilio: { accountSid, authToken, from: '+15550009999', apiUrl: standIn.url },
          publicUrl,
        }),
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
