import type { Selectable } from 'kysely'
import type { Caller } from '#identity/accounts/caller.ts'
import { isoTime } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { ApprovalMode } from '../contract/approval-mode.ts'
import type { AgentChoice, InternResponse, InternStatus, Progress, Visibility } from './intern.ts'
import type { InternBudget } from './intern-budget.ts'
import type { McpServer } from './mcp-server-schema.ts'
import type { Repository } from './repository.ts'

/** An intern as stored. Its only unencrypted secrets are values of the environment of a custom `agent`. */
export type Intern = {
  id: string
  organizationId: string
  workspaceId: string
  creatorUserId: string
  name: string
  description: string | null
  instructions: string | null
  model: string | null
  agent: AgentChoice | null
  approvalMode: ApprovalMode
  visibility: Visibility
  repository: Repository | null
  mcpServers: McpServer[]
  webHosts: string[]
  budget: InternBudget | null
  status: InternStatus
  lastFailureMessage: string | null
  progress: Progress | null
  hostname: string | null
  /** The folder of the intern on its host. */
  home: string | null
  /** The address of its daemon for other hosts, encrypted. */
  tcpAccess: string | null
  hostLabels: string[]
  /** When the intern was moved to its host; null once it has started on that host. */
  movedAt: number | null
  /** The time since which it is asleep; cleared when it is up again. */
  asleepSince: number | null
  keyHash: string | null
  createdAt: number
  updatedAt: number
}

/** Whether the intern sleeps: its processes have ended, and the next prompt starts them. */
export const isAsleep = ({ status, asleepSince }: Pick<Intern, 'status' | 'asleepSince'>): boolean =>
  status === 'running' && asleepSince !== null

/** Whether the daemon of the intern is running. */
export const isAwake = (intern: Pick<Intern, 'status' | 'asleepSince'>): boolean =>
  intern.status === 'running' && !isAsleep(intern)

/** Whether the intern has no processes, and none is being started. */
export const hasNoProcesses = (intern: Pick<Intern, 'status' | 'asleepSince'>): boolean =>
  isAsleep(intern) || ['stopped', 'failed', 'destroy_failed'].includes(intern.status)

type InternStoreDeps = { db: { query: Query } }
type InternStoreRow = Selectable<Tables['interns']>

/** Selects the interns that a caller sees: those of the workspace that they created, and shared ones. */
export function selectVisibleInterns(deps: InternStoreDeps, caller: Pick<Caller, 'workspaceId' | 'userId'>) {
  return deps.db.query
    .selectFrom('interns')
    .where('workspace_id', '=', caller.workspaceId)
    .where((e) => e.or([e('creator_user_id', '=', caller.userId), e('visibility', '=', 'workspace')]))
}

/** Finds an intern by id or name. With equal names, the caller's own one is preferred. @throws Fault `not_found`. */
export async function findIntern(
  deps: InternStoreDeps,
  caller: Pick<Caller, 'workspaceId' | 'userId'>,
  idOrName: string,
): Promise<Intern> {
  const row = await selectVisibleInterns(deps, caller)
    .where((e) => e.or([e('id', '=', idOrName), e('name', '=', idOrName)]))
    .orderBy((e) => e.case().when('creator_user_id', '=', caller.userId).then(0).else(1).end())
    .selectAll()
    .executeTakeFirst()
  if (row) return toIntern(row)
  throw new Fault('not_found', 'Intern not found.')
}

/** Finds an intern without checking visibility. */
export async function findInternById(query: Query | Tx, id: string): Promise<Intern | undefined> {
  const row = await query.selectFrom('interns').where('id', '=', id).selectAll().executeTakeFirst()
  return row && toIntern(row)
}

/** The model of the intern with this key; null if it has none, or the intern does not exist. */
export async function findModelByKey(deps: InternStoreDeps, keyHash: string): Promise<string | null> {
  const row = await deps.db.query
    .selectFrom('interns')
    .where('key_hash', '=', keyHash)
    .select('model')
    .executeTakeFirst()
  return row?.model ?? null
}

type ListFilter = { limit: number; statuses?: InternStatus[]; startingAfter?: string }

