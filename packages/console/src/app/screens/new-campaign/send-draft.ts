import { api, ok, type Schemas } from '../../data/api.ts';
import { setStatus } from '../../data/campaigns.ts';
import { notesOf, refusalOf } from '../../data/list-check.ts';
import type { Sheet } from '../../sheets/sheet.ts';
import { checkParts, configOf, type Draft, importParts } from './draft.ts';

type Imported = Schemas['ImportedCampaign'];

export interface CheckedList extends Imported {
  /** Why the service would refuse the campaign, as a sentence; null if it would accept it. */
  refusal: string | null;
  /** What else it has to say, as sentences. */
  notes: readonly string[];
}

/** Lets the service read the file. */
export async function readSheet(file: File, parts: Record<string, string>): Promise<Sheet> {
  const { imported } = await sendImport(file, { ...parts, dry_run: 'true', preview: 'true' });
  const { preview, rows } = imported;
  if (preview === undefined) throw new Error('The service answered without a preview');
  return { ...preview, count: rows };
}

/** Lets the service check the list without creating anything. */
export async function checkList(draft: Draft, signal: AbortSignal): Promise<CheckedList> {
  const { imported, warnings } = await sendImport(draft.file, checkParts(draft), signal);
  return { ...imported, refusal: refusalOf(warnings, imported.taken), notes: notesOf(warnings) };
}

/** Creates the campaign, sets its retries, and starts it on request. `created` remembers the campaign, so that a retry after a partial failure continues there. */
export async function sendDraft(
  draft: Draft,
  { start, created }: { start: boolean; created: { id: string | null } },
): Promise<string> {
  if (created.id === null) {
    const { imported } = await sendImport(draft.file, importParts(draft, start ? 'paused' : 'draft'));
    const { campaign } = imported;
    if (campaign === null) throw new Error('The campaign was not created');
    created.id = campaign.id;
  }
  const id = created.id;
  await ok(
    api.PUT('/api/v1/campaigns/{campaign_id}/config', {
      params: { path: { campaign_id: id } },
      body: configOf(draft),
    }),
  );
  if (start) await setStatus(id, 'running');
  return id;
}

async function sendImport(
  file: File | null,
  parts: Record<string, string>,
  signal?: AbortSignal,
): Promise<{ imported: Imported; warnings: ReadonlyArray<Schemas['Warning']> }> {
  if (file === null) throw new Error('There is no file');
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value);
  form.append('file', file, file.name);
  const { data, meta } = await ok(
    api.POST('/api/v1/campaigns/import', {
      // The parts themselves are in the form.
      body: { file: '' },
      bodySerializer: () => form,
      ...(signal !== undefined && { signal }),
    }),
  );
  return { imported: data, warnings: meta?.warnings ?? [] };
}
