import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import type { Signals, Topic } from './signals.ts'
import { isUnreachable } from './trouble.ts'
import { noTrust, type Trust } from './trust.ts'

/** How old what is remembered may be while other servers cannot be heard. */
const unheardTrustMs = 700

/** What was read of the database, by name, until somebody says that it has changed. */
export type Remembered<T> = {
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
  trust?: Trust | undefined
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
export function createRemembered<T>(deps: Deps<T>): Remembered<T> {
  const {
    signals,
    now,
    topic,
    read,
    trust = noTrust,
    isKept = () => true,
    most = 10_000,
    away = cannotBeReached,
  } = deps
  const remembered = new Map<string, { value: T; readAt: number }>()
  /** What is being read. A change takes it out, so that what was read before it is not remembered after it. */
  const reading = new Map<string, Promise<T>>()

  const forget = (name: string) => {
    remembered.delete(name)
    reading.delete(name)
  }
  const forgetAll = () => {
    remembered.clear()
    reading.clear()
  }
  const unsubscribe = [
    signals.subscribe(topic, forget),
    ...(deps.allTopic ? [signals.subscribe(deps.allTopic, forgetAll)] : []),
    signals.onMissed(forgetAll),
  ]
  /** What may have changed since it was last read is not guessed. */
  const notNow = (error: unknown): never => {
    if (!isUnreachable(error)) throw error
    throw new Fault('unavailable', away)
  }

  function load(name: string): Promise<T> {
    const underway = reading.get(name)
    if (underway) return underway
    const readAt = now()
    const begun: Promise<T> = read(name)
      .catch(notNow)
      .then((value) => {
        if (reading.get(name) !== begun || !isKept(value)) return value
        if (remembered.size >= most) remembered.clear()
        remembered.set(name, { value, readAt })
        return value
      })
      .finally(() => {
        if (reading.get(name) === begun) reading.delete(name)
      })
    reading.set(name, begun)
    return begun
  }

  const isCertain = ({ readAt }: { readAt: number }) => signals.live() || now() - readAt < unheardTrustMs

  function ask(name: string, known: { value: T }, isTrusted: boolean): T | Promise<T> {
    // Forgotten while the database was asked: then it is no longer what was last known.
    return isTrusted && remembered.get(name) === known ? known.value : load(name)
  }

  return {
    get(name) {
      const known = remembered.get(name)
      if (!known) return load(name)
      if (isCertain(known)) return known.value
      const trusted = trust()
      return trusted === false ? load(name) : Promise.resolve(trusted).then((isTrusted) => ask(name, known, isTrusted))
    },
    known(name) {
      const known = remembered.get(name)
      return known && isCertain(known) ? known.value : undefined
    },
    close() {
      for (const end of unsubscribe) end()
      forgetAll()
    },
  }
}
