import { type Now, steadyNow } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import { isUnreachable } from '../maintenance/failures.ts'
import type { Signals, Topic } from '../signals.ts'
import { type AllowStale, neverStale } from './stale-reads.ts'

/** The greatest age of an entry while notifications of other servers cannot be heard. */
const unverifiedMs = 700

/** Rows read from the database, cached by name until a notification says that they have changed. */
export type ReadCache<T> = {
  /** At once in the steady state. @throws Fault `unavailable` while the database cannot be reached. */
  get: (name: string) => T | Promise<T>
  /** The same from memory alone: undefined for what has to be asked for first. */
  known: (name: string) => T | undefined
  close: () => void
}

type ReadCacheDeps<T> = {
  signals: Signals
  /** A clock that nobody sets. */
  steady?: Now
  /** Announces, with a name, that the entry of that name has changed. */
  topic: Topic
  /** Announces that any entry may have changed. */
  allTopic?: Topic
  /** Whether an entry that may be stale is still used while the database is away. */
  allowStale?: AllowStale | undefined
  read: (name: string) => Promise<T>
  /** Values for which this is false are not cached. */
  isKept?: (value: T) => boolean
  /** The cache is emptied when it holds so many entries. */
  most?: number
  /** The message of the fault while the database cannot be reached. */
  away?: string
}

const cannotBeReached = 'The database cannot be reached now. Try again shortly.'

/** A read-through cache. A change is seen at once here, and within a second on every other server. */
export function createReadCache<T>(deps: ReadCacheDeps<T>): ReadCache<T> {
  const {
    signals,
    steady = steadyNow,
    topic,
    read,
    allowStale = neverStale,
    isKept = () => true,
    most = 10_000,
    away = cannotBeReached,
  } = deps
  const entries = new Map<string, { value: T; readAt: number }>()
  /** Reads in flight. A change removes them, so that a value read before the change is not cached after it. */
  const reading = new Map<string, Promise<T>>()

  const forget = (name: string) => {
    entries.delete(name)
    reading.delete(name)
  }
  const forgetAll = () => {
    entries.clear()
    reading.clear()
  }
  const unsubscribe = [
    signals.subscribe(topic, forget),
    ...(deps.allTopic ? [signals.subscribe(deps.allTopic, forgetAll)] : []),
    signals.onMissed(forgetAll),
  ]
  /** An entry that may be stale is not guessed. */
  const refuseIfUnreachable = (error: unknown): never => {
    if (!isUnreachable(error)) throw error
    throw new Fault('unavailable', away)
  }

  function load(name: string): Promise<T> {
    const underway = reading.get(name)
    if (underway) return underway
    const readAt = steady()
    const pending: Promise<T> = read(name)
      .catch(refuseIfUnreachable)
      .then((value) => {
        if (reading.get(name) !== pending || !isKept(value)) return value
        if (entries.size >= most) entries.clear()
        entries.set(name, { value, readAt })
        return value
      })
      .finally(() => {
        if (reading.get(name) === pending) reading.delete(name)
      })
    reading.set(name, pending)
    return pending
  }

  const isCertain = ({ readAt }: { readAt: number }) => signals.live() || steady() - readAt < unverifiedMs

  function ask(name: string, known: { value: T }, isTrusted: boolean): T | Promise<T> {
    // Forgotten while the database was asked: then it is no longer what was last known.
    return isTrusted && entries.get(name) === known ? known.value : load(name)
  }

  return {
    get(name) {
      const known = entries.get(name)
      if (!known) return load(name)
      if (isCertain(known)) return known.value
      const trusted = allowStale()
      return trusted === false ? load(name) : Promise.resolve(trusted).then((isTrusted) => ask(name, known, isTrusted))
    },
    known(name) {
      const known = entries.get(name)
      return known && isCertain(known) ? known.value : undefined
    },
    close() {
      for (const end of unsubscribe) end()
      forgetAll()
    },
  }
}
