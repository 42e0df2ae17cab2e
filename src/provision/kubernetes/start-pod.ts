import type { KubernetesClient } from './client.ts'
import type { KubernetesObject } from './object.ts'
import type { objectsOf } from './objects.ts'
import type { Pod } from './pod.ts'
import type { Pods } from './pods.ts'

type Objects = ReturnType<typeof objectsOf>

/** Makes the objects of an intern, or changes them to be so. Its volume is made once, and never changed. */
export async function applyObjects(client: KubernetesClient, { secret, volume, others }: Objects): Promise<void> {
  if (!(await client.get('PersistentVolumeClaim', volume.metadata.name))) await client.apply(volume)
  for (const object of [secret, ...others] satisfies KubernetesObject[]) await client.apply(object)
}

type Wanted = {
  intern: string
  settings: string
  /** Whether the daemon of the pod at this address answers. */
  answers: (address: string) => Promise<boolean>
  /** How long it may take in all, and how long a pod that runs may say nothing before another takes its place. */
  startMs: number
  unresponsiveMs: number
  signal: AbortSignal
  /** Hears that the pod runs. */
  onRunning: () => void
}

const lookEveryMs = 250
/** Longer than a node takes for it that is there. */
const endingMs = 30_000

/**
 * Waits for the pod with these settings, and for its daemon to answer. @returns its address.
 * @throws Error that says, for the intern's owner, what it waited for in vain.
 */
export async function podThatAnswers(
  { client, pods }: { client: KubernetesClient; pods: Pick<Pods, 'follow'> },
  wanted: Wanted,
): Promise<string> {
  let pod: Pod | undefined
  let changed = Promise.withResolvers<void>()
  const unfollow = pods.follow(wanted.intern, (seen) => {
    pod = seen
    changed.resolve()
  })
  const since = performance.now()
  let runningSince: number | undefined
  let endingSince: number | undefined
  try {
    for (;;) {
      wanted.signal.throwIfAborted()
      const now: Pod | undefined = pod
      if (now?.isLost) throw new Error(`It cannot be started: ${now.why}.`)
      endingSince = now?.isEnding ? (endingSince ?? performance.now()) : undefined
      if (endingSince !== undefined && performance.now() - endingSince > endingMs)
        throw new Error(`It cannot be started: ${now?.why}, and does not go.`)
      const runs = now?.settings === wanted.settings && now.isRunning && now.address !== undefined && !now.why
      if (!runs) runningSince = undefined
      else {
        if (runningSince === undefined) wanted.onRunning()
        runningSince ??= performance.now()
        if (await wanted.answers(now.address!)) return now.address!
        if (performance.now() - runningSince > wanted.unresponsiveMs) {
          runningSince = undefined
          // One that hangs is replaced: its set makes another.
          await client.remove('Pod', now.name, now.uid)
        }
      }
      if (performance.now() - since > wanted.startMs) throw inVain(now, wanted.startMs)
      await Promise.race([changed.promise, pause(lookEveryMs)])
      changed = Promise.withResolvers()
    }
  } finally {
    unfollow()
  }
}

function inVain(pod: Pod | undefined, startMs: number): Error {
  const why = pod === undefined ? 'there is no pod: the cluster makes none, or cannot be asked' : pod.why
  return new Error(`The intern did not answer within ${startMs / 1000} s: ${why ?? 'its daemon says nothing'}.`)
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
