import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import type { Signals, Topic } from './signals.ts'
import { isUnreachable } from './trouble.ts'

/** How old what is remembered may be while other servers cannot be heard. */
const unheardTrustMs = 700

/** What was read of the database, by name, until somebody says that it has changed. */
export type Remembered<T> = {
  /** At once in the steady state. @throws Fault `unavailable` while the database cannot be reached. */
  get: (name: string) => T | Promise<T>
  close: () => void
}

type Deps<T> = {
  signals: Signals
  now: Now
  /** Says, with a name, that what is remembered under it has changed. */
  topic: Topic
  read: (name: string) => Promise<T>
  /** What is not worth remembering is read every time. */
  isKept?: (value: T) => boolean
  /** When so many are remembered, all are forgotten. */
  most?: number
}

/** A change holds at once here, and within a second on every other server. */
export function createRemembered<T>(deps: Deps<T>): Remembered<T> {
  const { signals, now, topic, read, isKept = () => true, most = 10_000 } = deps
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
  const unsubscribe = [signals.subscribe(topic, forget), signals.onMissed(forgetAll)]

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

  return {
    get(name) {
      const known = remembered.get(name)
      const isTrusted = known && (signals.live() || now() - known.readAt < unheardTrustMs)
      return isTrusted ? known.value : load(name)
    },
    close() {
      for (const end of unsubscribe) end()
      forgetAll()
    },
  }
}

/** What may have changed since it was last read is not guessed. */
function notNow(error: unknown): never {
  if (!isUnreachable(error)) throw error
  throw new Fault('unavailable', 'The database cannot be reached now. Try again shortly.')
}
