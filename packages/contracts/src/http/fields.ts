import { z } from 'zod';

/** An id in any of the versions of RFC 9562; whether it names something is the database's to say. */
export const uuid = z.guid();

/** What the service answers: always in UTC, with milliseconds. */
export const dateTime = z.iso.datetime();

/** An object whose inner structure is its owner's. */
export const freeForm = z.record(z.string(), z.unknown());

/** Values for the placeholders of a prompt. */
export const promptParams = z.record(z.string(), z.string());

/** A phone number by the syntax of E.164; whether it can be dialed is for the rules of the core to say. */
export const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/, 'Input should be a phone number in E.164 format');
