import { createHash } from 'node:crypto';
import { type GateRelease, tablesOfPlaces } from '@outdial/core';
import { gateConditions } from './conditions.ts';

const content: GateRelease = {
  conditions: gateConditions.map(({ reason, text, appliesIf }) => ({ reason, text, applies_if: appliesIf })),
  time_zones: process.versions['tz'] ?? 'unknown',
  area_codes: createHash('sha256').update(tablesOfPlaces).digest('hex'),
};

/** The release of this process. */
export const gateRelease = { id: idOf(content), content };

/** A UUID of a hash (RFC 9562, version 8), so that equal content has the same id in every process. */
export function idOf(...parts: unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
