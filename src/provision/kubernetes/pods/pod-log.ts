import { Refusal } from '#interns/contract/refusal.ts'
import type { InternLog, LogLength } from '#interns/remote/log.ts'
import type { KubernetesClient } from '../client/client.ts'
import { KubernetesError } from '../client/requests.ts'
import { daemonContainer, podName } from '../objects.ts'

const noPodNote = 'It has no running pod, and the log of an earlier pod was deleted with the pod.'

/** The end of the daemon's log in its pod. @throws Refusal if the cluster does not return it. */
export async function readPodLog(
  client: Pick<KubernetesClient, 'log'>,
  internId: string,
  range: LogLength,
): Promise<InternLog> {
  try {
    return (await client.log(podName(internId), daemonContainer, range)) ?? { none: noPodNote }
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    const advice = error.status === 403 ? ' ops/kubernetes/rbac.yaml grants this right: apply it again.' : ''
    throw new Refusal('intern_unreachable', `${error.message}${advice}`)
  }
}
