import { z } from 'zod';
import { createdPosition, cursorParameters } from './cursor.ts';
import { dateTime, uuid } from './fields.ts';

const statement = z
  .string()
  .describe(
    'JSON with the signed facts: `number`, `day`, the number of `leaves`, their `root`, the SHA-256 of the statement before (`previous_sha256`), `sealed_at` and the `public_key`. Sign and compare it as the text that it is.',
  );
const signature = z.string().describe('The Ed25519 signature of the statement, in base64.');

const statementExample =
  '{"v":1,"organization_id":"0195d2f0-0000-7000-8000-000000000001","number":12,"day":"2026-03-02","leaves":2,"root":"5c8f…","previous_sha256":"a1b2…","sealed_at":"2026-03-03T01:00:04.000Z","public_key":"MCowBQYDK2VwAyEA…"}';

export const receiptSeal = z
  .object({
    number: z.int().describe('From 1, without gaps.'),
    day: z.string().describe('The day whose calls and refusals it has, in UTC.'),
    statement,
    signature,
    created_at: dateTime,
  })
  .meta({
    id: 'ReceiptSeal',
    examples: [
      {
        number: 12,
        day: '2026-03-02',
        statement: statementExample,
        signature: 'u1YPn…==',
        created_at: '2026-03-03T01:00:04.000Z',
      },
    ],
  });

export type ReceiptSeal = z.output<typeof receiptSeal>;

export const listReceiptSealsQuery = cursorParameters(createdPosition);

export const receiptProof = z
  .object({
    subject_id: uuid.describe('The call, or the recipient whose refusals were sealed.'),
    leaf: z
      .string()
      .describe(
        'JSON with the facts of the decision as they are stored now. Hash it as the text that it is.',
      ),
    index: z.int().describe('The position of the leaf, from 0.'),
    path: z
      .array(z.string())
      .describe('The hashes from the leaf to the root (RFC 9162, section 2.1.3), in hexadecimal.'),
    statement,
    signature,
    phone_number: z.string().nullable(),
    salt: z
      .string()
      .nullable()
      .describe('`phone_number_sha256` of the leaf is the SHA-256 of this text and the phone number.'),
    grounds: z.string().nullable().describe('The text whose SHA-256 is `grounds_sha256` of the leaf.'),
    release: z.string().nullable().describe('The text whose SHA-256 is `release_sha256` of the leaf.'),
    consent: z.string().nullable().describe('The text whose SHA-256 is `consent_sha256` of the leaf.'),
  })
  .meta({
    id: 'ReceiptProof',
    examples: [
      {
        subject_id: '0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f',
        leaf: '{"v": 1, "kind": "call", "call_id": "0195d2f1-0a2b-7c3d-8e4f-5a6b7c8d9e0f", "decision": "dialed"}',
        index: 0,
        path: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
        statement: statementExample,
        signature: 'u1YPn…==',
        phone_number: '+442079460958',
        salt: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
        grounds: '{"rules": []}',
        release: '{"conditions": []}',
        consent: null,
      },
    ],
  });

export type ReceiptProof = z.output<typeof receiptProof>;
