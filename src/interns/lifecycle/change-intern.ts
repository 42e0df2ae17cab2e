import type { RawBuilder } from 'kysely'
import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Publish } from '#platform/db/signals.ts'
import { describeLoss, type InternHosts } from '../hosts/hosts.ts'
import {
  allowedStatuses,
  type InternCommand,
  type InternPatch,
  type InternStatus,
  isAllowedFrom,
} from '../registry/intern.ts'
import { toBudgetColumn } from '../registry/intern-budget.ts'
import { internChangedEvent } from '../registry/intern-events.ts'
import { revokeInternKey } from '../registry/intern-key.ts'
import { requireOwner } from '../registry/intern-owner.ts'
import { findIntern, type Intern, toHostlessResponse } from '../registry/intern-store.ts'
import type { NewMcpServer } from '../registry/mcp-server-schema.ts'
import { type McpServerColumns, readMcpServers, toMcpServerColumns } from '../registry/mcp-servers.ts'
import { type RepositoryColumns, toRepositoryColumns } from '../registry/repository.ts'
import { endRuns, internStoppedEnd } from '../runs/end-runs.ts'
import { endQuestions } from '../runs/questions.ts'
import { nameConflict } from './create-intern.ts'

export type InternChangeDeps = { db: Db; now: Now; newId: NewId }
type UpdateDeps = InternChangeDeps & { vault: Vault }
type CommandDeps = InternChangeDeps & { internHosts: InternHosts }

/** Updates fields of an intern. Most changes apply at its next start, the approval mode from the next prompt on. */
export async function updateIntern(deps: UpdateDeps, caller: Caller, id: string, patch: InternPatch): Promise<Intern> {
  return changeIntern(deps, caller, id, 'intern.updated', async (tx, intern) => {
    await requireOwner(tx, caller, intern)
    const { repository, mcp_servers, web_hosts, budget, ...fields } = patch
    const names = Object.keys(fields) as (keyof typeof fields)[]
    const record = toHostlessResponse(intern)
    const hasChangedField = names.some((name) => fields[name] !== undefined && fields[name] !== record[name])
    // The following values are replaced as a whole, without comparing them: a credential or a secret can differ.
    const hasRepository = repository !== undefined && (repository !== null || record.repository !== null)
    const hasReplacement = mcp_servers !== undefined || web_hosts !== undefined || budget !== undefined
    if (!hasChangedField && !hasRepository && !hasReplacement) return 'unchanged'
    const columns: Columns = { ...fields, updated_at: deps.now() }
    if (repository !== undefined) Object.assign(columns, toRepositoryColumns(deps.vault, intern.id, repository))
    if (budget !== undefined) columns.budget = toBudgetColumn(budget)
    if (web_hosts) columns.web_hosts = web_hosts.length > 0 ? JSON.stringify(web_hosts) : null
    if (mcp_servers) Object.assign(columns, await createServerColumns(deps, tx, intern.id, mcp_servers))
    try {
      await updateRow(tx, intern.id, columns)
    } catch (error) {
      throw isUniqueViolation(error) ? nameConflict(patch.name ?? intern.name) : error
    }
    return 'changed'
  })
}

async function createServerColumns({ vault }: UpdateDeps, tx: Tx, id: string, servers: NewMcpServer[]) {
  const before = await readMcpServers({ db: { query: tx }, vault }, id)
  return toMcpServerColumns(vault, id, servers, before)
}

/**
 * Queues an intern to be started by its supervisor. @throws Fault `conflict` in a wrong state, `unavailable` if its host is
 * lost.
 */
export function provisionIntern(deps: CommandDeps, caller: Caller, id: string): Promise<Intern> {
  return runCommand(deps, caller, id, 'provision', 'queued', async (intern, tx) => {
    await requireHost(deps.internHosts, intern, tx)
    return {}
  })
}

/** Stops a running intern and revokes its key. Its supervisor ends the processes. */
export function suspendIntern(deps: CommandDeps, caller: Caller, id: string): Promise<Intern> {
  return runCommand(deps, caller, id, 'suspend', 'stopped', (intern, tx) =>
    createSupervisorColumns(deps.internHosts, intern, tx),
  )
}

/** Revokes the intern's key, and marks it for deletion by its supervisor. */
export function deleteIntern(deps: InternChangeDeps, caller: Caller, id: string): Promise<Intern> {
  return runCommand(deps, caller, id, 'delete', 'destroying')
}

const auditActions = {
  provision: 'intern.provisioned',
  suspend: 'intern.suspended',
  delete: 'intern.deleted',
} as const satisfies Record<InternCommand, string>

