import { apiPrefix } from '#api/access/prefix.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { createAnswerToken } from '#webhooks/answer-link.ts'
import { createBacklog } from '#webhooks/delivery-backlog.ts'
import { startSender } from '#webhooks/delivery-sender.ts'
import { createWarning, type OpenContext } from './parts.ts'

/** Starts the delivery of queued webhook events, in one process per host. */
export function openWebhooks(context: OpenContext, { db, vault }: { db: Db; vault: Vault }): void {
  const { config, log, now, newId } = context.parts
  const clock = createDatabaseClock(db, now)
  context.metrics.observeBacklog(createBacklog({ db, clock }))
  context.cleanup.defer(
    startSender({
      db,
      vault,
      clock,
      now,
      newId,
      config,
      log,
      server: newId(),
      createLink: (id, answerable) =>
        config.public_url && `${config.public_url}${apiPrefix}/answers/${createAnswerToken(vault, id, answerable)}`,
      onError: createWarning(context, 'webhooks are not sent'),
      observe: context.metrics.observeWebhook,
    }),
  )
}
