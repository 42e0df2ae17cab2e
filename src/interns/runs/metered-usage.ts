import type { Usage } from '#chat/usage.ts'
import type { TurnReport } from '../contract/run.ts'

/** What was metered for a key since an instant; undefined where nothing was. */
export type Metered = (keyHash: string, since: number) => Promise<Usage | undefined>

/**
 * The last event of a turn with the usage, or the cost alone, that its agent did not tell: what was metered for the
 * intern meanwhile. Where that cannot be had the event stays as it is; nobody's reply fails for it.
 */
export async function withMeteredUsage<Report extends object>(
  event: Report,
  keyHash: string | null,
  metered: Metered,
): Promise<Report> {
  if (!isMetered(event) || keyHash === null || event.usage?.cost !== undefined) return event
  const used = await metered(keyHash, event.meteredSince).catch(() => undefined)
  if (!used) return event
  const told = event.usage
  const usage = told === null ? used : { ...told, ...(used.cost !== undefined && { cost: used.cost }) }
  return { ...event, usage }
}

const isMetered = (event: object): event is TurnReport & { meteredSince: number } =>
  'meteredSince' in event && event.meteredSince !== undefined
