import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { dateTime, uuid } from './fields.ts';
import { spanShape } from './span.ts';

const change = z.object({ before: z.unknown(), after: z.unknown() });

/** Changes, each with its author, time and address. */
export const auditLogEntry = z
  .object({
    id: uuid,
    created_at: dateTime,
    action: z
      .string()
      .describe('The `operationId` of the operation in this document, or the command that the operator ran.'),
    actor: z
      .object({
        type: z.enum(['user', 'operator']),
        id: uuid.nullable().describe('The id of the user. Null for an operator.'),
        first_name: z.string().nullable(),
        last_name: z.string().nullable(),
        name: z
          .string()
          .nullable()
          .describe("The operator's account on the host where the command was run. Null for a user."),
      })
      .describe('Who made the change.'),
    credential: z
      .object({ type: z.string(), id: z.string().nullable() })
      .nullable()
      .describe('The credential that was used: `api_key` with the id of the key, or `token` with its `jti`.'),
    ip: z.string().nullable(),
    target: z
      .object({ type: z.string(), id: z.string().nullable() })
      .nullable()
      .describe('The resource that was changed. Phone numbers are masked.'),
    changes: z
      .record(z.string(), change)
      .describe(
        'The fields that changed, with their values before and after. Secrets and personal data are left out.',
      ),
    fields: z
      .array(z.string())
      .describe('The names of the fields in the request, also of those that `changes` leaves out.'),
  })
  .meta({
    id: 'AuditLogEntry',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11',
        created_at: '2026-03-01T09:00:00.000Z',
        action: 'updateUser',
        actor: {
          type: 'user',
          id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12',
          first_name: 'Ada',
          last_name: 'Lovelace',
          name: null,
        },
        credential: { type: 'api_key', id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13' },
        ip: '203.0.113.7',
        target: { type: 'user', id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c14' },
        changes: { role: { before: 'member', after: 'manager' } },
        fields: ['email', 'role'],
      },
    ],
  });

export const auditLogQuery = cursorParameters(createdPosition).extend({
  action: z.string().max(255).optional(),
  user_id: uuid.optional(),
  target_id: z.string().max(255).optional(),
  ...spanShape,
});

export type AuditLogEntry = z.output<typeof auditLogEntry>;
