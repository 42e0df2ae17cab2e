import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import { isUnreachable } from './failures.ts'
import type { Signals, Topic } from './signals.ts'
import { type AllowStale, neverStale } from './stale-reads.ts'

/** How old what is remembered may be while other servers cannot be heard. */
const unverifiedMs = 700

/** What was read of the database, by name, until somebody says that it has changed. */
export type ReadCache<T> = {
  /** At once in the steady state. @throws Fault `unavailable` while the database cannot be reached. */
  get: (name: string) => T | Promise<T>
  /** The same from memory alone: undefined for what has to be asked for first. */
  known: (name: string) => T | undefined
  close: () => void
}

type Deps<T> = {
  signals: Signals
  now: Now
  /** Says, with a name, that what is remembered under it has changed. */
  topic: Topic
  /** Says that all that is remembered may have changed. */
  allTopic?: Topic
  /** Whether what may have changed is given all the same, while the database is away. */
  allowStale?: AllowStale | undefined
  read: (name: string) => Promise<T>
  /** What is not worth remembering is read every time. */
  isKept?: (value: T) => boolean
  /** When so many are remembered, all are forgotten. */
  most?: number
  /** What is told while the database cannot be reached. */
  away?: string
}

const cannotBeReached = 'The database cannot be reached now. Try again shortly.'

/** A change holds at once here, and within a second on every other server. */
export function createReadCache<T>(deps: Deps<T>): ReadCache<T> {
  const {
    signals,
    now,
    topic,
    read,
    allowStale = neverStale,
    isKept = () => true,
    most = 10_000,
    away = cannotBeReached,
  } = deps
  const entries = new Map<string, { value: T; readAt: number }>()
  /** What is being read. A change takes it out, so that what was read before it is not remembered after it. */
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
  /** What may have changed since it was last read is not guessed. */
  const refuseIfUnreachable = (error: unknown): never => {
    if (!isUnreachable(error)) throw error
    throw new Fault('unavailable', away)
  }

  function load(name: string): Promise<T> {
    const underway = reading.get(name)
    if (underway) return underway
    const readAt = now()
    const begun: Promise<T> = read(name)
      .catch(refuseIfUnreachable)
      .then((value) => {
        if (reading.get(name) !== begun || !isKept(value)) return value
        if (entries.size >= most) entries.clear()
        entries.set(name, { value, readAt })
        return value
      })
      .finally(() => {
        if (reading.get(name) === begun) reading.delete(name)
      })
    reading.set(name, begun)
    return begun
  }

  const isCertain = ({ readAt }: { readAt: number }) => signals.live() || now() - readAt < unverifiedMs

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
