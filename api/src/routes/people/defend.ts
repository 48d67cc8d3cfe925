import { envelope, personDefense, rolesFrom, type PersonDefense } from '@outdial/contracts';
import { type PersonKey, findRefusals, type Db } from '@outdial/db';
import { readReceipt } from '@outdial/engine';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { refusalsView } from '../receipts/evidence-view.ts';
import { receiptView } from '../receipts/receipt-view.ts';
import { answerPerson } from './answer-person.ts';
import { each, recipientsOf } from './person-file.ts';

export const defendPerson = defineRoute(
  {
    method: 'get',
    path: '/api/v1/people/{phone_number}/defense',
    operationId: 'defendPerson',
    summary: 'Export what shows why a person was called, or was not',
    description:
      'Returns one file about a phone number: what the person asked, with channel, words and time; the consents as they were presented; ported and reassigned numbers; the scrub lists that have the number; the campaigns that listed it, with the refusals; and the receipt of every call. Each list has its newest 1,000 entries. Returns 404 if there is nothing.',
    tag: 'people',
    roles: rolesFrom('manager'),
    params: z.object({
      phone_number: z.string().describe('The phone number in E.164 format. Encode the plus sign as %2B.'),
    }),
    response: envelope(personDefense),
    isAudited: true,
  },
  async (request, deps) => {
    const { db } = deps;
    return answerPerson(request, deps, (person, callIds) => ({
      recipients: each(recipientsOf(db, person), async (row) => {
        const { organizationId } = person;
        const refusals = await findRefusals(db, { organizationId, recipientId: row.id });
        const { prompt_params: _values, ...shown } = row;
        return { ...shown, refusals: refusals && refusalsView(refusals) };
      }),
      calls: receiptsOf(db, person, callIds),
    }));
  },
);

async function* receiptsOf(
  db: Db,
  { organizationId }: PersonKey,
  callIds: readonly string[],
): AsyncGenerator<PersonDefense['calls'][number]> {
  for (const callId of callIds) {
    const receipt = await readReceipt(db, { organizationId, callId });
    if (receipt !== null) yield receiptView(receipt);
  }
}
