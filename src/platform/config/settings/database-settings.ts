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
    .describe(
      'The most connections that one process opens to Postgres for its statements. Each process opens up to two more: one for notifications, and one that checks a silent connection; and one while it migrates at its start.',
    ),
  database_statement_timeout_ms: millisecondsSetting(7000).describe(
    'The timeout of a statement in Postgres. Migrations have none.',
  ),
  database_lock_timeout_ms: millisecondsSetting(5000).describe(
    'How long a statement in Postgres waits for a lock of another transaction.',
  ),
  database_idle_transaction_timeout_ms: millisecondsSetting(7000).describe(
    'How long a transaction can be idle before Postgres ends it. The locks of a server whose host died are released after this time.',
  ),
  database_query_timeout_ms: millisecondsSetting(9000).describe(
    'How long Postgres can take to answer before the connection counts as dead and is replaced. At least one second more than the statement timeout.',
  ),
  database_keepalive_ms: millisecondsSetting(10_000).describe(
    'The idle time after which TCP sends keepalive probes on a connection to Postgres.',
  ),
  database_silence_ms: millisecondsSetting(5000)
    .refine((ms) => ms >= 1000, 'must be at least 1000, because Postgres is checked three times a second')
    .describe(
      'The time without an answer after which Postgres counts as unreachable even if it accepts connections. Waiting requests then get 503, and new ones get it at once until it answers. At least 1000.',
    ),
  stale_keys_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe(
      'How long cached keys, guardrails, presets and provider keys stay valid while Postgres is unreachable; 0: they do not. Keys that are revoked in that time still work.',
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
      'The maximum size of metered requests in files of the data folder, in bytes, while the database is unreachable. Above it, requests are refused. A request takes about 1 kB.',
    ),
}
