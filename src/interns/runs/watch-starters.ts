import type { Db } from '#platform/db/db.ts'
import type { Runs } from '../contract/runs.ts'
import type { Intern } from '../registry/store.ts'
import { type Starter, startersOf } from './run-store.ts'

/** Whether who began a run may still have it go on, and until when, if that ends by itself. */
export type StandingOf = (starter: Starter, intern: Intern) => Promise<{ mayGoOn: boolean; until: number | null }>

type WatchDeps = {
  db: Pick<Db, 'query' | 'signals'>
  now: () => number
  standingOf: StandingOf
  onError: (error: Error) => void
}

/** While runs go on they are looked at this often, also where nothing is heard. */
const lookEveryMs = 60_000

/**
 * Ends runs of an intern in the background when the key that began them is revoked or expires, or when whoever began them
 * may no longer use the intern. While no run goes on, or nothing changes, nothing is looked at.
 * @returns what is to be called when such a run may have begun.
 */
export function watchStarters(
  { db, now, standingOf, onError }: WatchDeps,
  intern: Intern,
  runsOf: () => Pick<Runs, 'cancel'>,
  signal: AbortSignal,
): () => void {
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  /** One look that has not begun is for all that has changed: with a workspace thousands of keys may go. */
  let isAboutToLook = false
  /** Whether any run goes on, as far as it is known. */
  let hasOpen = true
  const lookAgain = (inMs: number) => {
    clearTimeout(timer)
    if (!signal.aborted) timer = setTimeout(look, inMs).unref()
  }
  const judgeAll = async () => {
    const open = await startersOf(db.query, intern.id)
    hasOpen = open.length > 0
    let next = lookEveryMs
    for (const { id, starter } of open) {
      if (!starter) continue
      const { mayGoOn, until } = await standingOf(starter, intern)
      if (!mayGoOn) await runsOf().cancel(id)
      else if (until !== null) next = Math.min(next, Math.max(0, until - now()))
    }
    if (hasOpen) lookAgain(next)
  }
  const look = () => {
    if (isAboutToLook) return
    isAboutToLook = true
    const begin = () => {
      isAboutToLook = false
      return judgeAll()
    }
    looking = looking.then(begin).catch((error: Error) => {
      onError(new Error(`Who began the runs of the intern ${intern.id}: ${error.message}`))
      lookAgain(retryMs)
    })
  }
  const changed = () => {
    if (hasOpen) look()
  }
  const unsubscribe = [
    db.signals.subscribe('key.changed', changed),
    db.signals.subscribe('organization.changed', changed),
    db.signals.subscribe('intern.changed', (id) => id === intern.id && changed()),
    db.signals.onMissed(changed),
  ]
  signal.addEventListener('abort', () => {
    for (const end of unsubscribe) end()
    clearTimeout(timer)
  })
  return look
}

const retryMs = 1000
