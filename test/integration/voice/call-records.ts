import type { Call } from '@outdial/contracts';
import type { Db } from '@outdial/db';
import type { TestOrganization } from '../../support/stack/organization.ts';
import { waitFor } from '../../support/stack/wait-for.ts';

/** The record of a call, once it has its outcome. */
export const endedCall = ({ clients }: TestOrganization, callId: string): Promise<Call> =>
  waitFor('the call to end', async () => {
    const record = await clients.viewer.readCall(callId);
    return record.meta?.['outcome'] === undefined ? null : record;
  });

/** The record of a call, once it has the conversation. */
export const conversationOf = ({ clients }: TestOrganization, callId: string): Promise<Call> =>
  waitFor('the conversation to be in the record', async () => {
    const record = await clients.viewer.readCall(callId);
    return record.events?.some(({ type }) => type === 'conversation_ended') ? record : null;
  });

export const voiceProcessToBeKnown = (db: Db): Promise<object> =>
  waitFor('the voice process to be known', () =>
    db
      .selectFrom('voice_processes' as never)
      .selectAll()
      .executeTakeFirst(),
  );
