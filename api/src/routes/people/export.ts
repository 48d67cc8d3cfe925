import { envelope, personExport, rolesFrom } from '@outdial/contracts';
import { listCalls } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { callBytesAtMost, callView } from '../calls/call-view.ts';
import { answerPerson } from './answer-person.ts';
import { each, inPages, recipientsOf } from './person-file.ts';

export const exportPerson = defineRoute(
  {
    method: 'get',
    path: '/api/v1/people/{phone_number}/export',
    operationId: 'exportPerson',
    summary: 'Export all data about a person',
    description:
      'Returns all data that your organization has about the person behind a phone number. Each list has its newest 1,000 entries. Returns 404 if there is none.',
    tag: 'people',
    roles: rolesFrom('admin'),
    params: z.object({
      phone_number: z.string().describe('The phone number in E.164 format. Encode the plus sign as %2B.'),
    }),
    response: envelope(personExport),
    isAudited: true,
  },
  async (request, deps) => {
    const { db, config } = deps;
    const base = baseUrl(request.req, config);
    return answerPerson(request, deps, (person) => ({
      recipients: recipientsOf(db, person),
      calls: each(
        inPages(callBytesAtMost, (page) =>
          listCalls(db, {
            organizationId: person.organizationId,
            filters: { phoneNumber: person.phoneNumber },
            page,
          }),
        ),
        (row) => callView(row, base),
      ),
    }));
  },
);
