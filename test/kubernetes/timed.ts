import type { TestContext } from 'node:test'

/** Generous: the machine may be loaded ten times over, and a node is told to be gone after most of a minute. */
export const patientMs = 300_000

/** Says how long it took. */
export async function timed<T>(t: TestContext, what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const result = await work()
  t.diagnostic(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(2)} s`)
  return result
}
