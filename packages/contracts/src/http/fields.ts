import { z } from 'zod';

/** An id in any of the versions of RFC 9562; whether it names something is the database's to say. */
export const uuid = z.guid();

/** An instant in answers: always in UTC, with milliseconds. */
export const dateTime = z.iso.datetime();

/** An object whose inner structure is its owner's. */
export const freeForm = z.record(z.string(), z.unknown());

/** Of every free-form object; of `additional_params` without its `recipients`. */
export const freeFormBytesAtMost = 64 * 1024;

/** Of what is said about one recipient of a campaign. */
export const recipientBytesAtMost = 16 * 1024;

/** The size of a value as it is stored and sent. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Values for the placeholders of a prompt. */
export const promptParams = z.record(z.string(), z.string());

export const e164Message = 'Input should be a phone number in E.164 format, such as +15550100123';

/** A phone number by the syntax of E.164; whether it can be dialed is for the rules of the core to say. */
export const e164 = z.string(e164Message).regex(/^\+[1-9]\d{6,14}$/, e164Message);
