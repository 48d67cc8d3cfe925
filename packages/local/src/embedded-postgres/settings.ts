/**
 * `full`: a commit survives a power failure. `none`: for data that may be lost with the machine, such as a
 * test's; several times faster.
 */
export type Durability = 'full' | 'none';

/** The server's settings as flags. They come before what postgresql.conf says, and are the same at every start. */
export function serverSettings(options: { port: number; durability: Durability }): string[] {
  const settings: Record<string, string | number> = {
    port: options.port,
    listen_addresses: '127.0.0.1',
    // A socket's path may have 107 bytes at most, and a data directory's may have more.
    unix_socket_directories: '',
    // Every queue and worker on Postgres keeps a pool and a listening connection of its own.
    max_connections: 300,
    shared_buffers: '128MB',
    max_wal_size: '2GB',
    checkpoint_timeout: '15min',
    // Nothing replicates from here, and a million recipients are inserted with half the writing.
    wal_level: 'minimal',
    max_wal_senders: 0,
    // Short statements only: compiling them costs more than it saves.
    jit: 'off',
    // A container's /dev/shm may be too small for the shared memory of parallel workers.
    max_parallel_workers_per_gather: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    // Committed data has left the server's own memory: a killed server loses nothing, durable or not.
    synchronous_commit: 'on',
    fsync: options.durability === 'full' ? 'on' : 'off',
    full_page_writes: options.durability === 'full' ? 'on' : 'off',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
