import pg from 'pg';

interface CopiedTable {
  name: string;
  columns: string;
  rows: string;
}

/** Reads all rows of a database in one snapshot, like pg_dump. The rows can be written to another database with the same migrations. */
export async function copyRows(databaseUrl: string): Promise<{ into(url: string): Promise<void> }> {
  const source = await connected(databaseUrl);
  await source.query('begin isolation level repeatable read read only');
  const { rows: tables } = await source.query<Omit<CopiedTable, 'rows'>>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
  );
  const copied: CopiedTable[] = [];
  for (const { name, columns } of tables) {
    const { rows } = await source.query<{ rows: string }>(
      `select coalesce(json_agg(t), '[]')::text as rows from ${name} t`,
    );
    copied.push({ name, columns, rows: rows[0]?.rows ?? '[]' });
  }
  const { rows: sequences } = await source.query<{ name: string; last: string }>(
    `select format('%I.%I', schemaname, sequencename) as name, last_value as last from pg_sequences
     where last_value is not null`,
  );
  await source.end();

  return {
    async into(url) {
      const target = await connected(url);
      // Disables triggers and foreign keys. The rows are consistent.
      await target.query('set session_replication_role = replica');
      await target.query(`truncate ${copied.map(({ name }) => name).join(', ')}`);
      for (const { name, columns, rows } of copied) {
        const insert = `insert into ${name} (${columns}) overriding system value`;
        await target.query(
          `${insert} select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
          [rows],
        );
      }
      for (const { name, last } of sequences) {
        await target.query('select setval($1::regclass, $2)', [name, last]);
      }
      await target.end();
    },
  };
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}
