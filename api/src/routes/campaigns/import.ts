import {
  faultMessage,
  andMore,
  createCampaignBody,
  created,
  envelope,
  got,
  importCampaignBody,
  importedCampaign,
  numberingOf,
  rolesFrom,
  type CreateCampaignBody,
  type ValidationErrorEntry,
  type Warning,
} from '@outdial/contracts';
import { ConflictError, NotFoundError, parseJson } from '@outdial/core';
import { findCallingPolicy, findCampaign } from '@outdial/db';
import {
  announceCampaign,
  CampaignFieldsError,
  createCampaignInTransaction,
  findCampaignWarnings,
  findRefusedNumbers,
  ForeignOrganizationError,
  recipientJson,
  tryCampaign,
} from '@outdial/engine';
import { z } from 'zod';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { fieldFault, missingField, ValidationError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { parseFieldJson } from '../../http/json-body.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { parseMapping, withDigest } from '../../http/table-upload.ts';
import { fieldHint, unknownFields } from '../../http/unknown-fields.ts';
import { entriesOf } from '../../http/validation.ts';
import { summaryView } from './campaign-view.ts';
import { withFieldErrors } from './engine-errors.ts';
import { nearMisses } from './near-misses.ts';
import { previewImport } from './preview-import.ts';
import { type ImportedRows, readImport } from './read-import.ts';

const answer = envelope(importedCampaign);

export const importCampaign = defineRoute(
  {
    method: 'post',
    path: '/api/v1/campaigns/import',
    operationId: 'importCampaign',
    summary: 'Create a campaign from a spreadsheet',
    description:
      'The first line of the file names its columns. A column named phone, phone_number or to_phone contains the phone numbers, or one named to or number if no other could; columns named timezone, region and postal_code say where a person is. Every other ' +
      'column contains prompt values, under its name. `mapping` overrides this. Invalid rows are skipped and listed in `refused`.',
    tag: 'campaigns',
    roles: rolesFrom('member'),
    rolesFor: (body) => rolesFrom(runsAtOnce(body) ? 'manager' : 'member'),
    upload: {
      field: 'file',
      description:
        'A CSV file in UTF-8, separated by commas, semicolons or tabs, or an XLSX file, of which the first visible sheet is read.',
      inMemory: true,
    },
    body: importCampaignBody,
    headers: idempotencyHeader,
    response: answer,
    errors: [403, 404],
  },
  async (request, deps) => {
    const { principal, body, bytes } = request;
    const { organizationId, userId } = principal;
    const isDryRun = body.dry_run === 'true';
    const options = {
      organizationId,
      mapping: parseMapping(body.mapping),
      numbering: numberingOf(body),
      findRefused: (phoneNumbers: readonly string[]) =>
        findRefusedNumbers(deps.db, organizationId, phoneNumbers),
    };
    if (body.preview === 'true') {
      if (!isDryRun) throw fieldFault('preview', 'A preview creates nothing: send dry_run=true as well');
      const { warnings, ...shown } = await previewImport(bytes, options);
      return got({ campaign: null, dry_run: true, ...shown }, metaWithWarnings({}, warnings));
    }
    const { campaign } = body;
    if (campaign === undefined) throw missingField('campaign');
    const rows = await readImport(bytes, options);
    const isStrict = (await findCallingPolicy(deps.db, organizationId)) === 'strict';
    const unclear = isStrict ? unclearPlaces(rows) : [];
    if (!isDryRun && unclear.length > 0) throw new ValidationError(unclear);
    const fields = withRows(rows, isDryRun, () => campaignFields(campaign, rows, isDryRun));
    const read = { rows: rows.rows, taken: rows.recipients.size, refused: rows.refused };
    const misses = [...rows.warnings, ...nearMisses(fields?.additional_params)];
    const engine = { ...deps, installationProvider: deps.config.installationProvider };
    if (isDryRun || fields === null) {
      const warnings =
        fields === null
          ? []
          : await tryCampaign(deps.db, engine, { organizationId, userId, fields }).catch((error: unknown) =>
              refusalWarnings(error, rows),
            );
      const refusals = unclear.map(({ loc, msg }): Warning => ({ code: 'would_be_refused', loc, msg }));
      return got(
        { campaign: null, dry_run: true, ...read },
        metaWithWarnings({}, [...misses, ...refusals, ...warnings]),
      );
    }
    return once(deps, withDigest(request), answer, async (tx) => {
      const campaignCreated = await withFieldErrors(() =>
        createCampaignInTransaction(tx, engine, { organizationId, userId, fields }),
      );
      const { campaignId } = campaignCreated;
      const record = orNotFound(await findCampaign(tx, { organizationId, campaignId }), 'Campaign');
      const warnings = await findCampaignWarnings(tx, { organizationId, campaignId });
      return {
        kept: created(
          { campaign: summaryView(record), dry_run: false, ...read },
          metaWithWarnings({}, [...misses, ...warnings]),
        ),
        afterCommit: () => announceCampaign(engine, organizationId, campaignCreated),
      };
    });
  },
);

/** Under the policy `strict`, it has to be said of every column that looks like a place: the hours of another place may be wrong. */
function unclearPlaces({ unusedPlaces }: ImportedRows): ValidationErrorEntry[] {
  return unusedPlaces.map((column) => ({
    loc: ['body', 'mapping'],
    msg: `The calling policy is strict, and the column ${JSON.stringify(column.slice(0, 64))} looks like where a person is: map it to timezone, region or postal_code, or to prompt_params.${column.slice(0, 64)} if it is a prompt value`,
    type: 'value_error',
  }));
}

/** If the state of the organization would prevent the creation, a dry run returns this as a warning beside the rows. Invalid fields are a 422, as without a dry run. */
function refusalWarnings(error: unknown, rows: ImportedRows): Warning[] {
  if (error instanceof CampaignFieldsError) throw new ValidationError([...error.faults, ...rowFaults(rows)]);
  if (
    error instanceof NotFoundError ||
    error instanceof ConflictError ||
    error instanceof ForeignOrganizationError
  ) {
    return [{ code: 'would_be_refused', loc: ['body', 'campaign'], msg: error.publicMessage }];
  }
  throw error;
}

/** A 422 of a dry run also names the refused rows, so that both can be corrected together. */
function withRows<T>(rows: ImportedRows, isDryRun: boolean, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDryRun || !(error instanceof ValidationError)) throw error;
    throw new ValidationError([...error.entries, ...rowFaults(rows)]);
  }
}

