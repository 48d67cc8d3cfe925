import { deleted, envelope, rolesFrom, suppression } from '@outdial/contracts';
import { maskPhoneNumber } from '@outdial/core';
import {
  findErasedSuppression,
  findSuppression,
  inTransaction,
  noteChange,
  removeSuppression as removeRow,
} from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { notFound } from '../../http/resource-id.ts';
import { suppressionView } from './suppression-view.ts';

export const removeSuppression = defineRoute(
  {
    method: 'delete',
    path: '/api/v1/suppressions/{phone_number}',
    operationId: 'removeSuppression',
    summary: 'Remove a number from the suppression list',
    description:
      'Recipients that are already suppressed remain suppressed. New campaigns can dial the number.',
    tag: 'suppressions',
    roles: rolesFrom('manager'),
    params: z.object({
      phone_number: z.string().describe('The phone number in E.164 format. Encode the plus sign as %2B.'),
    }),
    response: envelope(suppression),
  },
  async ({ organizationId, params }, { db }) => {
    const key = { organizationId, phoneNumber: params.phone_number };
    const row = await inTransaction(db, async (tx) => {
      const known = (await findSuppression(tx, key)) ?? (await findErasedSuppression(tx, key));
      if (known === null || !(await removeRow(tx, key))) throw notFound('Suppression');
      noteChange({
        type: 'suppression',
        id: maskPhoneNumber(key.phoneNumber),
        before: { has_reason: known.reason !== null, source: known.source },
      });
      return known;
    });
    return deleted(suppressionView(row));
  },
);
