/**
 * read_only_sql_transaction (25006), an idle or a long transaction that was ended (25P03, 25P04), connection exceptions (class 08), and shutdown, crash,
 * start-up and timeouts (57P01 to 57P05):
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const lostSession = /^(25006|25P0[34]|08\w{3}|57P0[1-5])$/;

/**
 * Whether a session of Postgres that reports this SQLSTATE has to be closed. A read-only session is one of a server that was demoted: it keeps
 * answering, but only a new connection to the same name finds the new primary.
 */
export function losesSession(sqlState: string): boolean {
  return lostSession.test(sqlState);
}
