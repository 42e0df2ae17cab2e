import type { Now } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { tokenHash } from '../sign-in/session-tokens.ts'

/** The time limit for answering a challenge. */
export const challengeMs = 5 * 60_000

/** Stores a challenge. @param userId the member who adds a passkey; null for a sign-in. */
export async function storeChallenge(
  { db, now }: { db: Db; now: Now },
  challenge: string,
  userId: string | null,
): Promise<void> {
  const hash = tokenHash(challenge)
  const at = now()
  await db.exclusively(`passkey challenge ${hash}`, async (tx) => {
    await tx.deleteFrom('passkey_challenges').where('expires_at', '<=', at).execute()
    const row = { challenge_hash: hash, user_id: userId, expires_at: at + challengeMs }
    await tx.insertInto('passkey_challenges').values(row).execute()
  })
}

/** Deletes a challenge. @returns whether it was issued for this purpose, and was neither used nor expired. */
export async function consumeChallenge(tx: Tx, now: Now, challenge: string, userId: string | null): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('passkey_challenges')
    .where('challenge_hash', '=', tokenHash(challenge))
    .returningAll()
    .executeTakeFirst()
  return deleted !== undefined && deleted.user_id === userId && deleted.expires_at > now()
}

type ClientData = { challenge?: unknown; crossOrigin?: unknown }

/**
 * Returns the challenge in the response of a browser. Undefined for invalid data, and for a response that was created in a
 * frame within a page of another origin.
 */
export function readChallenge(clientDataJson: string): string | undefined {
  try {
    const { challenge, crossOrigin = false }: ClientData = JSON.parse(
      Buffer.from(clientDataJson, 'base64url').toString(),
    )
    return typeof challenge === 'string' && crossOrigin === false ? challenge : undefined
  } catch {
    return undefined
  }
}
