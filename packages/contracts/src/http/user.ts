import { z } from 'zod';
import { dateTime, uuid } from './fields.ts';
import { instant } from './span.ts';
import { role } from './role.ts';

const userExample = {
  id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  role: 'manager',
  disabled: false,
  disabled_at: null,
  tokens_not_before: null,
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
} as const;

export const user = z
  .object({
    id: uuid,
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    role,
    disabled: z.boolean().describe("Whether the user's keys and tokens are rejected."),
    disabled_at: dateTime.nullable(),
    tokens_not_before: dateTime.nullable().describe('Tokens issued before this time are rejected.'),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'User', examples: [userExample] });

export type User = z.output<typeof user>;

const names = {
  first_name: z.string().trim().min(1).max(200),
  last_name: z.string().trim().max(200),
};
const email = z
  .string()
  .trim()
  .max(320)
  .regex(/^[^\s@]+@[^\s@]+$/, 'Input should be a valid email address, such as ada@example.com');

export const createUserBody = z.strictObject({ email, ...names, role }).meta({
  id: 'CreateUser',
  examples: [{ email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', role: 'manager' }],
});

/** Body of `PUT /users/{user_id}`: replaces the fields that it names. */
export const updateUserBody = z
  .strictObject({
    email: email.optional(),
    first_name: names.first_name.optional(),
    last_name: names.last_name.optional(),
    role: role.optional().describe("The highest role that the user's keys and tokens can have."),
    disabled: z.boolean().optional(),
    revoke_tokens: z
      .literal(true)
      .optional()
      .describe('Whether to reject all tokens that were issued to the user until now.'),
  })
  .meta({ id: 'UpdateUser', examples: [{ role: 'viewer' }, { disabled: true }] });

const dayMinutes = 1_440;

export const createSignInLinkBody = z
  .strictObject({
    expires_in_minutes: z
      .int()
      .min(1)
      .max(7 * dayMinutes)
      .default(dayMinutes)
      .describe('How many minutes the link is valid, unless it is used before.'),
  })
  .default({ expires_in_minutes: dayMinutes })
  .meta({ id: 'CreateSignInLink', examples: [{ expires_in_minutes: 60 }] });

export const signInLink = z
  .object({
    user_id: uuid,
    link: z.string().describe('Signs the user in once. Shown only once, because it is not stored.'),
    expires_at: dateTime,
  })
  .meta({
    id: 'SignInLink',
    examples: [
      {
        user_id: userExample.id,
        link: 'https://outdial.example.com/console/sign-in#link=Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk',
        expires_at: '2026-03-02T09:00:00.000Z',
      },
    ],
  });

const keyExample = {
  id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c13',
  name: 'CRM',
  prefix: 'od_Kx3f9a',
  role: 'member',
  user_id: userExample.id,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  created_at: '2026-03-01T09:00:00.000Z',
} as const;

const apiKeyShape = {
  id: uuid,
  name: z.string(),
  prefix: z.string().describe('The first characters of the key.'),
  role,
  user_id: uuid.describe('The user on whose behalf the key acts.'),
  expires_at: dateTime.nullable(),
  revoked_at: dateTime.nullable(),
  last_used_at: dateTime.nullable(),
  created_at: dateTime,
};

export const apiKey = z.object(apiKeyShape).meta({ id: 'ApiKey', examples: [keyExample] });

export const createdApiKey = z
  .object({
    ...apiKeyShape,
    key: z
      .string()
      .nullable()
      .describe('The key itself. Shown only once, because it is not stored. Null in a repeated response.'),
  })
  .meta({
    id: 'CreatedApiKey',
    examples: [{ ...keyExample, key: 'od_Kx3f9aBq7vT2mW8nLr5cYh1zPe6sUd0gJx4iOa3wEtk' }],
  });

export const createApiKeyBody = z
  .strictObject({
    name: z.string().trim().min(1).max(255),
    role: role
      .nullish()
      .describe("The role of the key, which cannot exceed the user's. By default, the user's role."),
    user_id: uuid.nullish().describe('The user on whose behalf the key acts. By default, yourself.'),
    expires_at: instant.nullish(),
  })
  .meta({ id: 'CreateApiKey', examples: [{ name: 'CRM', role: 'member' }] });

const daySeconds = 86_400;

export const rotateApiKeyBody = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(30 * daySeconds)
      .default(daySeconds)
      .describe('How many seconds the old key remains valid.'),
  })
  .default({ overlap_seconds: daySeconds })
  .meta({ id: 'RotateApiKey', examples: [{ overlap_seconds: 3_600 }] });