const rowsAtMost = 100;

function rowFaults({ refused }: ImportedRows): ValidationErrorEntry[] {
  const entries = refused.slice(0, rowsAtMost).map(({ line, column, reason }): ValidationErrorEntry => {
    const loc = ['body', 'file', line, ...(column === null ? [] : [column.slice(0, 64)])];
    return { loc, msg: `This row ${reason}`, type: 'value_error' };
  });
  return [...entries, ...andMore(['body', 'file'], refused.length - rowsAtMost)];
}

const jsonObject = z.record(z.string(), z.unknown());
const withCampaign = z.object({ campaign: z.string() });

function runsAtOnce(body: unknown): boolean {
  const given = withCampaign.safeParse(body);
  const campaign = given.success ? jsonObject.safeParse(parseJson(given.data.campaign)) : null;
  return campaign?.success === true && campaign.data['status'] === 'running';
}

/** The fields of the campaign with the people of the file. Null for a dry run of a file without valid rows. */
function campaignFields(text: string, read: ImportedRows, isDryRun: boolean): CreateCampaignBody | null {
  const { recipients, rows } = read;
  const given = jsonObject.safeParse(parseFieldJson(text, ['body', 'campaign']));
  if (!given.success) {
    throw fieldFault(
      'campaign',
      'Input should be a JSON object as in POST /campaigns, such as {"name": "Spring", "agent_id": "…"}',
    );
  }
  if (recipients.size === 0) {
    if (isDryRun) return null;
    const msg =
      rows === 0
        ? 'The file has no rows below the first line'
        : 'No row has a phone number that can be called';
    throw new ValidationError([{ loc: ['body', 'file'], msg, type: 'value_error' }, ...rowFaults(read)]);
  }
  requireKnownFields(given.data);
  const params = jsonObject.safeParse(given.data['additional_params'] ?? {});
  const own = recipientJson(recipients);
  const merged = {
    ...given.data,
    phone_numbers: [...recipients.keys()],
    additional_params: params.success
      ? {
          ...params.data,
          ...(Object.keys(own).length > 0 && {
            recipients: own,
          }),
        }
      : given.data['additional_params'],
  };
  const checked = createCampaignBody.safeParse(merged, { error: faultMessage });
  if (checked.success) return checked.data;
  const entries = entriesOf('body', merged, createCampaignBody, checked.error);
  throw new ValidationError(
    entries.map((entry) => ({ ...entry, loc: ['body', 'campaign', ...entry.loc.slice(1)] })),
  );
}

/** Refuses fields that would be dropped silently or overwritten by the file, because a zone in the wrong place means calls at night. */
function requireKnownFields(given: Readonly<Record<string, unknown>>): void {
  const unknown = unknownFields(createCampaignBody, given);
  const entries: ValidationErrorEntry[] = unknown.fields.map((field) => ({
    loc: ['body', 'campaign', ...field.path],
    msg: `Field not expected${fieldHint(field)}`,
    type: 'extra_forbidden',
  }));
  entries.push(...andMore(['body', 'campaign'], unknown.more));
  if (given['phone_numbers'] !== undefined) entries.push(inTheFile(['phone_numbers']));
  const params = jsonObject.safeParse(given['additional_params']);
  if (params.success && params.data['recipients'] !== undefined) {
    entries.push(inTheFile(['additional_params', 'recipients']));
  }
  if (entries.length > 0) throw new ValidationError(entries);
}

function inTheFile(path: readonly string[]): ValidationErrorEntry {
  const msg = 'Field not expected: the phone numbers come from the file';
  return { loc: ['body', 'campaign', ...path], msg, type: 'extra_forbidden' };
}
