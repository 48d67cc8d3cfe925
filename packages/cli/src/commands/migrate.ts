import { migrateToLatest } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import { databaseEnv, loadEnv, queueEnv } from '@outdial/runtime';
import type { Command } from 'commander';
import { environmentOf } from '../open-database.ts';
import { leaf } from '../options.ts';
import { say } from '../output.ts';
import type { CliContext } from '../cli-context.ts';

export function addMigrate(program: Command, context: CliContext): void {
  leaf(program, 'migrate', 'migrate the database and the queues to this version; safe to run again').action(
    async (options: { json?: boolean }) => {
      const { database, queue } = loadEnv({ database: databaseEnv, queue: queueEnv }, environmentOf(context));
      const migrations = await migrateToLatest({ databaseUrl: database.url });
      await prepareQueueBackend(queue);
      const lines = migrations.length === 0 ? ['nothing to do'] : migrations.map((name) => `ran ${name}`);
      say(context, options, { migrations }, [...lines, `queues are ready on ${queue.kind}`]);
    },
  );
}
