import type { Migration } from 'kysely'
import { UserFacingError } from '../core/fault.ts'
import type { Db } from './db.ts'
import { Migrator } from './kysely.ts'
import * as accounts from './migrations/0001_accounts.ts'
import * as policies from './migrations/0002_policies.ts'
import * as measurements from './migrations/0003_measurements.ts'
import * as usage from './migrations/0004_usage.ts'
import * as interns from './migrations/0005_interns.ts'
import * as budgets from './migrations/0006_budgets.ts'
import * as providerCredentials from './migrations/0007_provider_credentials.ts'
import * as accountedLeases from './migrations/0008_accounted_leases.ts'
import * as margins from './migrations/0009_margins.ts'
import * as memberNames from './migrations/0013_member_names.ts'
import * as workspaceDays from './migrations/0014_workspace_days.ts'
import * as approvalModes from './migrations/0015_approval_modes.ts'
import * as internsOfTeams from './migrations/0018_interns_of_teams.ts'
import * as approvalsAndRepositories from './migrations/0019_approvals_and_repositories.ts'
import * as requestLog from './migrations/0021_request_log.ts'
import * as browserSessions from './migrations/0022_browser_sessions.ts'
import * as roles from './migrations/0023_roles.ts'
import * as rollups from './migrations/0024_rollups.ts'
import * as endpointHistory from './migrations/0025_endpoint_history.ts'
import * as events from './migrations/0027_events.ts'
import * as contents from './migrations/0028_contents.ts'
import * as oidcIdentities from './migrations/0039_oidc_identities.ts'
import * as internRules from './migrations/0045_intern_rules.ts'
import * as internAuthorities from './migrations/0048_intern_authorities.ts'
import * as internHosts from './migrations/0049_intern_hosts.ts'
import * as mcpServers from './migrations/0051_mcp_servers.ts'
import * as webHosts from './migrations/0052_web_hosts.ts'
import * as internRuns from './migrations/0053_intern_runs.ts'
import * as webhooks from './migrations/0054_webhooks.ts'
import * as webhooksDue from './migrations/0055_webhooks_due.ts'
import * as internBudgets from './migrations/0056_intern_budgets.ts'
import * as asleepInterns from './migrations/0057_asleep_interns.ts'
import * as keysOfRuns from './migrations/0058_keys_of_runs.ts'
import * as meteredKeysOfRuns from './migrations/0068_metered_keys_of_runs.ts'
import * as keptPorts from './migrations/0082_kept_ports.ts'
import * as requestMarkers from './migrations/0083_requests_under_way.ts'
import * as limitNotifications from './migrations/0084_told_limits.ts'
import * as announcedTurns from './migrations/0086_announced_turns.ts'
import * as modelCells from './migrations/0088_model_cells.ts'
import * as schemaRange from './migrations/0091_schema_range.ts'
import * as pooledBudgets from './migrations/0092_pooled_budgets.ts'
import * as workspaceMembers from './migrations/0093_workspace_members.ts'
import * as passkeys from './migrations/0096_passkeys.ts'
import * as marginsOfCells from './migrations/0097_margins_of_cells.ts'
import * as notificationTargets from './migrations/0098_notification_targets.ts'
import * as ownKeysOfRuns from './migrations/0101_own_keys_of_runs.ts'
import * as costLookups from './migrations/0103_cost_lookups.ts'
import * as speeds from './migrations/0104_speeds.ts'
import * as requestTags from './migrations/0105_request_tags.ts'
import * as indexOfTags from './migrations/0107_index_of_tags.ts'
import {
  type AnnounceOptions,
  announceMigrations,
  findSchemaProblem,
  readSchema,
  type StoredSchema,
  storeFirstRange,
} from './schema-range.ts'

/**
 * Migrations, each applied once, in the order of their names. Down migrations do not exist. A new one is a file, and its
 * import and entry here.
 */
