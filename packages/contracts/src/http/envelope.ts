import { z } from 'zod';
import { freeForm } from './fields.ts';

/** The answer of the call, campaign, campaign config and agent endpoints. */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.object({ message: z.string().nullable(), meta: freeForm.nullable(), data: data.nullable() });
}

/** The answer of the knowledge base endpoints. */
export function dataOnly<Data extends z.ZodType>(data: Data) {
  return z.object({ data });
}

type Meta = Record<string, unknown>;

export interface Envelope<Data> {
  message: string;
  meta: Meta;
  data: Data;
}

export function got<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data got correctly', meta, data };
}

export function created<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data created correctly', meta, data };
}

export function updated<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data updated correctly', meta, data };
}

export function deleted<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data deleted correctly', meta, data };
}
