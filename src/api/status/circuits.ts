import { isoTime, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { eventWindowMs, readEventsOfKind } from '#platform/db/event-log.ts'
import { type CircuitEventData, findOrganizationIds, parseCircuitName } from '../events/circuit-events.ts'
import type { ProcessStatus } from './process-status.ts'

/** A circuit that is not closed. */
type RestrictedCircuit = Omit<CircuitEventData, 'state' | 'at'> & {
  state: 'open' | 'paused' | 'half_open'
  /** True if a process of this host reports it now; the last reports of other servers are older. */
  of_this_host: boolean
}

type CircuitDeps = { db: Pick<Db, 'query' | 'reportQuery'>; now: Now }

/** Lists the circuits visible to an organization: of shared credentials, and of those of its workspaces. */
export async function restrictedCircuits(
  deps: CircuitDeps,
  organizationId: string,
  processes: readonly ProcessStatus[],
): Promise<RestrictedCircuit[]> {
  const localCircuits = circuitsOfThisHost(processes)
  const workspaceIds = localCircuits.flatMap(({ workspace_id }) => workspace_id ?? [])
  const organizationIds = await findOrganizationIds(deps.db, workspaceIds)
  const isVisible = ({ workspace_id }: RestrictedCircuit) =>
    workspace_id === null || organizationIds.get(workspace_id) === organizationId
  return [...localCircuits.filter(isVisible), ...(await circuitsOfOtherHosts(deps, organizationId, processes))]
}

/** Lists the circuits of shared credentials on this host, without a database query. */
export const sharedCircuitsOfThisHost = (processes: readonly ProcessStatus[]) =>
  circuitsOfThisHost(processes).filter(({ workspace_id }) => workspace_id === null)

function circuitsOfThisHost(processes: readonly ProcessStatus[]): RestrictedCircuit[] {
  return processes.flatMap(({ server, circuits }) =>
    circuits.map(({ name, state, reason, until }) => {
      const { endpoint, workspaceId } = parseCircuitName(name)
      const item = { endpoint, workspace_id: workspaceId, state, reason, until: isoTime(until) }
      return { ...item, server, of_this_host: true }
    }),
  )
}

/** Lists the circuits that servers without a running process on this host last reported, and that have not ended yet. */
async function circuitsOfOtherHosts(
  { db, now }: CircuitDeps,
  organizationId: string,
  processes: readonly ProcessStatus[],
): Promise<RestrictedCircuit[]> {
  const events = await readEventsOfKind({ db }, 'circuit', now() - eventWindowMs)
  const localServers = new Set(processes.map(({ server }) => server))
  const latestByCircuit = new Map<string, CircuitEventData>()
  for (const event of events) {
    if (event.organizationId !== null && event.organizationId !== organizationId) continue
    const circuit = JSON.parse(event.data) as CircuitEventData
    latestByCircuit.set(`${circuit.server} ${circuit.endpoint} ${circuit.workspace_id}`, circuit)
  }
  return [...latestByCircuit.values()].flatMap(({ at: _, state, ...circuit }) => {
    const hasEnded = circuit.until !== null && Date.parse(circuit.until) <= now()
    if (state === 'closed' || hasEnded || localServers.has(circuit.server)) return []
    return [{ ...circuit, state, of_this_host: false }]
  })
}
