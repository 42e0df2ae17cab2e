import { internStatuses } from '#interns/registry/intern.ts'
import { z } from '#platform/json/schema.ts'

const count = z.int().nonnegative()
const instant = z.iso.datetime()

const Waiting = z.object({
  waiting: count,
  oldest_at: instant.nullable().describe('When the oldest of them was done.'),
})

const Process = z
  .object({
    server: z.string().describe('Its name, as `circuits` and the events of circuits have it.'),
    pid: count,
    is_leaving: z.boolean().describe('It takes no new connections, and ends with its last request.'),
    database: z.object({
      silent_ms: z.number().describe('How long ago the database was last heard.'),
      is_read_only: z.boolean().describe('The database takes no changes.'),
      waiting: count.describe('How many wait for a connection.'),
    }),
    ledger: z
      .object({
        memory: Waiting,
        files: Waiting.describe('Of all processes of this host, as this one last saw them.'),
        is_full: z.boolean().describe('So much waits that no further request is taken.'),
      })
      .describe('Metered requests that are not in the database yet.'),
  })
  .meta({ id: 'ProcessStatus', description: 'A process of the service on the host that answers.' })

const CircuitNow = z
  .object({
    endpoint: z.string(),
    workspace_id: z.string().nullable().describe('The workspace whose own provider key it is about.'),
    state: z.enum(['open', 'paused', 'half_open']),
    reason: z.string().nullable(),
    until: instant.nullable(),
    server: z.string(),
    of_this_host: z
      .boolean()
      .describe('Whether it is so now. Servers of other hosts told it at some time of the last ten minutes.'),
  })
  .meta({ id: 'ShutCircuit', description: 'An endpoint that a process does not ask as usual.' })

const Organization = z.object({
  money: z
    .object({
      held_usd: z.number().describe('For requests under way and the next ones: what is not spent of it returns.'),
      unaccounted_usd: z
        .number()
        .describe('By servers that are not heard any more. It counts as spent until they have accounted for it.'),
    })
    .describe('What servers hold of limits.'),
  interns: z.object({
    counts: z.object(Object.fromEntries(internStatuses.map((status) => [status, count]))),
    failed: z
      .array(
        z.object({
          id: z.uuid(),
          name: z.string(),
          workspace_id: z.string(),
          creator_user_id: z.string(),
          status: z.enum(['failed', 'destroy_failed']),
          last_failure_message: z.string().nullable(),
          updated_at: instant,
        }),
      )
      .describe('The latest 50.'),
    questions: z.object({
      waiting: count,
      first_deadline_at: instant.nullable().describe('When the first of them waits no longer.'),
    }),
  }),
})

export const Status = z
  .object({
    at: instant,
    version: z.string(),
    database: z.object({
      kind: z.enum(['sqlite', 'postgres']),
      state: z.enum(['ok', 'away', 'read_only']),
    }),
    host: z
      .object({
        name: z.string(),
        workers: z.object({ wanted: count, answering: count }).describe('Processes that take requests.'),
        processes: z.array(Process),
        catalogue: z.object({
          models: count,
          endpoints: count,
          providers: count,
          skipped_count: count,
          skipped: z
            .array(z.object({ source: z.string(), line: z.int().optional(), row: z.string(), reason: z.string() }))
            .describe('The first 100 entries that were left out, and why.'),
        }),
        providers_without_credential: z
          .array(
            z.object({
              provider: z.string(),
              name: z.string(),
              variables: z.array(z.string()).describe('One of these in the environment of the service is enough.'),
              models: count.describe('How many models it could answer.'),
            }),
          )
          .describe('Providers that are asked only for workspaces that brought a key of their own.'),
      })
      .describe('Known of the host that answers, and no other.'),
    circuits: z.array(CircuitNow),
    organization: Organization.nullable().describe(
      'Over all servers, from the database; null while that does not answer.',
    ),
  })
  .meta({ id: 'Status', description: 'How the service is, and what is wrong with it.' })
