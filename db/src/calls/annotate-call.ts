import { sql } from 'kysely';
import { noteChange } from '../audit/audit-scope.ts';
import { ensureTags } from '../tags/tags.ts';
import type { Tx } from '../transaction.ts';
import type { CallKey } from '../keys.ts';

/** Notes of users on a call. An omitted field does not change; null removes it. */
export interface CallAnnotations {
  notes?: string | null | undefined;
  comments?: string | null | undefined;
  /** 1 to 5. */
  quality?: number | null | undefined;
  /** Replaces all tags of the call, by name. Creates missing tags. */
  tags?: readonly string[] | undefined;
}

interface AnnotationRow {
  notes: string | null;
  comments: string | null;
  quality: number | null;
  tag_ids: string[];
}

/** False if the call does not exist. It may be in progress, because the engine never writes these fields. */
export async function annotateCall(
  tx: Tx,
  args: CallKey & {
    annotations: CallAnnotations;
    /** Runs when the call is locked, and throws to refuse the change. */
    precondition?: () => Promise<void>;
  },
): Promise<boolean> {
  const { organizationId, callId, annotations } = args;
  const { rows } = await sql<AnnotationRow>`
    select notes, comments, quality, tag_ids from calls
    where organization_id = ${organizationId} and id = ${callId} for no key update`.execute(tx);
  const [before] = rows;
  if (before === undefined) return false;
  await args.precondition?.();
  const { tags } = annotations;
  const after: AnnotationRow = {
    notes: annotations.notes === undefined ? before.notes : annotations.notes,
    comments: annotations.comments === undefined ? before.comments : annotations.comments,
    quality: annotations.quality === undefined ? before.quality : annotations.quality,
    tag_ids: tags === undefined ? before.tag_ids : await ensureTags(tx, { organizationId, names: tags }),
  };
  await sql`
    update calls set notes = ${after.notes}, comments = ${after.comments}, quality = ${after.quality},
      tag_ids = ${after.tag_ids}::uuid[]
    where organization_id = ${organizationId} and id = ${callId}`.execute(tx);
  noteChange({ type: 'call', id: callId, before: loggable(before), after: loggable(after) });
  return true;
}

/** Leaves out notes about people, because the log cannot be erased. */
function loggable({ notes, comments, quality, tag_ids: tagIds }: AnnotationRow) {
  return { has_notes: notes !== null, has_comments: comments !== null, quality, tag_ids: tagIds };
}
