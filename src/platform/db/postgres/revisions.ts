import pg from 'pg'
import type { Announcement, Topic } from '../signals.ts'

export const channel = 'signalbox'

/** The message of a NOTIFY: the announcement and its number within its topic. */
type Notification = Announcement & { revision: number }

/**
 * The statement that announces, within the transaction, so that other servers hear of exactly what was committed, even
 * if this one dies. The topic's revision is counted up with it: a server that missed the notification sees that it did.
 */
export function announcing({ topic, payload }: Announcement): string {
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

/** The last revision of each topic that one server has seen. */
export type Followed = {
  /** Takes note of a notification. @returns it, and whether an earlier one of its topic never came. */
  heard: (text: string) => { announcement: Announcement; missed: boolean }
  /** Compares with the database. @returns whether something was announced that never came. */
  catchUp: (client: Pick<pg.Client, 'query'>) => Promise<boolean>
}

export function followRevisions(): Followed {
  const followed = new Map<Topic, number>()
  return {
    heard(text) {
      const { revision, ...announcement } = JSON.parse(text) as Notification
      const expected = (followed.get(announcement.topic) ?? 0) + 1
      if (revision >= expected) followed.set(announcement.topic, revision)
      return { announcement, missed: revision > expected }
    },
    async catchUp(client) {
      const before = new Map(followed)
      const { rows } = await client.query<{ topic: Topic; revision: string }>(
        'select topic, revision from signal_revisions',
      )
      // A notification may overtake the answer, so being ahead of it is fine; being ahead when asking is not.
      const astray = rows.filter(({ topic, revision }) => {
        const stored = Number(revision)
        return stored > (followed.get(topic) ?? 0) || stored < (before.get(topic) ?? 0)
      })
      for (const { topic, revision } of astray) followed.set(topic, Number(revision))
      return astray.length > 0
    },
  }
}