function runCommand(
  deps: InternChangeDeps,
  caller: Caller,
  id: string,
  command: InternCommand,
  status: InternStatus,
  moreColumns: (intern: Intern, tx: Tx) => Promise<Columns> = async () => ({}),
): Promise<Intern> {
  return changeIntern(deps, caller, id, auditActions[command], async (tx, intern, publish) => {
    if (command === 'delete') await requireOwner(tx, caller, intern)
    if (!isAllowedFrom(command, intern.status)) {
      throw new Fault(
        'conflict',
        `The intern is ${intern.status}; to ${command} it, it must be ${allowedStatuses[command].join(' or ')}.`,
      )
    }
    const columns = { status, last_failure_message: null, ...(await moreColumns(intern, tx)) }
    if (command === 'provision') await updateRow(tx, intern.id, { ...columns, progress: null, updated_at: deps.now() })
    else await takeOutOfService(deps, tx, publish, intern, columns)
    return 'changed'
  })
}

/**
 * An intern without a supervisor can still have processes. Assigns it to an unnamed supervisor, so that a server of its host
 * takes it over and ends them before it is started again.
 */
async function createSupervisorColumns(hosts: InternHosts, { hostname }: Intern, tx: Tx): Promise<Columns> {
  const isAvailable = hostname !== null && (await hosts.findLoss(hostname, tx)) === null
  return isAvailable ? { supervisor: sql<string>`coalesce(supervisor, ${unnamedSupervisor})` } : {}
}

/** The name of a supervisor that no server has. */
const unnamedSupervisor = ''

/** @throws Fault `unavailable` if its host is lost. */
async function requireHost(hosts: InternHosts, { hostname }: Intern, tx: Tx): Promise<void> {
  const loss = await hosts.findLoss(hostname, tx)
  if (loss) throw new Fault('unavailable', `${describeLoss(loss)} ${recoveryAdvice}`)
}

const recoveryAdvice = 'Wait until the host is back, move the intern (POST …/move), or give it up (POST …/give-up).'

/** Stops an intern: revokes its key, and ends its questions and runs. */
export async function takeOutOfService(
  deps: InternChangeDeps,
  tx: Tx,
  publish: Publish,
  intern: Intern,
  columns: Columns,
): Promise<void> {
  await updateRow(tx, intern.id, { ...columns, asleep_since: null, progress: null, updated_at: deps.now() })
  await revokeInternKey(tx, publish, intern)
  await endQuestions(tx, publish, intern.id, { now: deps.now, end: { state: 'ended' } })
  await endRuns(tx, publish, intern.id, { ...internStoppedEnd, endedAt: deps.now() })
}

type Columns = Partial<
  RepositoryColumns &
    McpServerColumns & {
      name: string
      description: string | null
      instructions: string | null
      model: string | null
      approval_mode: string
      web_hosts: string | null
      budget: string | null
      visibility: string
      status: string
      progress: null
      last_failure_message: string | null
      hostname: string | null
      home: null
      moved_at: number | null
      asleep_since: null
      tcp_access: null
      supervisor: null | RawBuilder<string>
      supervised_until: number
      updated_at: number
    }
>

async function updateRow(tx: Tx, id: string, columns: Columns): Promise<void> {
  await tx.updateTable('interns').set(columns).where('id', '=', id).execute()
}

/** A change of an intern that is locked. Returns whether it changed anything: only a change is recorded and announced. */
type Change = (tx: Tx, intern: Intern, publish: Publish) => Promise<'changed' | 'unchanged'>

/** Locks and changes an intern that is visible to the caller, records the change in the audit log, and announces it. */
export async function changeIntern(
  deps: InternChangeDeps,
  caller: Caller,
  id: string,
  action: `intern.${string}`,
  change: Change,
): Promise<Intern> {
  const { id: uuid } = await findIntern(deps, caller, id)
  const find = (query: Query) => findIntern({ db: { query } }, caller, uuid)
  return changeFoundIntern(deps, caller, { uuid, find }, action, change)
}

/** Like `changeIntern`, with another function that finds the intern once it is locked. */
export async function changeFoundIntern(
  deps: InternChangeDeps,
  caller: Caller,
  { uuid, find }: { uuid: string; find: (query: Query) => Promise<Intern> },
  action: `intern.${string}`,
  change: Change,
): Promise<Intern> {
  return deps.db.exclusively(`intern:${uuid}`, async (tx, publish) => {
    const before = await find(tx)
    if ((await change(tx, before, publish)) === 'unchanged') return before
    const after = await find(tx)
    await recordChange(deps, tx, caller, {
      action,
      targetKind: 'intern',
      targetId: uuid,
      before: toHostlessResponse(before),
      after: toHostlessResponse(after),
    })
    publish('intern.changed', uuid, internChangedEvent(after, deps.now()))
    return after
  })
}
