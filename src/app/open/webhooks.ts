import { apiPrefix } from '#api/access/prefix.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { createAnswerToken } from '#webhooks/answer-link.ts'
import { createBacklogReader } from '#webhooks/delivery-backlog.ts'
import { startSender } from '#webhooks/delivery-sender.ts'
import { createWarning, type OpenContext } from './parts.ts'

/**
 * Starts the delivery of queued webhook events, in one process per host.
 * @throws UserFacingError if the settings name a mail server but no sender.
 */
export function openWebhooks(context: OpenContext, { db, vault }: { db: Db; vault: Vault }): void {
  const { config, log, now, newId } = context.parts
  if (config.smtp_url !== undefined && config.smtp_from === undefined)
    throw new UserFacingError(
      'The setting smtp_url needs smtp_from: the sender of emails, such as Signalbox <signalbox@example.com>.',
    )
  const clock = createDatabaseClock(db, now)
  context.metrics.observeBacklog(createBacklogReader({ db, clock }))
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
