import type { Endpoint } from '#catalogue/index/model.ts'
import type { Circuits } from '../plan/circuits.ts'
import type { Catalogue, ProviderLookup } from './catalogue-lookup.ts'
import type { Credentials } from './credentials.ts'
import { EndpointAccess } from './endpoint-access.ts'

type ReachabilityDeps = {
  catalogue: Catalogue<ProviderLookup>
  circuits: Pick<Circuits, 'health'>
  credentials: Pick<Credentials, 'of'>
}

/** Returns which endpoints a key and a member can reach now: those with a credential and without an open circuit. */
export function createReachabilityLookup(deps: ReachabilityDeps, { workspaceId }: { workspaceId: string }) {
  return async (owner: { keyHash: string; userId: string }): Promise<(endpoint: Endpoint) => boolean> => {
    const accessLookup = await deps.credentials.of({ ...owner, workspaceId })
    const access = new EndpointAccess(deps.catalogue.current(), accessLookup, workspaceId)
    return (endpoint) =>
      access.isConfigured(endpoint) && deps.circuits.health(access.circuitNameOf(endpoint)) !== 'unavailable'
  }
}
