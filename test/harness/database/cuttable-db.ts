import type { Db } from '#platform/db/db.ts'

/** The connection from one server to the database. */
export type Link = {
  state: 'open' | 'cut'
  /** Delays a message until the promise resolves. */
  delay: () => Promise<void> | undefined
  /** Whether this transaction fails before it commits. */
  breaks: () => boolean
  /** Whether the answer of this transaction is lost, although it was committed. */
  loses: () => boolean
}

/** A database behind a connection that can be cut, slow, or lose messages. */
export function cuttableDb(db: Db, link: Link): Db {
  const passLink = async () => {
    await link.delay()
    if (link.state === 'cut') throw new Error('the link to the database is cut')
  }
  return {
    ...db,
    get query() {
      if (link.state === 'cut') throw new Error('the link to the database is cut')
      return db.query
    },
    async exclusively(name, work) {
      await passLink()
      const committed = await db.exclusively(name, async (tx, publish) => {
        const result = await work(tx, publish)
        if (link.breaks()) throw new Error('the transaction was broken off')
        return result
      })
      await passLink()
      if (link.loses()) throw new Error('the answer was lost')
      return committed
    },
  }
}
