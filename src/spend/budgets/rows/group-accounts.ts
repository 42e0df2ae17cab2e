import type { RawBuilder } from 'kysely'
import { sql } from '#platform/db/kysely.ts'

/** Whether an account is one of a session or tag value: see `groupAccountPrefix`. An id of a guardrail has 36 characters. */
export const isGroupAccount = (account: RawBuilder<unknown>) =>
  sql<boolean>`(${account} like 'guardrail:%' and (${isOfSession(account)} or ${isOfTag(account)}))`

export const isOfSession = (account: RawBuilder<unknown>) => sql`substr(${account}, 47, 9) = ':session:'`
export const isOfTag = (account: RawBuilder<unknown>) => sql`substr(${account}, 47, 5) = ':tag:'`
