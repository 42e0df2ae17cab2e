import type { AttemptPermit, Circuits } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'
import type { EndpointAccess } from '../request/endpoint-access.ts'

/**
 * The targets in order, as their circuits admit them. Those with an open circuit come last, when no other is left.
 * @param isRemaining whether a target can still be tried, after the results of those before it.
 */
export function* admittedTargets(
  circuits: Pick<Circuits, 'admit' | 'lastResort'>,
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
    const permit = circuits.lastResort(access.circuitNameOf(target.endpoint))
    if (permit) yield { target, permit }
  }
}
