import { type Now, steadyNow } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import { isUnreachable } from '../maintenance/failures.ts'
import type { Signals, Topic } from '../signals.ts'
import { type AllowStale, neverStale } from './stale-reads.ts'

/** The maximum age of an entry while notifications of other servers are not received. */
const unverifiedMs = 700

/** A cache of rows by name. A notification removes the changed row. */
export type ReadCache<T> = {
  /** Returns a value, cached or read. @throws Fault `unavailable` while the database is unreachable. */
  get: (name: string) => Promise<T>
  /** Returns a cached value; undefined if it must be read first. */
  known: (name: string) => T | undefined
  close: () => void
}

type ReadCacheDeps<T> = {
  signals: Signals
  /** A monotonic clock. */
  steady?: Now
  /** The topic of changed entries. Its payload is the name. */
  topic: Topic
  /** The topic of changes that can affect any entry. */
  allTopic?: Topic
  /** Whether a possibly stale entry can be used while the database is unreachable. */
  allowStale?: AllowStale | undefined
  read: (name: string) => Promise<T>
  /** Values for which this is false are not cached. */
  isCacheable?: (value: T) => boolean
  /** The number of entries at which the cache is cleared. */
  most?: number
  /** The message of the fault while the database is unreachable. */
  unavailableMessage?: string
}

const unreachableMessage = 'The database is unreachable. Try again shortly.'

/** Creates a read-through cache. A change is visible immediately on this server, and within a second on others. */
export function createReadCache<T>(deps: ReadCacheDeps<T>): ReadCache<T> {
  const {
    signals,
    steady = steadyNow,
    topic,
    read,
    allowStale = neverStale,
    isCacheable = () => true,
    most = 10_000,
    unavailableMessage = unreachableMessage,
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
  /** Converts the error of an unreachable database. */
  const refuseIfUnreachable = (error: unknown): never => {
    if (!isUnreachable(error)) throw error
    throw new Fault('unavailable', unavailableMessage)
  }

  function load(name: string): Promise<T> {
    const underway = reading.get(name)
    if (underway) return underway
    const readAt = steady()
    const pending: Promise<T> = read(name)
      .catch(refuseIfUnreachable)
      .then((value) => {
        if (reading.get(name) !== pending || !isCacheable(value)) return value
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

  return {
    async get(name) {
      const known = entries.get(name)
      if (!known) return load(name)
      if (isCertain(known)) return known.value
      const isTrusted = await allowStale()
      // The entry can have been removed meanwhile, because it has changed.
      return isTrusted && entries.get(name) === known ? known.value : load(name)
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
