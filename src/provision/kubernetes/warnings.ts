import { printable } from '#platform/text/printable.ts'
import type { KubernetesClient } from './client.ts'
import type { Warning } from './object.ts'
import { nameOf, podNameOf } from './objects.ts'

/** The clock of a cluster may go differently. */
const leewayMs = 60_000

/**
 * The last thing that the cluster said against the objects of an intern since then: a quota or Pod Security that lets no
 * pod in, a volume that is not mounted. A pod that is not made has no state that would say so.
 */
export async function lastWarning(
  client: Pick<KubernetesClient, 'warnings'>,
  intern: string,
  since: number,
): Promise<string | undefined> {
  // Who may not ask, as with the Role of an older release, is told less.
  const asked = [nameOf(intern), podNameOf(intern)].map((name) => client.warnings(name).catch(() => []))
  const recent = (await Promise.all(asked)).flat().filter((warning) => timeOf(warning) >= since - leewayMs)
  const last = recent.toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1)
  return last?.message && printable(last.message).trim().replace(/\.$/, '').slice(0, 500)
}

const timeOf = ({ lastTimestamp, eventTime }: Warning) => Date.parse(lastTimestamp ?? eventTime ?? '') || 0
