import { parseJson } from '@outdial/core';
import { z } from 'zod';

/** The events and answers of ARI that we use: https://docs.asterisk.org, "Asterisk REST Data Models". */

/** `2026-11-21T06:35:12.883+0000`. */
const ariTime = z
  .string()
  .transform((text) => new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')))
  .refine((at) => !Number.isNaN(at.getTime()));

export const channel = z.object({
  id: z.string(),
  state: z.string(),
  /** The SIP `Call-ID`. Some versions do not send it. */
  protocol_id: z.string().optional(),
  dialplan: z.object({ app_name: z.string().optional() }).optional(),
});
export type AriChannel = z.output<typeof channel>;

const when = { timestamp: ariTime };

export const ariEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ChannelStateChange'), channel, ...when }),
  z.object({
    type: z.literal('ChannelVarset'),
    variable: z.string(),
    value: z.string(),
    /** Absent for a global variable. */
    channel: channel.optional(),
    ...when,
  }),
  z.object({ type: z.literal('Dial'), peer: channel, dialstatus: z.string(), ...when }),
  z.object({ type: z.literal('StasisStart'), channel, args: z.array(z.string()), ...when }),
  z.object({ type: z.literal('ChannelDtmfReceived'), channel, digit: z.string().max(1), ...when }),
  z.object({ type: z.literal('RecordingFinished'), recording: z.object({ name: z.string() }), ...when }),
  z.object({
    type: z.literal('ChannelDestroyed'),
    channel,
    cause: z.int(),
    /** The channel technology's own cause; for SIP, the status. Some versions do not send it. */
    tech_cause: z.int().optional(),
    ...when,
  }),
]);
export type AriEvent = z.output<typeof ariEvent>;

/** If its version supports filters, Asterisk sends only these types. There are many others. */
export const eventTypes = ariEvent.options.map((option) => option.shape.type.value);

export const channels = z.array(channel);
export const applications = z.array(z.object({ name: z.string() }));
export const variable = z.object({ value: z.string() });

/** Null for events that we do not use, and for invalid ones: a newer Asterisk may send other events. */
export function readEvent(text: string): AriEvent | null {
  return ariEvent.safeParse(parseJson(text)).data ?? null;
}
