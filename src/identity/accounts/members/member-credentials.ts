import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'

/**
 * Deletes the passkeys, unused sign-in links and browser sessions of a member, so that none of them is valid if the member
 * returns.
 */
export async function deleteCredentialsOfMember(
  tx: Tx,
  publish: Publish,
  organizationId: string,
  userId: string,
): Promise<void> {
  for (const table of ['passkeys', 'sign_in_links'] as const)
    await tx.deleteFrom(table).where('organization_id', '=', organizationId).where('user_id', '=', userId).execute()
  const ended = await tx
    .deleteFrom('browser_sessions')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .returning('id')
    .execute()
  for (const { id } of ended) publish('session.changed', id)
}
