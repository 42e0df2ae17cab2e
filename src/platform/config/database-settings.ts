import { parseDatabaseUrl } from '../core/database-url.ts'
import { z } from '../json/schema.ts'
import { milliseconds } from './setting-values.ts'

/** As the driver reads a URL: the host is optional. The driver reports what it cannot read only when it connects. */
const isDatabaseUrl = (text: string) => [text, text.replace('@/', '@host/')].some((url) => URL.parse(url) !== null)

const urlForm =
  'must be an address such as postgres://user:password@host:5432/database; in a password "/", "#", "?" and "%" are written %2F, %23, %3F and %25'

/** Describes the error of a database URL; undefined for a valid one. */
function databaseUrlProblem(text: string): string | undefined {
  try {
    return parseDatabaseUrl(text).urls.every(isDatabaseUrl) ? undefined : urlForm
  } catch (error) {
    return (error as Error).message
  }
}

/** Where everything is kept, how long Postgres may take, and what happens while it takes nothing. */
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
      'The most connections that one process opens to Postgres for its statements. Each process needs up to three more: for notifications, for a check of silent connections, and while it migrates.',
    ),
  database_statement_timeout_ms: milliseconds(7000).describe(
    'How long Postgres may work on one statement. Migrations take as long as they take.',
  ),
  database_lock_timeout_ms: milliseconds(5000).describe(
    'How long a statement may wait for what another transaction in Postgres has locked.',
  ),
  database_idle_transaction_timeout_ms: milliseconds(7000).describe(
    'How long a transaction may stand open without a word, before Postgres ends it: so long a server whose host died holds what it has locked.',
  ),
  database_query_timeout_ms: milliseconds(9000).describe(
    'How long Postgres may take to answer; then the connection counts as dead and is replaced. At least a second more than a statement may take.',
  ),
  database_keepalive_ms: milliseconds(10_000).describe(
    'After how much silence TCP asks whether the other side of a connection to Postgres is still there.',
  ),
  database_silence_ms: milliseconds(5000)
    .refine((ms) => ms >= 1000, 'must be at least 1000: it is asked whether it answers three times a second')
    .describe(
      'After how long without any answer Postgres counts as away, where it refuses no connections: what waits for it gets 503 then, and what comes later at once, until it answers. At least 1000.',
    ),
  stale_keys_ms: z.coerce
    .number()
    .int()
    .min(0)
    .max(86_400_000)
    .default(0)
    .describe(
      'For how long keys, guardrails, presets and provider keys as last known go on being trusted while Postgres is away; 0 for not at all. What is revoked meanwhile is not known.',
    ),
  stale_limits: z
    .enum(['refuse', 'leased'])
    .default('refuse')
    .describe(
      'Requests under a limit while keys are trusted that way: `refuse` them, or serve them from what this server has `leased` already.',
    ),
  spill_bytes: z.coerce
    .number()
    .int()
    .min(1024 * 1024)
    .max(1024 ** 4)
    .default(256 * 1024 * 1024)
    .describe(
      'How much of what was metered may wait in files of the data folder, in bytes, while the database takes nothing. With more no request is taken; one is about 1 kB.',
    ),
}
