import { once } from '#platform/async/once.ts'
import { startReconciler } from '#platform/async/reconcile.ts'
import { createStoppedInternApi } from '../files/stopped-intern.ts'
import type { DaemonLog } from '../log.ts'
import type { DaemonSettings } from '../settings/settings.ts'
import { openListeners } from './listeners.ts'

type ServedFiles = {
  /** Resolves after `idleMs` without a connection, or when it was stopped. */
  ended: Promise<void>
  stop: () => Promise<void>
}

/** Serves the files and transcripts of a stopped intern at the address of its daemon, until there are no more requests. */
export async function serveStoppedIntern(
  settings: Pick<DaemonSettings, 'socketPath' | 'listen' | 'token' | 'workspace' | 'state' | 'limits'>,
  { idleMs, log, now }: { idleMs: number; log: DaemonLog; now: () => number },
): Promise<ServedFiles> {
  const listeners = await openListeners(settings, { ...createStoppedInternApi(settings, now), log })
  const end = Promise.withResolvers<void>()
  // The idle timeout and a signal can both stop it.
  const stop = once(async () => {
    void idleCheck.stop()
    const closed = listeners.close()
    listeners.closeConnections()
    await closed
    end.resolve()
  })
  let idleSince = performance.now()
  const checkEveryMs = Math.min(1000, idleMs / 2)
  const stopIfIdle = async () => {
    if ((await listeners.connections()) > 0) idleSince = performance.now()
    else if (performance.now() - idleSince >= idleMs) await stop()
    return checkEveryMs
  }
  const onError = ({ message }: Error) => log('files.idle_check_failed', { why: message })
  const idleCheck = startReconciler(stopIfIdle, { firstMs: checkEveryMs, retryMs: checkEveryMs, onError })
  return { ended: end.promise, stop }
}
