import type { AgentImport } from '@outdial/db';

type DemoAgent = Omit<AgentImport, 'organizationId'>;

/** Calls through the installation's provider (TELEPHONY_PROVIDER), by default the simulator. */
export const reminderAgent: DemoAgent = {
  name: 'Anna (appointment reminders)',
  config: { voice: 'alto', language: 'en' },
  skills: [
    { type: 'transfer_call', exec_order: '1', enabled: true, config: { to: 'front desk' } },
    { type: 'book_appointment', exec_order: '2', enabled: true, config: { calendar: 'main' } },
  ],
  prompts: [
    {
      level: 1,
      prompt:
        'Hello {{name}}, this is Anna of Harbour Dental. You are booked for {{treatment}} on {{day}} at {{time}}. ' +
        'Does that still suit you? If it does not, offer another time, or transfer to the front desk.',
      explanation: 'Confirms an appointment in under a minute.',
      mitigation: 'Gives no medical advice, and transfers callers who ask for it.',
      harmful_intents: [],
    },
  ],
};

/** Calls through the simulator in every installation. */
export const simulatedAgent: DemoAgent = {
  name: 'Ben (always simulated)',
  config: { voice: 'baritone', language: 'en', telephony: { provider: 'simulator' } },
  skills: [{ type: 'record_answer', exec_order: '1', enabled: true, config: { questions: 3 } }],
  prompts: [
    {
      level: 1,
      prompt:
        'Hello {{name}}, this is Ben of Harbour Dental, about {{treatment}} on {{day}} at {{time}}. ' +
        'May I ask you three short questions?',
      explanation: 'A short survey.',
      mitigation: 'Ends the call as soon as the person wants to.',
      harmful_intents: [],
    },
  ],
};
