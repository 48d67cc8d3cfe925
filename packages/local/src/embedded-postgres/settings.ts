/** `full`: a commit survives a power failure. `none`: several times faster, for tests. */
export type Durability = 'full' | 'none';

/** Command-line flags take precedence over postgresql.conf, so every start has the same settings. */
export function serverSettings(options: { port: number; durability: Durability }): string[] {
  const settings: Record<string, string | number> = {
    port: options.port,
    listen_addresses: '127.0.0.1',
    // A socket's path may have at most 107 bytes, and data directories may have longer paths.
    unix_socket_directories: '',
    // Each process on the Postgres queue has a pool and listening connections.
    max_connections: 300,
    shared_buffers: '128MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // There is no replication, and inserting a million recipients writes half as much.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // The statements are short, so compiling them costs more than it saves.
    jit: 'off',
    // A container's /dev/shm may be too small for the shared memory of parallel workers.
    max_parallel_workers_per_gather: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    // The details of an error quote rows: addresses and telephone numbers would stay in the log after their erasure.
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    // Without fsync, a commit still reaches the operating system, so a killed server loses nothing.
    synchronous_commit: 'on',
    fsync: options.durability === 'full' ? 'on' : 'off',
    full_page_writes: options.durability === 'full' ? 'on' : 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
