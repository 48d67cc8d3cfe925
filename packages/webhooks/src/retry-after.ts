/** The seconds of a `Retry-After` header (RFC 9110, section 10.2.3: a number, or a date); null if it is missing or invalid. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Only the formats with a day's name are HTTP's; `Date.parse` would take much more.
  if (value.length > 40 || !/^[A-Z][a-z]{2,8},? /.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000);
}
