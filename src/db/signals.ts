export type Topic =
  | 'key.changed'
  | 'catalogue.changed'
  | 'guardrail.changed'
  | 'preset.changed'
  | 'organization.changed'

/** Says, within a transaction, what to tell every server once it has committed. */
export type Announce = (topic: Topic, payload: string) => void

/**
 * Wake-ups between servers on one database. A signal is a hint: the database is the truth, and whoever misses one
 * must still end up right, so caches also watch `live()`.
 */
export type Signals = {
  /** Hears what this process announces before `exclusively` returns, and what other servers announce soon after. */
  subscribe: (topic: Topic, listener: (payload: string) => void) => () => void
  /** Whether signals of other servers were certain to arrive during the last second. */
  live: () => boolean
}

export type Announcement = { topic: Topic; payload: string }

/** The subscribers of one process. The embedded database needs no more: there are no other servers. */
export function localSignals(): Signals & { deliver: (announcement: Announcement) => void } {
  const listeners = new Map<Topic, Set<(payload: string) => void>>()
  return {
    deliver({ topic, payload }) {
      for (const listener of listeners.get(topic) ?? []) listener(payload)
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
    live: () => true,
  }
}