/** Lists interns after `startingAfter`, the newest first. */
export async function listInterns(
  deps: InternStoreDeps,
  caller: Caller,
  { limit, statuses, startingAfter }: ListFilter,
): Promise<{ interns: Intern[]; hasMore: boolean }> {
  let matching = selectVisibleInterns(deps, caller)
  if (statuses?.length) matching = matching.where('status', 'in', statuses)
  if (startingAfter !== undefined) {
    const last = await selectVisibleInterns(deps, caller)
      .where('id', '=', startingAfter)
      .select(['created_at', 'id'])
      .executeTakeFirst()
    if (!last) throw new Fault('invalid', 'Invalid request: starting_after: is not the id of an intern')
    matching = matching.where((e) =>
      e.or([
        e('created_at', '<', last.created_at),
        e.and([e('created_at', '=', last.created_at), e('id', '>', last.id)]),
      ]),
    )
  }
  const rows = await matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  return { interns: rows.slice(0, limit).map(toIntern), hasMore: rows.length > limit }
}

export function toIntern(row: InternStoreRow): Intern {
  return {
    id: row.id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    creatorUserId: row.creator_user_id,
    name: row.name,
    description: row.description,
    instructions: row.instructions,
    model: row.model,
    agent: row.agent === null ? null : (JSON.parse(row.agent) as AgentChoice),
    approvalMode: row.approval_mode as ApprovalMode,
    visibility: row.visibility as Visibility,
    repository: row.repository === null ? null : (JSON.parse(row.repository) as Repository),
    mcpServers: row.mcp_servers === null ? [] : (JSON.parse(row.mcp_servers) as McpServer[]),
    webHosts: row.web_hosts === null ? [] : (JSON.parse(row.web_hosts) as string[]),
    budget: row.budget === null ? null : (JSON.parse(row.budget) as InternBudget),
    status: row.status as InternStatus,
    lastFailureMessage: row.last_failure_message,
    progress: row.progress === null ? null : (JSON.parse(row.progress) as Progress),
    hostname: row.hostname,
    home: row.home,
    tcpAccess: row.tcp_access,
    hostLabels: row.host_labels === null ? [] : (JSON.parse(row.host_labels) as string[]),
    movedAt: row.moved_at,
    asleepSince: row.asleep_since,
    keyHash: row.key_hash,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The public representation without `host`. Values of an agent's environment are hidden, because they can be secrets. */
export function toHostlessResponse(intern: Intern): Omit<InternResponse, 'host'> {
  return {
    id: intern.id,
    name: intern.name,
    description: intern.description,
    instructions: intern.instructions,
    model: intern.model,
    agent: publicAgent(intern.agent),
    approval_mode: intern.approvalMode,
    visibility: intern.visibility,
    repository: intern.repository,
    mcp_servers: intern.mcpServers,
    web_hosts: intern.webHosts,
    budget: intern.budget,
    creator_user_id: intern.creatorUserId,
    status: intern.status,
    last_failure_message: intern.lastFailureMessage,
    progress: intern.progress,
    hostname: intern.hostname,
    host_labels: intern.hostLabels,
    asleep_since: isAsleep(intern) ? isoTime(intern.asleepSince!) : null,
    workspace_id: intern.workspaceId,
    // Fields of the public API. Interns of this service have no vaults.
    vault_id: null,
    attached_vault_id: null,
    created_at: isoTime(intern.createdAt),
    updated_at: isoTime(intern.updatedAt),
  }
}

function publicAgent(agent: AgentChoice | null): AgentChoice | null {
  if (agent === null || typeof agent === 'string') return agent
  return { ...agent, env: Object.fromEntries(Object.keys(agent.env).map((name) => [name, '********'])) }
}

/** Whether a server is still ending the processes of an intern that is stopped or asleep. */
export async function isEnding(deps: InternStoreDeps, id: string): Promise<boolean> {
  const row = await deps.db.query
    .selectFrom('interns')
    .where('id', '=', id)
    .where('supervisor', 'is not', null)
    .where((e) =>
      e.or([e('status', '=', 'stopped'), e.and([e('status', '=', 'running'), e('asleep_since', 'is not', null)])]),
    )
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}
