import { withoutOldMexicanPrefix, withoutTrunkZero } from '@outdial/core';
import { z } from 'zod';

/** An id of any version of RFC 9562. The database decides whether it exists. */
export const uuid = z.guid();

/** An instant in answers: always in UTC, with milliseconds. */
export const dateTime = z.iso.datetime();

/** An object whose inner structure is its owner's. */
export const freeForm = z.record(z.string(), z.unknown());

/** For a POST that takes no fields. */
export const emptyBody = z.strictObject({}).optional();

/** Of every free-form object; of `additional_params` without its `recipients`. */
export const freeFormBytesAtMost = 64 * 1024;

/** The limit of one recipient's values. */
export const recipientBytesAtMost = 16 * 1024;

/** The size of a value as stored and sent. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Values for the placeholders of a prompt. */
export const promptParams = z.record(z.string(), z.string());

export const e164Message = 'Input should be a phone number in E.164 format, such as +15550100123';

/** A phone number in the syntax of E.164. Core decides whether it can be dialed. */
export const e164 = z
  .string(e164Message)
  .regex(/^\+[1-9]\d{6,14}$/, { error: e164Message, abort: true })
  // With either, it would be another number than the one that campaigns call.
  .refine((text) => withoutOldMexicanPrefix(text) === null, {
    message: 'Input should be the number without the 1 after +52, which Mexico no longer uses',
    params: { type: 'value_error' },
  })
  .refine((text) => withoutTrunkZero(text) === null, {
    message:
      'Input should be the number without the 0 after its country code, which is not dialed from abroad',
    params: { type: 'value_error' },
  });
