/**
 * The baseline of the api: Express and pg with the same statements in the same transactions. It has no authentication, validation, log, metrics,
 * security headers, queue or response schema.
 */
/* oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 hears of what they throw */
import express from 'express';
import pg from 'pg';
import { z } from 'zod';
import * as statements from './bare-statements.ts';

const env = z
  .object({
    DATABASE_URL: z.string(),
    PORT: z.coerce.number(),
    ORGANIZATION_ID: z.string(),
    USER_ID: z.string(),
  })
  .parse(process.env);
const organizationId = env.ORGANIZATION_ID;

// The api's default pool size.
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 10 });
const app = express();
app.disable('etag');

app.post('/api/v1/agents/:agentId/call', express.json(), async (req, res) => {
  const { to_phone: toPhone, prompt_params: promptParams } = body.parse(req.body);
  const call = await inTransaction('begin', async (client) => {
    const { agentId } = req.params;
    const agents = await client.query<Row>(statements.agentContext, [agentId, organizationId]);
    await client.query(statements.suppression, [organizationId, toPhone]);
    await client.query(statements.provider, ['simulator']);
    const promptId = agents.rows[0]?.['prompt_id'];
    const values = [
      organizationId,
      agentId,
      'simulator',
      toPhone,
      null,
      promptId,
      JSON.stringify(promptParams),
    ];
    const written = await client.query<{ id: string }>(
      statements.insertCall,
      values.concat([null, env.USER_ID, 60, [], []]),
    );
    const found = await client.query<Row>(statements.findCall, [organizationId, written.rows[0]?.id]);
    return found.rows[0];
  });
  res.json({ data: call });
});

app.get('/api/v1/calls/:callId', async (req, res) => {
  const { rows } = await pool.query<Row>(statements.findCall, [organizationId, req.params.callId]);
  res.json({ data: rows[0] });
});

app.get('/api/v1/campaigns', async (_req, res) => {
  const began = 'start transaction isolation level repeatable read read only';
  const page = await inTransaction(began, async (client) => {
    const { rows } = await client.query<Row>(statements.countCampaigns, [organizationId]);
    const campaigns = await client.query<Row>(statements.listCampaigns, [organizationId, 50, 0]);
    const ids = campaigns.rows.map((campaign) => campaign['id']);
    const numbers = await client.query<NumbersAtPlace>(statements.pageNumbers, [ids, organizationId, 5_000]);
    const byPlace = new Map(numbers.rows.map((row) => [row.place, row.numbers]));
    const items = campaigns.rows.map((campaign, at) => ({
      ...campaign,
      phone_numbers: JSON.parse(byPlace.get(at + 1) ?? '[]') as unknown,
    }));
    return { items, total: rows[0]?.['count'] };
  });
  res.json({ data: page });
});

app.get('/readyz', async (_req, res) => {
  await pool.query('select 1');
  res.json({});
});

type Row = Record<string, unknown>;

interface NumbersAtPlace {
  place: number;
  /** A JSON array, as text. */
  numbers: string;
}

/** Only satisfies the compiler; the fields are not read. */
const body = z.custom<{ to_phone: string; prompt_params: object }>();

async function inTransaction<Value>(
  begin: string,
  work: (client: pg.PoolClient) => Promise<Value>,
): Promise<Value> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const value = await work(client);
    await client.query('commit');
    return value;
  } finally {
    client.release();
  }
}

const server = app.listen(env.PORT, '127.0.0.1');
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void pool.end();
});
