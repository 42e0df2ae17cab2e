import type { Db } from '#platform/db/db.ts'
import { type NotificationCalls, openRemoteDatabase } from '#platform/db/sqlite/remote.ts'
import { createRpc, portPair } from '#platform/process/rpc.ts'

/** The embedded database as another process uses it, over a channel within this one. `cut` ends that process's side. */
export function remoteOf(owner: Db): { db: Db; cut: () => Promise<void> } {
  const [ownerPort, borrowerPort, close] = portPair()
  const session = owner.openSession!((announced) => toBorrower.call('db.announced', announced))
  const toBorrower = createRpc<NotificationCalls>(ownerPort, { 'db.run': session.run, 'db.announce': session.publish })
  const { db, handlers } = openRemoteDatabase(() => toOwner, {})
  const toOwner = createRpc<{ 'db.run': typeof session.run; 'db.announce': typeof session.publish }>(
    borrowerPort,
    handlers,
  )
  return {
    db,
    cut() {
      close()
      return session.end()
    },
  }
}
