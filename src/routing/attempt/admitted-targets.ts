import type { Endpoint } from '#catalogue/model.ts'
import type { AttemptPermit, Circuits } from '../plan/circuits.ts'
import type { Target } from '../plan/plan.ts'

/** Each endpoint in its turn, as far as its circuit lets it be asked: the shut ones when no other is left. */
export function* admittedTargets(
  circuits: Pick<Circuits, 'admit' | 'lastResort'>,
  circuitOf: (endpoint: Endpoint) => string,
  targets: Target[],
): Generator<{ target: Target; pass: AttemptPermit }, undefined> {
  const shut: Target[] = []
  for (const target of targets) {
    const pass = circuits.admit(circuitOf(target.endpoint))
    if (pass) yield { target, pass }
    else shut.push(target)
  }
  for (const target of shut) {
    const pass = circuits.lastResort(circuitOf(target.endpoint))
    if (pass) yield { target, pass }
  }
}
