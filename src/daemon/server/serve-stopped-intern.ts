import { once } from '#platform/async/once.ts'
import { stoppedInternRuns } from '../files/stopped-intern.ts'
import type { DaemonLog } from '../log.ts'
import type { DaemonSettings } from '../settings/settings.ts'
import { openListeners } from './listeners.ts'

type ServedAlone = {
  /** Resolves when nobody has been connected for so long, or it was stopped. */
  ended: Promise<void>
  stop: () => Promise<void>
}

/** Offers the files and transcripts of an intern at its daemon's door, in the place of its daemon, for as long as they are asked for. */
export async function serveStoppedIntern(
  settings: Pick<DaemonSettings, 'socketPath' | 'listen' | 'token' | 'workspace' | 'state' | 'limits'>,
  { idleMs, log, now }: { idleMs: number; log: DaemonLog; now: () => number },
): Promise<ServedAlone> {
  const listeners = await openListeners(settings, { ...stoppedInternRuns(settings, now), log })
  const ended = Promise.withResolvers<void>()
  // Nobody may come and it may be told to stop at the same time.
  const stop = once(async () => {
    clearInterval(looking)
    const closed = listeners.close()
    listeners.breakOff()
    await closed
    ended.resolve()
  })
  let idleSince = performance.now()
  const looking = setInterval(
    async () => {
      if ((await listeners.connections()) > 0) idleSince = performance.now()
      else if (performance.now() - idleSince >= idleMs) await stop()
    },
    Math.min(1000, idleMs / 2),
  )
  return { ended: ended.promise, stop }
}
