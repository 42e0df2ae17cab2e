import { printable } from '#platform/text/printable.ts'
import type { KubernetesClient } from '../client/client.ts'
import type { Warning } from '../client/object.ts'
import { objectName, podName } from '../objects.ts'

/** The clock of the cluster can differ from the clock of this server by this time. */
const leewayMs = 60_000
const maxMessageLength = 500

/**
 * Returns the last warning of the cluster about the objects of an intern since a time. It can be about a quota, Pod Security
 * or a volume that is not mounted. A pod that was not created has no state with the reason.
 */
export async function findLastWarning(
  client: Pick<KubernetesClient, 'warnings'>,
  internId: string,
  since: number,
): Promise<string | undefined> {
  // The caller reports the timeout of a start, also while the cluster does not answer.
  const requests = [objectName(internId), podName(internId)].map((name) => client.warnings(name).catch(() => []))
  const recentWarnings = (await Promise.all(requests))
    .flat()
    .filter((warning) => warningTime(warning) >= since - leewayMs)
  const last = recentWarnings.toSorted((one, other) => warningTime(one) - warningTime(other)).at(-1)
  return last?.message && printable(last.message).trim().replace(/\.$/, '').slice(0, maxMessageLength)
}

const warningTime = ({ lastTimestamp, eventTime }: Warning) => Date.parse(lastTimestamp ?? eventTime ?? '') || 0
