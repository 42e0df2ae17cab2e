import type { Usage } from '#chat/usage.ts'
import type { RunReport } from '../contract/run.ts'

/** The metered usage of a key since a time; undefined if there is none. */
export type ReadMeteredUsage = (keyHash: string, since: number) => Promise<Usage | undefined>

/**
 * Adds metered usage or cost to the last event of a turn, if its agent did not report it. The event is unchanged if metering
 * fails.
 */
export async function withMeteredUsage<Report extends object>(
  event: Report,
  keyHash: string | null,
  readMeteredUsage: ReadMeteredUsage,
): Promise<Report> {
  if (!isMetered(event) || keyHash === null || event.usage?.cost !== undefined) return event
  const meteredUsage = await readMeteredUsage(keyHash, event.meteredSince).catch(() => undefined)
  if (!meteredUsage) return event
  if (event.usage === null) return { ...event, usage: meteredUsage }
  if (meteredUsage.cost === undefined) return event
  return { ...event, usage: { ...event.usage, cost: meteredUsage.cost } }
}

const isMetered = (event: object): event is RunReport & { meteredSince: number } =>
  'meteredSince' in event && event.meteredSince !== undefined
