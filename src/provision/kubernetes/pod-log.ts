import { Refusal } from '#interns/contract/refusal.ts'
import type { InternLog, LogWanted } from '#interns/remote/log.ts'
import type { KubernetesClient } from './client.ts'
import { daemonContainer, podNameOf } from './objects.ts'
import { KubernetesError } from './requests.ts'

const none = 'No pod of it has begun, and the log of an earlier one is gone with that pod.'

/** The end of what the daemon has said in its pod. @throws Refusal where the cluster does not give it. */
export async function podLog(
  client: Pick<KubernetesClient, 'log'>,
  internId: string,
  wanted: LogWanted,
): Promise<InternLog> {
  try {
    return (await client.log(podNameOf(internId), daemonContainer, wanted)) ?? { none }
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    const right = error.status === 403 ? ' ops/kubernetes/rbac.yaml has the right to it: apply it again.' : ''
    throw new Refusal('intern_unreachable', `${error.message}${right}`)
  }
}
