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
 * Publishes a notification to all servers when the transaction commits.
 * @param event an event that is stored for listening clients, in the transaction.
 */
export type Publish = (topic: Topic, payload: string, event?: NewEvent) => void

/**
 * Notifications between servers on one database. A notification is a hint: the database is the source of truth. A subscriber that
 * misses one must still become consistent, so caches also use `live()` and `onMissed()`.
 */
export type Signals = {
  /** Subscribes to a topic: notifications of this process arrive before `exclusively` returns, those of other servers soon after. */
  subscribe: (topic: Topic, listener: (payload: string) => void) => () => void
  /** Calls the listener when notifications of any topic were missed: cached data must be read again. */
  onMissed: (listener: () => void) => () => void
  /**
   * Whether all notifications up to a time within the last second were received, or reported as missed. If not, caches can be
   * stale.
   */
  live: () => boolean
  /** The time since all notifications were last known to be received, in milliseconds. */
  silentForMs: () => number
}

/** Subscribes to the changes of one entity. Also calls `onChange` when notifications were missed. */
export function subscribeToEntity(
  signals: Pick<Signals, 'subscribe' | 'onMissed'>,
  topic: Topic,
  id: string,
): Subscribe {
  return (onChange) => {
    const unsubscribe = signals.subscribe(topic, (changedId) => changedId === id && onChange())
    const unsubscribeMissed = signals.onMissed(onChange)
    return () => {
      unsubscribe()
      unsubscribeMissed()
    }
  }
}

export type Notification = { topic: Topic; payload: string }

/** Collects the notifications of one transaction. */
export function collectNotifications() {
  const notifications: Notification[] = []
  const events: NewEvent[] = []
  const publish: Publish = (topic, payload, event) => {
    notifications.push({ topic, payload })
    if (event) events.push(event)
  }
  return { notifications, events, publish }
}

export type LocalSignals = Signals & { deliver: (notification: Notification) => void; reportMissed: () => void }

/** The subscribers of one process. The embedded database needs no notifications of other servers, because only one server uses it. */
export function createLocalSignals(): LocalSignals {
  const listeners = new Map<Topic, Set<(payload: string) => void>>()
  const missedListeners = new Set<() => void>()
  return {
    deliver({ topic, payload }) {
      for (const listener of listeners.get(topic) ?? []) listener(payload)
    },
    reportMissed() {
      for (const listener of missedListeners) listener()
    },
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set.add(listener))
      return () => set.delete(listener)
    },
    onMissed(listener) {
      missedListeners.add(listener)
      return () => missedListeners.delete(listener)
    },
    live: () => true,
    silentForMs: () => 0,
  }
}
