import { type Now, steadyNow } from '../../core/clock.ts'
import { Fault } from '../../core/fault.ts'
import { isUnreachable, unreachableMessage } from '../maintenance/failures.ts'
import type { Signals, Topic } from '../signals.ts'
import { type AllowStale, neverStale } from './stale-reads.ts'

/** The maximum age of an entry while notifications of other servers are not received. Below the promised second. */
const unverifiedMs = 700

/** A cache of rows by name. A notification removes the changed row. */
export type ReadCache<T> = {
  /** Returns a value, cached or read. @throws Fault `unavailable` while the database is unreachable. */
  get: (name: string) => Promise<T>
  /** Returns a cached value; undefined if it is not cached, or possibly stale. */
  getCached: (name: string) => T | undefined
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
  maxEntries?: number
  /** The message of the fault while the database is unreachable. */
  unavailableMessage?: string
}

/** Creates a read-through cache. A change is visible immediately on this server, and within a second on others. */
export function createReadCache<T>(deps: ReadCacheDeps<T>): ReadCache<T> {
  const {
    signals,
    steady = steadyNow,
    topic,
    read,
    allowStale = neverStale,
    isCacheable = () => true,
    maxEntries = 10_000,
    unavailableMessage = unreachableMessage,
  } = deps
  const entries = new Map<string, { value: T; readAt: number }>()
  /** Reads in flight. A change removes them, so that a value read before the change is not cached after it. */
  const pendingReads = new Map<string, Promise<T>>()

  const evict = (name: string) => {
    entries.delete(name)
    pendingReads.delete(name)
  }
  const evictAll = () => {
    entries.clear()
    pendingReads.clear()
  }
  const unsubscribeAll = [signals.subscribe(topic, evict), signals.onMissed(evictAll)]
  if (deps.allTopic) unsubscribeAll.push(signals.subscribe(deps.allTopic, evictAll))
  /** Converts the error of an unreachable database. */
  const refuseIfUnreachable = (error: unknown): never => {
    if (!isUnreachable(error)) throw error
    throw new Fault('unavailable', unavailableMessage)
  }

  function load(name: string): Promise<T> {
    const existing = pendingReads.get(name)
    if (existing) return existing
    const readAt = steady()
    const pending: Promise<T> = read(name)
      .catch(refuseIfUnreachable)
      .then((value) => {
        if (pendingReads.get(name) !== pending || !isCacheable(value)) return value
        if (entries.size >= maxEntries) entries.clear()
        entries.set(name, { value, readAt })
        return value
      })
      .finally(() => {
        if (pendingReads.get(name) === pending) pendingReads.delete(name)
      })
    pendingReads.set(name, pending)
    return pending
  }

  const isFresh = ({ readAt }: { readAt: number }) => signals.live() || steady() - readAt < unverifiedMs

  return {
    async get(name) {
      const cached = entries.get(name)
      if (!cached) return load(name)
      if (isFresh(cached)) return cached.value
      const isTrusted = await allowStale()
      // The entry can have been removed meanwhile, because it has changed.
      return isTrusted && entries.get(name) === cached ? cached.value : load(name)
    },
    getCached(name) {
      const cached = entries.get(name)
      return cached && isFresh(cached) ? cached.value : undefined
    },
    close() {
      for (const unsubscribe of unsubscribeAll) unsubscribe()
      evictAll()
    },
  }
}
