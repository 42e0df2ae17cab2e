import { hostname } from 'node:os'
import { findProvidersWithoutCredential } from '#catalogue/sources/provider-needs.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { readOrganizationInterns } from '#interns/registry/organization-interns.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { isoTime } from '#platform/core/clock.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { version } from '#platform/core/version.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import { toDatabaseFault } from '#platform/db/maintenance/failures.ts'
import { z } from '#platform/json/schema.ts'
import { readLeasedMoney } from '#spend/budgets/leases/leased-money.ts'
import type { ApiDeps } from '../../access/deps.ts'
import { restrictedCircuits, sharedCircuitsOfThisHost } from '../../status/circuits.ts'
import type { ProcessStatus } from '../../status/process-status.ts'
import { route } from '../route.ts'
import { Status } from './status.ts'

/** The number of listed catalogue entries that were skipped. */
const maxSkippedListed = 100

/** A slower database counts as unavailable, because the caller needs a quick response then. */
const databaseTimeoutMs = 3000

export const getStatus = route({
  method: 'get',
  path: '/status',
  tag: 'service',
  key: 'management',
  scope: 'organization',
  summary: 'Get the status of the service',
  description:
    'Reports circuit breakers that are not closed, metered requests that are not in the database yet, and reserved money. Also reports interns that failed or wait, providers without a credential, and skipped catalogue entries. `host` covers all processes of the responding host; `organization` covers all servers. Metrics are at `GET /metrics`, changes of circuits and interns at `GET /events`.',
  response: z.object({ data: Status }),
  faults: ['unauthenticated', 'forbidden'],
  handler: async ({ caller }, deps) => {
    const { expected, processes } = await deps.hostStatus()
    const databaseStatus = await ignoreUnreachable(readDatabaseStatus(deps, caller, processes))
    const isReadOnly = processes.some(({ database }) => database.readOnly)
    const reachableState = isReadOnly ? ('read_only' as const) : ('ok' as const)
    const state = databaseStatus === undefined ? ('away' as const) : reachableState
    return {
      data: {
        at: isoTime(deps.now()),
        version,
        database: { kind: deps.db.kind, state },
        host: {
          name: hostname(),
          workers: { wanted: expected, answering: processes.filter(({ isShuttingDown }) => !isShuttingDown).length },
          processes: processes.map(processItem),
          ...catalogueStatus(deps),
        },
        circuits: databaseStatus?.circuits ?? sharedCircuitsOfThisHost(processes),
        organization: databaseStatus?.organization ?? null,
      },
    }
  },
})

async function readDatabaseStatus(deps: ApiDeps, caller: Caller, processes: ProcessStatus[]) {
  const { organizationId } = caller
  const { db, now } = deps
  const [money, interns, circuits] = await Promise.all([
    readLeasedMoney(db.query, createDatabaseClock(db, now), organizationId),
    readOrganizationInterns(deps, caller),
    restrictedCircuits(deps, organizationId, processes),
  ])
  const { counts, failed, questions } = interns
  return {
    circuits,
    organization: {
      money: { held_usd: toUsd(money.held), unaccounted_usd: toUsd(money.unaccounted) },
      interns: {
        counts,
        failed: failed.map((intern) => ({
          id: intern.id,
          name: intern.name,
          workspace_id: intern.workspaceId,
          creator_user_id: intern.creatorUserId,
          status: intern.status as 'failed' | 'destroy_failed',
          last_failure_message: intern.lastFailureMessage,
          updated_at: isoTime(intern.updatedAt),
        })),
        questions: { waiting: questions.waiting, first_deadline_at: timeOrNull(questions.firstDeadlineAt) },
      },
    },
  }
}

/** @returns undefined if the database does not answer in time. */
async function ignoreUnreachable<T>(read: Promise<T>): Promise<T | undefined> {
  const result = read.catch((error: unknown) => {
    if (toDatabaseFault(error)) return undefined
    throw error
  })
  return waitAtMost(databaseTimeoutMs, result)
}

const timeOrNull = (at: number | undefined) => (at === undefined ? null : isoTime(at))

function processItem({ server, pid, isShuttingDown, database, ledger }: ProcessStatus) {
  const { memory, files, isFull } = ledger
  const backlogItem = ({ waiting, oldestAt }: typeof memory) => ({ waiting, oldest_at: timeOrNull(oldestAt) })
  return {
    server,
    pid,
    is_leaving: isShuttingDown,
    database: { silent_ms: database.silentMs, is_read_only: database.readOnly, waiting: database.waiting },
    ledger: { memory: backlogItem(memory), files: backlogItem(files), is_full: isFull },
  }
}

function catalogueStatus({ catalogue, hasCredential }: ApiDeps) {
  const { models, endpoints, providers, skipped } = catalogue.report()
  return {
    catalogue: {
      models,
      endpoints,
      providers,
      skipped_count: skipped.length,
      skipped: skipped.slice(0, maxSkippedListed),
    },
    providers_without_credential: findProvidersWithoutCredential(catalogue.current(), hasCredential).map(
      ({ provider, modelCount }) => ({
        provider: provider.slug,
        name: provider.name,
        variables: provider.credentialVariables,
        models: modelCount,
      }),
    ),
  }
}