export const migrations: Record<string, Migration> = {
  '0001_accounts': accounts,
  '0002_policies': policies,
  '0003_measurements': measurements,
  '0004_usage': usage,
  '0005_interns': interns,
  '0006_budgets': budgets,
  '0007_provider_credentials': providerCredentials,
  '0008_accounted_leases': accountedLeases,
  '0009_margins': margins,
  '0013_member_names': memberNames,
  '0014_workspace_days': workspaceDays,
  '0015_approval_modes': approvalModes,
  '0018_interns_of_teams': internsOfTeams,
  '0019_approvals_and_repositories': approvalsAndRepositories,
  '0021_request_log': requestLog,
  '0022_browser_sessions': browserSessions,
  '0023_roles': roles,
  '0024_rollups': rollups,
  '0025_endpoint_history': endpointHistory,
  '0027_events': events,
  '0028_contents': contents,
  '0039_oidc_identities': oidcIdentities,
  '0045_intern_rules': internRules,
  '0048_intern_authorities': internAuthorities,
  '0049_intern_hosts': internHosts,
  '0051_mcp_servers': mcpServers,
  '0052_web_hosts': webHosts,
  '0053_intern_runs': internRuns,
  '0054_webhooks': webhooks,
  '0055_webhooks_due': webhooksDue,
  '0056_intern_budgets': internBudgets,
  '0057_asleep_interns': asleepInterns,
  '0058_keys_of_runs': keysOfRuns,
  '0068_metered_keys_of_runs': meteredKeysOfRuns,
  '0082_kept_ports': keptPorts,
  '0083_requests_under_way': requestMarkers,
  '0084_told_limits': limitNotifications,
  '0086_announced_turns': announcedTurns,
  '0088_model_cells': modelCells,
  '0091_schema_range': schemaRange,
  '0092_pooled_budgets': pooledBudgets,
  '0093_workspace_members': workspaceMembers,
  '0096_passkeys': passkeys,
  '0097_margins_of_cells': marginsOfCells,
  '0098_notification_targets': notificationTargets,
  '0101_own_keys_of_runs': ownKeysOfRuns,
  '0103_cost_lookups': costLookups,
  '0104_speeds': speeds,
  '0105_request_tags': requestTags,
  '0107_index_of_tags': indexOfTags,
}

/**
 * Migrates the database to this version, under a lock and in one transaction. Servers of older versions can run meanwhile,
 * as far as the migrations allow it.
 * @throws UserFacingError if this version cannot use the database or a migration fails. Then nothing has changed.
 */
export async function migrate(
  db: Pick<Db, 'kind' | 'query'>,
  available: Record<string, Migration> = migrations,
  options: AnnounceOptions = {},
): Promise<void> {
  const names = Object.keys(available)
  const schema = await readUsableSchema(db, names).catch((error) => {
    throw privilegeError(error) ?? error
  })
  const pending = names.filter((name) => !schema.applied.includes(name))
  // Usually nothing is pending. The migrator would read the tables three more times, and take the lock.
  if (pending.length === 0) return
  const restore = await announceMigrations(db, schema, pending, options)
  const migrator = new Migrator({ db: db.query, provider: { getMigrations: async () => available } })
  const { error } = await migrator.migrateToLatest()
  if (!error) return schema.range ? undefined : storeFirstRange(db, names, options)
  await restore()
  // A server of a newer version can have migrated before this one got the lock.
  await readUsableSchema(db, names)
  const message = error instanceof Error ? error.message : String(error)
  throw (
    privilegeError(error) ?? new UserFacingError(`The database could not be migrated, and was not changed: ${message}`)
  )
}

/** @throws UserFacingError if code with these migrations cannot use the database. */
async function readUsableSchema(db: Pick<Db, 'kind' | 'query'>, names: readonly string[]): Promise<StoredSchema> {
  const schema = await readSchema(db)
  const problem = findSchemaProblem(schema, names)
  if (problem !== undefined) throw new UserFacingError(problem)
  return schema
}

/** Codes of Postgres: the user lacks a privilege, or cannot see the schema for new tables. */
const privilegeCodes = new Set<unknown>(['42501', '3F000'])

function privilegeError(error: unknown): UserFacingError | undefined {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  if (!privilegeCodes.has(code)) return undefined
  return new UserFacingError(
    `The database user lacks privileges, and nothing was changed: ${message}. Make it the owner of the database and its objects.`,
  )
}
