import { pairs, unspacedParts } from '@outdial/core';
import { sql } from 'kysely';
import type { Db, Tx } from '../transaction.ts';
import { prepared } from '../postgres/prepared.ts';
import { withinMs } from '../postgres/caller.ts';

interface PassageSearch {
  organizationId: string;
  knowledgeBaseId: string;
  /** In the words of a person or a model, with "phrases" and -exclusions. */
  question: string;
  limit: number;
}

export interface FoundPassage {
  item_id: string;
  item_name: string;
  page: number;
  position: number;
  score: number;
  text: string;
  /** The text with U+0002 before and U+0003 after each match. Neither occurs in texts. */
  marked: string;
}

/** The passages that each step ranks. If a question has more matches, it is so general that their order means little. */
const candidatesAtMost = 600;
/** A word in more passages says little about each of them. */
const rareWithin = 100;
/** Further words of a question are ignored. */
const wordsAtMost = 12;
/** Of all statements of a search. A caller waits for it in a conversation. */
const searchMs = 1_000;

/**
 * Finds the passages that answer a question best. First those with all of its words. Spoken questions have words that no answer has, so if there
 * are too few, then those with all words that occur in the base, those with a rare word, and, if there is no match yet, those with any word.
 * @throws StatementTooLongError after a second
 */
export async function searchPassages(db: Db, search: PassageSearch): Promise<FoundPassage[]> {
  return withinMs(searchMs, () => searchIn(db, search));
}

function searchIn(db: Db, search: PassageSearch): Promise<FoundPassage[]> {
  return db.transaction().execute(async (tx) => {
    // Frequent words are found by scanning the base's rows, rare ones by the index of words. The planner underestimates a scan of the whole
    // table, because it assumes that the rows of all bases are well mixed.
    await sql`set local enable_seqscan = off`.execute(tx);
    const found = new Map<string, Hit>();
    for await (const step of steps(tx, search)) {
      if (step.lastResort && found.size > 0) break;
      for (const hit of await findHits(tx, search, step)) {
        const key = `${hit.document_id} ${hit.position}`;
        if (found.size < search.limit && !found.has(key)) found.set(key, hit);
      }
      if (found.size >= search.limit) break;
    }
    return describeHits(tx, search, [...found.values()]);
  });
}

interface Step {
  match: string;
  /** The query that ranks it. */
  weigh: string;
  /** Only if no better passage was found. */
  lastResort?: true;
}

