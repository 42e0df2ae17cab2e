import { Refusal } from '#interns/contract/refusal.ts'
import type { DaemonAddress } from '#interns/remote/connect-runs.ts'
import { waitFor } from '#platform/async/wait-for.ts'
import type { Config } from '#platform/config/settings.ts'
import type { KubernetesClient } from '../client/client.ts'
import { readStoredSecrets } from '../intern-files.ts'
import { createFilesPod, filesPodName, objectName } from '../objects.ts'
import { toPod } from './pod.ts'

type FilesPodDeps = {
  config: Config
  client: KubernetesClient
  image: string
  addressIn: (id: string, host: string, token: string) => Promise<DaemonAddress>
  isResponding: (address: DaemonAddress) => Promise<boolean>
  /** Renews the certificates in the Secret, which can have expired while the intern did not run. */
  renewCertificates: () => Promise<void>
}

const checkEveryMs = 250

/**
 * The address of a pod that serves the files of an intern that does not run. The pod has the intern's volume and runs nothing
 * of the intern. It ends when it gets no requests, and before the intern is started. @throws Refusal with the reason.
 */
export async function findFilesAddress(deps: FilesPodDeps, id: string): Promise<DaemonAddress> {
  try {
    return await waitUntilResponding(deps, id)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(
      'intern_unreachable',
      `The stored files of the intern cannot be read: ${(error as Error).message}`,
    )
  }
}

async function waitUntilResponding(deps: FilesPodDeps, id: string): Promise<DaemonAddress> {
  const { config, client, image } = deps
  const secret = await client.get('Secret', objectName(id))
  if (!secret)
    throw new Refusal('intern_unreachable', 'The intern has no files: it has never been started, or is being deleted.')
  const { token } = readStoredSecrets(secret)
  let problem: string | undefined
  /** False after the pod was created: if that pod is deleted, the intern is being started or deleted. */
  let canCreate = true
  const findAddress = async () => {
    const found = await client.get('Pod', filesPodName(id))
    const pod = found && toPod(found)
    if (!pod) {
      if (!canCreate) throw new Error('its pod was ended, for example because the intern is started. Retry later.')
      canCreate = false
      await deps.renewCertificates()
      await client.apply(createFilesPod({ config, image }, id, Object.keys(secret.data ?? {})))
    } else if (pod.hasEnded) {
      await client.remove('Pod', pod.name, pod.uid)
      canCreate = true
    }
    problem = pod?.problem
    if (!pod?.isRunning || !pod.address || pod.isEnding) return undefined
    const address = await deps.addressIn(id, pod.address, token)
    return (await deps.isResponding(address)) ? address : undefined
  }
  const address = await waitFor(findAddress, { timeoutMs: config.kubernetes_start_ms, recheckMs: checkEveryMs })
  if (address) return address
  await client.remove('Pod', filesPodName(id))
  const reason = problem ?? 'without a reason'
  throw new Error(`its pod did not respond within ${config.kubernetes_start_ms / 1000} s: ${reason}.`)
}
