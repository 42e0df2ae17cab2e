import type { TestContext } from 'node:test'

/** Generous: the machine can be under heavy load, and Kubernetes reports a lost node only after most of a minute. */
export const patientMs = 300_000

/** Reports how long some work took. */
export async function timed<T>(t: TestContext, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  t.diagnostic(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(2)} s`)
  return result
}