async function* steps(tx: Tx, search: PassageSearch): AsyncGenerator<Step> {
  const { question, knowledgeBaseId } = search;
  // The question's words in each language of the base.
  const { rows } = await sql<{ query: string; words: string[] }>`
    select websearch_to_tsquery(search_config::regconfig, ${asPhrases(question)})::text as query,
      tsvector_to_array(to_tsvector(search_config::regconfig, ${asPairs(question)})) as words
    from knowledge_base_languages where knowledge_base_id = ${knowledgeBaseId}`.execute(prepared(tx));
  const strict = eitherOf([...rows.map((row) => row.query), ...singleLetters(question)]);
  const weighStrict = eitherOf([...rows.map((row) => cheaplyWeighed(row.query)), ...singleLetters(question)]);
  if (strict !== '') yield { match: strict, weigh: weighStrict };
  // Phrases and exclusions are deliberate, so they are not relaxed.
  if (/"|(^|\s)-\S/.test(question)) return;

  const understood = rows.map((row) => row.words.slice(0, wordsAtMost));
  const words = [...new Set(understood.flat())];
  if (words.length < 2) return;
  const counts = await countPassages(tx, search, words);
  const present = words.filter((word) => (counts.get(word) ?? 0) > 0);
  if (present.length === 0) return;
  const weigh = anyOf(present);
  yield {
    match: eitherOf(understood.map((list) => allOf(list.filter((word) => present.includes(word))))),
    weigh,
  };
  const rare = present.filter((word) => (counts.get(word) ?? 0) <= rareWithin);
  if (rare.length > 0) yield { match: anyOf(rare), weigh };
  if (rare.length < present.length) yield { match: weigh, weigh, lastResort: true };
}

/**
 * The query that ranks the matches of another one. Ranking by the distance of words looks for the query around each position of its words, so a
 * phrase of the same word 48 times takes a second for a passage of that word. Then the distinct words rank instead.
 */
function cheaplyWeighed(query: string): string {
  const words = lexemesOf(query);
  const distinct = [...new Set(words)];
  return distinct.length === words.length && words.length <= wordsAtMost
    ? query
    : anyOf(distinct.slice(0, wordsAtMost));
}

/** How many passages have each word, counted up to `rareWithin` + 1. */
async function countPassages(
  tx: Tx,
  { knowledgeBaseId }: PassageSearch,
  words: readonly string[],
): Promise<Map<string, number>> {
  const counts = words.map(
    (word) => sql`
      select ${word}::text as word, (select count(*)::integer from (
        select from knowledge_base_index where knowledge_base_id = ${knowledgeBaseId}::uuid
          and search @@ ${within(knowledgeBaseId, allOf([word]))}::tsquery
        limit ${rareWithin + 1}) counted) as passages`,
  );
  const { rows } = await sql<{
    word: string;
    passages: number;
  }>`${sql.join(counts, sql` union all `)}`.execute(tx);
  return new Map(rows.map((row) => [row.word, row.passages]));
}

function within(knowledgeBaseId: string, query: string): string {
  return `${allOf([`kb:${knowledgeBaseId}`])} & (${query})`;
}

/** For scripts without spaces, the index has pairs of letters, so a run of letters becomes a phrase of its pairs. */
function asPhrases(question: string): string {
  // `singleLetters` searches for single letters as prefixes of pairs.
  return replaceParts(question, (part) => (isSingle(part) ? ' ' : ` "${pairs(part).join(' ')}" `));
}

function asPairs(question: string): string {
  return replaceParts(question, (part) => ` ${pairs(part).join(' ')} `);
}

function singleLetters(question: string): string[] {
  return unspacedParts(question)
    .filter(isSingle)
    .map((letter) => `'${letter}':*`);
}

function isSingle(part: string): boolean {
  return [...new Intl.Segmenter('und').segment(part)].length === 1;
}

function replaceParts(question: string, replace: (part: string) => string): string {
  let rest = question;
  let text = '';
  for (const part of unspacedParts(question)) {
    const at = rest.indexOf(part);
    text += rest.slice(0, at) + replace(part);
    rest = rest.slice(at + part.length);
  }
  return text + rest;
}

interface Hit {
  document_id: string;
  position: number;
  score: number;
  query: string;
}

async function findHits(
  tx: Tx,
  { knowledgeBaseId, limit }: PassageSearch,
  { match, weigh }: Step,
): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select document_id, position, ts_rank_cd(search, ${weigh}::tsquery, 1)::float8 as score, ${weigh} as query
    from (
      select document_id, position, search from knowledge_base_index
      where knowledge_base_id = ${knowledgeBaseId}::uuid and search @@ ${within(knowledgeBaseId, match)}::tsquery
      limit ${candidatesAtMost}
    ) candidates
    order by score desc, document_id, position limit ${limit}`.execute(prepared(tx));
  return rows;
}

async function describeHits(
  tx: Tx,
  { organizationId, knowledgeBaseId }: PassageSearch,
  hits: readonly Hit[],
): Promise<FoundPassage[]> {
  if (hits.length === 0) return [];
  const { rows } = await sql<FoundPassage>`
    select i.id as item_id, i.name as item_name, p.page, p.position, hit.score, p.text,
      ts_headline(p.search_config::regconfig, p.text, hit.query::tsquery,
        'HighlightAll=true, StartSel=' || chr(2) || ', StopSel=' || chr(3)) as marked
    from unnest(${hits.map((hit) => hit.document_id)}::uuid[], ${hits.map((hit) => hit.position)}::integer[],
                ${hits.map((hit) => hit.score)}::float8[], ${hits.map((hit) => hit.query)}::text[])
      with ordinality as hit(document_id, position, score, query, place)
    join knowledge_base_passages p
      on p.knowledge_base_id = ${knowledgeBaseId}::uuid and p.document_id = hit.document_id
      and p.position = hit.position and p.organization_id = ${organizationId}::uuid
    -- Several items may have the same document. The oldest represents them.
    cross join lateral (
      select id, name from knowledge_base_items where document_id = p.document_id order by created_at, id limit 1
    ) i
    order by hit.place`.execute(prepared(tx));
  return rows;
}

function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

export function allOf(lexemes: readonly string[]): string {
  return lexemes.map(quoted).join(' & ');
}

export function anyOf(lexemes: readonly string[]): string {
  return lexemes.map(quoted).join(' | ');
}

/** @param queries complete texts of queries; empty ones are ignored */
function eitherOf(queries: readonly string[]): string {
  const given = queries.filter((query) => query !== '');
  return given.length < 2 ? (given[0] ?? '') : given.map((query) => `(${query})`).join(' | ');
}

/** The words in the text of a query, each as often as it occurs. */
function lexemesOf(query: string): string[] {
  return [...query.matchAll(/'((?:[^']|'')*)'/g)].map(([, lexeme = '']) =>
    lexeme.replaceAll("''", "'").replaceAll('\\\\', '\\'),
  );
}
