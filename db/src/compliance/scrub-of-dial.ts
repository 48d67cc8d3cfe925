import { sql, type RawBuilder } from 'kysely';

interface AskedLists {
  organization_id: RawBuilder<unknown>;
  /** The lists that a campaign needs; null for none, in which case nothing is read. */
  names: RawBuilder<unknown>;
}

/**
 * The lists of a campaign as a derived table of one row (valid_until, versions). `valid_until` is null if one of them is missing or was never
 * complete; `versions` has the version of each.
 */
export function scrubsOfDial({ organization_id, names }: AskedLists): RawBuilder<unknown> {
  return sql`(
    select case when count(l.scrubbed_at) = cardinality(${names})
        then min(l.scrubbed_at + l.good_for_days * interval '24 hours') end as valid_until,
      jsonb_object_agg(l.name, l.scrubbed_at) as versions
    from scrub_lists l
    where ${names} is not null and l.organization_id = ${organization_id} and l.name = any(${names}) and l.removed_at is null)`;
}

/**
 * Whether a number is on one of the lists, with one index probe. Numbers of an incomplete version count in addition to those of the previous
 * version; numbers of replaced versions do not count.
 */
export function isOnScrubList(of: AskedLists & { phone_number: RawBuilder<unknown> }): RawBuilder<unknown> {
  return sql`case when ${of.names} is not null then exists (
    select from (
      select scrub_list_id, scrubbed_at from scrub_list_numbers
      where organization_id = ${of.organization_id} and phone_number = ${of.phone_number}
      -- A number is on few lists, so they are found first by the key.
      offset 0) n
    join scrub_lists l on l.id = n.scrub_list_id
    where l.name = any(${of.names}) and l.removed_at is null and n.scrubbed_at >= coalesce(l.scrubbed_at, '-infinity')) else false end`;
}

interface AskedPlaces {
  organization_id: RawBuilder<unknown>;
  /** The jurisdictions of the number of a direct call; null if no list counts. */
  places: readonly string[] | null;
}

/** The lists of a direct call, in the format of `scrubsOfDial`: those of the jurisdictions of its number. `versions` is null if there are none. */
export function scrubsOfPlaces({ organization_id, places }: AskedPlaces): RawBuilder<unknown> {
  return sql`(
    select case when count(l.scrubbed_at) = count(*) then min(l.scrubbed_at + l.good_for_days * interval '24 hours') end as valid_until,
      jsonb_object_agg(l.name, l.scrubbed_at) as versions
    from scrub_lists l
    where l.organization_id = ${organization_id} and l.jurisdiction = any(${places}::text[]) and l.removed_at is null)`;
}

/** Whether the number of a direct call is on any list of its organization, whatever jurisdiction the list has. */
export function isOnAnyScrubList(
  of: AskedPlaces & { phone_number: RawBuilder<unknown> },
): RawBuilder<unknown> {
  return sql`case when ${of.places}::text[] is not null then exists (
    select from (
      select scrub_list_id, scrubbed_at from scrub_list_numbers
      where organization_id = ${of.organization_id} and phone_number = ${of.phone_number} offset 0) n
    join scrub_lists l on l.id = n.scrub_list_id
    where l.removed_at is null and n.scrubbed_at >= coalesce(l.scrubbed_at, '-infinity')) else false end`;
}
