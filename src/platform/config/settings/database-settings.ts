import { databaseUrlForm, parseDatabaseUrl } from '../../core/database-url.ts'
import { z } from '../../json/schema.ts'
import { millisecondsSetting } from '../setting-values.ts'

/** Returns whether the driver accepts the URL, in which the host is optional. The driver itself checks it only when it connects. */
const isDatabaseUrl = (text: string) => [text, text.replace('@/', '@host/')].some((url) => URL.parse(url) !== null)

/** Describes the error of a database URL; undefined for a valid one. */
function databaseUrlProblem(text: string): string | undefined {
  try {
    return parseDatabaseUrl(text).urls.every(isDatabaseUrl) ? undefined : databaseUrlForm
  } catch (error) {
    return (error as Error).message
  }
}

/** The settings of the database: location, timeouts, and behaviour while Postgres is unreachable. */
export const databaseSettings = {
  database_url: z
    .string()
    .regex(/^postgres(ql)?:\/\//, { error: 'must begin with postgres:// or postgresql://', abort: true })
    .superRefine((text, context) => {
      const message = databaseUrlProblem(text)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .optional()
    .describe(
      'A Postgres database; without it the embedded one in the data folder is used. Several servers are separated by commas, and `?target_session_attrs=read-write` selects the one that accepts writes.',
    ),
  database_pool_size: z.coerce
    .number()
    .int()
    .min(2)
    .max(1000)
    .default(10)
    .describe('The most connections of one process to Postgres for its statements. Each process opens up to two more.'),
  database_statement_timeout_ms: millisecondsSetting(7000).describe(
    'The timeout of a statement in Postgres. Migrations have none.',
  ),
  database_lock_timeout_ms: millisecondsSetting(5000).describe(
    'The maximum time for which a statement in Postgres waits for a lock of another transaction.',
  ),
  database_idle_transaction_timeout_ms: millisecondsSetting(7000).describe(
    'The idle time after which Postgres ends a transaction, and releases the locks of a dead host.',
  ),
  database_query_timeout_ms: millisecondsSetting(9000).describe(
    'The time without a response after which a connection to Postgres is replaced. At least one second more than the statement timeout.',
  ),
  database_keepalive_ms: millisecondsSetting(10_000).describe(
    'The idle time after which TCP sends keepalive probes on a connection to Postgres.',
  ),
  database_silence_ms: millisecondsSetting(5000)
    .refine((ms) => ms >= 1000, 'must be at least 1000, because Postgres is checked three times a second')
    .describe(
      'The time without any response after which Postgres counts as unreachable, and requests get 503. At least 1000.',
    ),
  stale_keys_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe(
      'The time for which cached keys, guardrails, presets and provider keys are used while Postgres is unreachable; 0: none. Keys that are revoked in that time still work.',
    ),
  stale_limits: z
    .enum(['refuse', 'leased'])
    .default('refuse')
    .describe(
      'Requests with a spending limit while Postgres is unreachable: `refuse` them, or serve them from the budget that this server has already `leased`.',
    ),
  spill_bytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .max(1024 ** 4)
    .default(256 * 1024 * 1024)
    .describe(
      'The maximum size of metered requests in files while the database is unreachable, in bytes. Above it, requests are refused. A request takes about 1 kB.',
    ),
}
