import type { AttemptPermit, Circuits } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'
import type { EndpointAccess } from '../request/endpoint-access.ts'

/**
 * Yields the targets in order, each with its circuit's permit. Targets with an open circuit come last.
 * @param isRemaining whether a target can still be tried, after the results of the earlier ones.
 */
export function* admitTargets(
  circuits: Pick<Circuits, 'admit' | 'admitLastResort'>,
  access: Pick<EndpointAccess, 'circuitNameOf'>,
  targets: Target[],
  isRemaining: (target: Target) => boolean = () => true,
): Generator<{ target: Target; permit: AttemptPermit }, undefined> {
  const skipped: Target[] = []
  for (const target of targets) {
    if (!isRemaining(target)) continue
    const permit = circuits.admit(access.circuitNameOf(target.endpoint))
    if (permit) yield { target, permit }
    else skipped.push(target)
  }
  for (const target of skipped) {
    if (!isRemaining(target)) continue
    const permit = circuits.admitLastResort(access.circuitNameOf(target.endpoint))
    if (permit) yield { target, permit }
  }
}
