import pg from 'pg'
import type { Notification, Topic } from '../signals.ts'

export const channel = 'signalbox'

/** The payload of NOTIFY: the notification and its revision in the topic. */
type NumberedNotification = Notification & { revision: number }

/**
 * Returns the statement that sends a notification. It is part of the transaction, so that other servers are notified of
 * exactly the committed changes, even if this server dies. It increments the revision of the topic, so that a server can detect a
 * missed notification.
 */
export function notifyStatement({ topic, payload }: Notification): string {
  const [topicText, payloadText] = [pg.escapeLiteral(topic), pg.escapeLiteral(payload)]
  return `with counted as (
      insert into signal_revisions (topic, revision) values (${topicText}, 1)
      on conflict (topic) do update set revision = signal_revisions.revision + 1
      returning revision
    )
    select pg_notify('${channel}', json_build_object(
      'topic', ${topicText}::text, 'payload', ${payloadText}::text, 'revision', revision)::text)
    from counted`
}

/** The last revision of each topic that this server has received. */
type RevisionTracker = {
  /** Records a notification. @returns the notification, and whether an earlier notification of its topic was missed. */
  record: (text: string) => { notification: Notification; missed: boolean }
  /** Compares with the database. @returns whether a notification was missed. */
  catchUp: (client: Pick<pg.Client, 'query'>) => Promise<boolean>
}

export function trackRevisions(): RevisionTracker {
  const revisions = new Map<Topic, number>()
  return {
    record(text) {
      const { revision, ...notification } = JSON.parse(text) as NumberedNotification
      const expected = (revisions.get(notification.topic) ?? 0) + 1
      if (revision >= expected) revisions.set(notification.topic, revision)
      return { notification, missed: revision > expected }
    },
    async catchUp(client) {
      const previousRevisions = new Map(revisions)
      const { rows } = await client.query<{ topic: Topic; revision: string }>(
        'select topic, revision from signal_revisions',
      )
      // A notification can arrive before the response, so a local revision that is higher than the database's is valid, unless it was higher before the query.
      const mismatched = rows.filter(({ topic, revision }) => {
        const stored = Number(revision)
        return stored > (revisions.get(topic) ?? 0) || stored < (previousRevisions.get(topic) ?? 0)
      })
      for (const { topic, revision } of mismatched) revisions.set(topic, Number(revision))
      return mismatched.length > 0
    },
  }
}
