import type { Endpoint } from '#catalogue/index/model.ts'
import type { AttemptPermit, Circuits } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'

/**
 * Each endpoint in its turn, as far as its circuit lets it be asked: the shut ones when no other is left.
 * @param isLeft whether a target may still be asked, after the answers of those before it.
 */
export function* admittedTargets(
  circuits: Pick<Circuits, 'admit' | 'lastResort'>,
  circuitOf: (endpoint: Endpoint) => string,
  targets: Target[],
  isLeft: (target: Target) => boolean = () => true,
): Generator<{ target: Target; pass: AttemptPermit }, undefined> {
  const shut: Target[] = []
  for (const target of targets) {
    if (!isLeft(target)) continue
    const pass = circuits.admit(circuitOf(target.endpoint))
    if (pass) yield { target, pass }
    else shut.push(target)
  }
  for (const target of shut) {
    if (!isLeft(target)) continue
    const pass = circuits.lastResort(circuitOf(target.endpoint))
    if (pass) yield { target, pass }
  }
}
