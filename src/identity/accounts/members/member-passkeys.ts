import type { Tx } from '#platform/db/db.ts'

/** Deletes the passkeys of a member who leaves the organization, so that they do not sign in if the member returns. */
export async function deletePasskeysOfMember(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx.deleteFrom('passkeys').where('organization_id', '=', organizationId).where('user_id', '=', userId).execute()
}
