import type { Subscribe } from '../async/wait-for.ts'
import type { NewEvent } from './event.ts'

export type Topic =
  | 'key.changed'
  | 'catalogue.changed'
  | 'guardrail.changed'
  | 'preset.changed'
  | 'organization.changed'
  | 'intern.changed'
  | 'intern.asked'
  | 'run.changed'
  | 'rules.changed'
  | 'credential.changed'
  | 'session.changed'
  | 'webhook.queued'

/**
 * Says, within a transaction, what to tell every server once it has committed.
 * @param event what is kept of it for clients that listen, with the transaction.
 */
export type Announce = (topic: Topic, payload: string, event?: NewEvent) => void

/**
 * Wake-ups between servers on one database. A signal is a hint: the database is the truth, and whoever misses one
 * must still end up right, so caches also watch `live()` and `onMissed()`.
 */
export type Signals = {
  /** Hears what this process announces before `exclusively` returns, and what other servers announce soon after. */
  subscribe: (topic: Topic, listener: (payload: string) => void) => () => void
  /** Hears that signals were missed, of any topic: whatever was remembered must be read anew. */
  onMissed: (listener: () => void) => () => void
  /**
   * Whether all announcements up to some moment within the last second were heard, or reported as missed. If not,
   * caches may be stale.
   */
  live: () => boolean
  /** The time since all announcements were last known to be heard, in milliseconds. */
  silentForMs: () => number
}

/** Subscribes to the changes of one entity. Also calls `onChange` when notifications were missed. */
export function changesOf(signals: Pick<Signals, 'subscribe' | 'onMissed'>, topic: Topic, id: string): Subscribe {
  return (onChange) => {
    const unsubscribe = signals.subscribe(topic, (changedId) => changedId === id && onChange())
    const unsubscribeMissed = signals.onMissed(onChange)
    return () => {
      unsubscribe()
      unsubscribeMissed()
    }
  }
}

export type Announcement = { topic: Topic; payload: string }

/** What one transaction announces. */
export function announcements() {
  const announced: Announcement[] = []
  const events: NewEvent[] = []
  const announce: Announce = (topic, payload, event) => {
    announced.push({ topic, payload })
    if (event) events.push(event)
  }
  return { announced, events, announce }
}

export type LocalSignals = Signals & { deliver: (announcement: Announcement) => void; reportMissed: () => void }

/** The subscribers of one process. The embedded database needs no more: there are no other servers. */
export function localSignals(): LocalSignals {
  const listeners = new Map<Topic, Set<(payload: string) => void>>()
  const whenMissed = new Set<() => void>()
  return {
    deliver({ topic, payload }) {
      for (const listener of listeners.get(topic) ?? []) listener(payload)
    },
    reportMissed() {
      for (const listener of whenMissed) listener()
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
    onMissed(listener) {
      whenMissed.add(listener)
      return () => whenMissed.delete(listener)
    },
    live: () => true,
    silentForMs: () => 0,
  }
}
