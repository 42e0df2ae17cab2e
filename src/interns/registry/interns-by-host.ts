import type { SelectQueryBuilder } from 'kysely'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type InternStatus, statusesInService } from './intern.ts'

/** The number of interns in each state, on a host and without a host. */
export async function countByStatus(deps: { db: { query: Query } }, host: string): Promise<Map<InternStatus, number>> {
  const rows = await deps.db.query
    .selectFrom('interns')
    .where((e) => e.or([e('hostname', 'is', null), e('hostname', '=', host)]))
    .groupBy('status')
    .select((e) => ['status' as const, e.fn.countAll().as('count')])
    .execute()
  return new Map(rows.map(({ status, count }) => [status as InternStatus, Number(count)]))
}

/** The number of interns on each host that are in service, of all organizations. They count for its capacity. */
export async function countInServiceByHost(query: Query | Tx): Promise<Map<string, number>> {
  return countByHost(query.selectFrom('interns').where('status', 'in', statusesInService))
}

/** The number of interns of an organization on each host, in any state. */
export async function countOrganizationInternsByHost(
  query: Query,
  organizationId: string,
): Promise<Map<string, number>> {
  return countByHost(query.selectFrom('interns').where('organization_id', '=', organizationId))
}

async function countByHost(interns: SelectQueryBuilder<Tables, 'interns', object>): Promise<Map<string, number>> {
  const rows = await interns
    .where('hostname', 'is not', null)
    .groupBy('hostname')
    .select((e) => ['hostname' as const, e.fn.countAll().as('count')])
    .execute()
  return new Map(rows.map(({ hostname, count }) => [hostname!, Number(count)]))
}

/** The ids of an organization's interns whose files are on a host, in any state. */
export async function findInternsOnHost(query: Query, organizationId: string, host: string): Promise<string[]> {
  const rows = await query
    .selectFrom('interns')
    .where('organization_id', '=', organizationId)
    .where('hostname', '=', host)
    .orderBy('id')
    .select('id')
    .execute()
  return rows.map(({ id }) => id)
}
