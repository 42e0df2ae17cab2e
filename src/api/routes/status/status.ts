import { internStatuses } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'

const Count = z.int().nonnegative()
const Instant = z.iso.datetime()

const Waiting = z.object({
  waiting: Count,
  oldest_at: Instant.nullable().describe('The time of the oldest one.'),
})

const Process = z
  .object({
    server: z.string().describe('Its name in `circuits` and in `circuit` events.'),
    pid: Count,
    is_leaving: z.boolean().describe('The process accepts no new connections, and exits after its last request.'),
    database: z.object({
      silent_ms: z.number().describe('Time since the last response of the database.'),
      is_read_only: z.boolean().describe('The database is read-only.'),
      waiting: Count.describe('Number of queries waiting for a connection.'),
    }),
    ledger: z
      .object({
        memory: Waiting,
        files: Waiting.describe('Of all processes of this host, as last seen by the responding one.'),
        is_full: z.boolean().describe('No further requests are accepted, because too many wait to be written.'),
      })
      .describe('Metered requests that are not yet in the database.'),
  })
  .meta({ id: 'ProcessStatus', description: 'A process of the service on the responding host.' })

const RestrictedCircuit = z
  .object({
    endpoint: z.string(),
    workspace_id: z.string().nullable().describe('The workspace of the provider key.'),
    state: z.enum(['open', 'paused', 'half_open']),
    reason: z.string().nullable(),
    until: Instant.nullable(),
    server: z.string(),
    of_this_host: z
      .boolean()
      .describe('Whether the state is current. The state of other hosts can be up to ten minutes old.'),
  })
  .meta({ id: 'ShutCircuit', description: 'The circuit breaker of an endpoint that is not closed.' })

const Organization = z.object({
  money: z
    .object({
      held_usd: z
        .number()
        .describe('Reserved for requests in flight and the next requests. The unspent part is released.'),
      unaccounted_usd: z
        .number()
        .describe('Reserved by servers that no longer respond. The amount counts as spent until they report.'),
    })
    .describe('Amounts that servers have reserved from limits.'),
  interns: z.object({
    counts: z.object(Object.fromEntries(internStatuses.map((status) => [status, Count]))),
    failed: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          workspace_id: z.string(),
          creator_user_id: z.string(),
          status: z.enum(['failed', 'destroy_failed']),
          last_failure_message: z.string().nullable(),
          updated_at: Instant,
        }),
      )
      .describe('The latest 50.'),
    questions: z.object({
      waiting: Count,
      first_deadline_at: Instant.nullable().describe('The earliest deadline.'),
    }),
  }),
})

export const Status = z
  .object({
    at: Instant,
    version: z.string(),
    database: z.object({
      kind: z.enum(['sqlite', 'postgres']),
      state: z.enum(['ok', 'away', 'read_only']),
    }),
    host: z
      .object({
        name: z.string(),
        workers: z.object({ wanted: Count, answering: Count }).describe('Processes that accept requests.'),
        processes: z.array(Process),
        catalogue: z.object({
          models: Count,
          endpoints: Count,
          providers: Count,
          skipped_count: Count,
          skipped: z
            .array(z.object({ source: z.string(), line: z.int().optional(), row: z.string(), reason: z.string() }))
            .describe('The first 100 skipped entries, with the reasons.'),
        }),
        providers_without_credential: z
          .array(
            z.object({
              provider: z.string(),
              name: z.string(),
              variables: z.array(z.string()).describe('One of these environment variables of the service is enough.'),
              models: Count.describe('Number of models of the provider.'),
            }),
          )
          .describe('Providers that are used only with a workspace’s own key.'),
      })
      .describe('The host that answers, with all its processes.'),
    circuits: z.array(RestrictedCircuit),
    organization: Organization.nullable().describe(
      'Over all servers, from the database; null while it is unavailable.',
    ),
  })
  .meta({ id: 'Status', description: 'The status of the service.' })
